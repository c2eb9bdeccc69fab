/**
 * A real Chromium: its headless shell, the same engine without windows, which would take half the CPU time.
 */

import axe from "axe-core";
import { type Browser, chromium, firefox, type Page } from "playwright-core";
import decodeQR from "qr/decode";
import { need } from "./need.ts";
import { until } from "./shell.ts";
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

/** Waits until a page is painted: before, Chromium drops keys and touches. */
export async function painted(page: Page): Promise<void> {
  await until(() => page.evaluate("performance.getEntriesByName('first-paint').length > 0"));
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

// Reads QR codes shown by a page.

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

// Traces opened in browsers.

/** Opens a trace as a user does, and waits until it is read completely. */
export async function opened(
  browser: Browser,
  file: string,
  options = {},
): Promise<Page & { errors: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1300, height: 800 }, ...options });
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => request.url().startsWith("file:") || errors.push(request.url()));
  await page.goto(`file://${file}`);
  await until(() => page.evaluate("performance.getEntriesByName('read').length > 0"));
  return Object.assign(page, { errors });
}

/** The texts in a trace's list. */
export async function rows(page: Page): Promise<string[]> {
  return await page.evaluate(
    "[...document.querySelectorAll('.row')].map((row) => row.innerText.replace(/\\s+/g, ' '))",
  );
}
