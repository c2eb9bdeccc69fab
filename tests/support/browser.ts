/**
 * A real Chromium: its headless shell, the same engine without windows, which would take half the CPU time.
 */

import axe from "axe-core";
import { type Browser, chromium, firefox, type Page } from "playwright-core";
import decodeQR from "qr/decode";
import { need } from "./need.ts";
import { PATIENCE_MS, waiting } from "./waits.ts";
import type { Xvfb } from "./xvfb.ts";

const PROGRAM = "chromium-headless-shell";
/** Arguments that prevent Chromium from sending requests to any other host. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Lets pages take as long as a busy machine needs: Playwright's default limit is 30 s. */
function patient(browser: Browser): Browser {
  return browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));
}

/** The needs of tests with a browser. Playwright holds a process and timers until it is closed. */
export const BROWSER = { ...need(PROGRAM), sanitizeOps: false, sanitizeResources: false };

/** This process's Chromium: starting one takes more than a second of CPU time. */
let shared: Promise<Browser> | undefined;
Deno.test.afterAll(async () => await (await shared)?.close());

/** Starts Chromium. */
export async function openBrowser(): Promise<Browser> {
  return patient(
    await chromium.launch({ timeout: PATIENCE_MS, executablePath: `/usr/bin/${PROGRAM}`, args: ARGS }),
  );
}

/** Starts the full Chromium with a window on a display, where a user's keys come through the X server. */
export async function openWindow({ env }: Pick<Xvfb, "env">, ...args: string[]): Promise<Browser> {
  const browser = await chromium.launch({
    timeout: PATIENCE_MS,
    executablePath: "/usr/bin/chromium",
    headless: false,
    env: { ...Deno.env.toObject(), ...env },
    args: [...ARGS, "--window-position=0,0", ...args],
  });
  return patient(browser);
}

/** The needs of tests with Firefox. */
export const FIREFOX = { ...need("firefox-esr"), sanitizeOps: false, sanitizeResources: false };

/** Starts Debian's Firefox, controlled through WebDriver BiDi (Playwright's own builds are patched). */
export async function openFirefox(): Promise<Browser> {
  const executablePath = "/usr/bin/firefox-esr";
  return patient(await firefox.launch({ timeout: PATIENCE_MS, channel: "moz-firefox", executablePath }));
}

/**
 * Provides a test with Chromium, as if it were its own: each page has separate storage, and all pages that
 * the test opened are closed afterwards.
 */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await (shared ??= openBrowser());
  try {
    await use(browser);
  } finally {
    await Promise.all(browser.contexts().map((context) => context.close()));
  }
}

// Findings of axe-core, which detects accessibility problems.

/**
 * Runs axe on a page in its current state.
 * @returns Each finding as its rule and the selectors of its elements.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  if (await page.evaluate("typeof axe") === "undefined") await page.evaluate(axe.source);
  const found = page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`);
  return await waiting(`axe on ${page.url()}`, found);
}

// Reads QR codes shown by a page or a terminal.

/** Reads the QR code in a page's image. */
export async function readQr(page: Page, image: string): Promise<string> {
  const width = 400, height = 400;
  const data = await page.evaluate<number[]>(`(() => {
    const context = new OffscreenCanvas(${width}, ${height}).getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, ${width}, ${height});
    context.drawImage(document.querySelector("${image}"), 0, 0, ${width}, ${height});
    return [...context.getImageData(0, 0, ${width}, ${height}).data];
  })()`);
  return decodeQR({ width, height, data: new Uint8Array(data) });
}

/** The halves of a character that are light: upper, lower. */
const HALVES: Record<string, [upper: boolean, lower: boolean]> = {
  "█": [true, true],
  "▀": [true, false],
  "▄": [false, true],
  " ": [false, false],
};
/** Pixels per module: a decoder needs several. */
const SCALE = 4;

/** Reads a code with two rows of modules per line, with light modules drawn. */
export function readTerminalQr(code: string): string {
  // deno-lint-ignore no-control-regex
  const lines = code.replaceAll(/\x1b\[[\d;]*m/g, "").split("\n");
  const width = Math.max(...lines.map((line) => line.length));
  const rows = lines.flatMap((line) => {
    const halves = [...line.padEnd(width)].map((character) => HALVES[character]);
    return [halves.map(([upper]) => upper), halves.map(([, lower]) => lower)];
  });
  const data = new Uint8Array(width * rows.length * SCALE * SCALE * 4);
  for (let y = 0, at = 0; y < rows.length * SCALE; y++) {
    for (let x = 0; x < width * SCALE; x++, at += 4) {
      const isLight = rows[Math.floor(y / SCALE)][Math.floor(x / SCALE)];
      data.set(isLight ? [255, 255, 255, 255] : [0, 0, 0, 255], at);
    }
  }
  return decodeQR({ width: width * SCALE, height: rows.length * SCALE, data });
}
