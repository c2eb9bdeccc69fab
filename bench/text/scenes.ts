/**
 * Scenes of the test set, in many fonts, sizes and themes, each shown by a real program in a screen corner.
 */

import { fromFileUrl } from "@std/path";
import { type Browser, chromium } from "playwright-core";
import { until } from "../../tests/support/shell.ts";
import type { Xvfb } from "../../tests/support/xvfb.ts";
import { pageOf, WORDS_OF_PAGE } from "./page.ts";
import { textsOf } from "./texts.ts";

/** A word shown by a program, and its position, in screen pixels. */
export interface Word {
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A scene shown until disposed of. */
interface Shown extends AsyncDisposable {
  words: Word[];
}

export interface Scene {
  kit: string;
  name: string;
  show(server: Xvfb): Promise<Shown>;
}

/** Theme, size in pixels, font. */
const PAGES: [string, number, string][] = [
  ["white", 13, "Open Sans"],
  ["white", 11, "Roboto"],
  ["white", 15, "Lato"],
  ["white", 12, "DejaVu Serif"],
  ["white", 12, "Nimbus Sans"],
  ["paper", 12, "Cantarell"],
  ["paper", 14, "C059"],
  ["paper", 16, "Roboto"],
  ["night", 12, "Open Sans"],
  ["night", 13, "Lato"],
  ["night", 11, "Liberation Sans"],
  ["night", 15, "DejaVu Sans Mono"],
  ["plum", 13, "Cantarell"],
  ["plum", 12, "Roboto"],
  ["mint", 13, "Nimbus Roman"],
  ["mint", 18, "Lato"],
  ["contrast", 14, "Open Sans"],
  ["contrast", 12, "P052"],
];

/** Version, theme, dark, font, size in points, smooth. */
const GTK: [number, string, boolean, string, number, boolean][] = [
  [3, "Adwaita", false, "Cantarell", 11, true],
  [3, "Adwaita", true, "Open Sans", 10, true],
  [3, "HighContrast", false, "Lato", 11, true],
  [3, "Adwaita", false, "DejaVu Serif", 9, true],
  [3, "Adwaita", false, "DejaVu Sans", 10, false],
  [4, "Adwaita", false, "Cantarell", 11, true],
  [4, "Adwaita", true, "Roboto", 10, true],
  [4, "Adwaita", false, "Nimbus Sans", 10, true],
];

/** Style, dark, font, size in points, smooth. */
const QT: [string, boolean, string, number, boolean][] = [
  ["Fusion", false, "Open Sans", 10, true],
  ["Fusion", true, "Cantarell", 10, true],
  ["Windows", false, "Lato", 9, true],
  ["Fusion", true, "Roboto", 11, true],
  ["Windows", false, "DejaVu Sans", 9, false],
  ["Fusion", false, "DejaVu Serif", 10, true],
];

/** Foreground, background, font, size in points. */
const XTERM: [string, string, string, number][] = [
  ["#e5e5e5", "#1c1c1c", "DejaVu Sans Mono", 11],
  ["#839496", "#002b36", "DejaVu Sans Mono", 10],
  ["#f8f8f2", "#272822", "Liberation Mono", 11],
  ["#222222", "#eeeeee", "Hack", 10],
  ["#ffb000", "#201000", "Nimbus Mono PS", 12],
];

/** Returns all scenes. */
export function scenes(browser: Browser): Scene[] {
  let number = 0;
  return [
    ...PAGES.map(([theme, size, font]): Scene => {
      const texts = textsOf(number++);
      return {
        kit: "Chromium",
        name: `${theme}, ${font} ${size} px`,
        show: () => showPage(browser, pageOf(texts, theme, size, font)),
      };
    }),
    ...GTK.map(([kit, theme, dark, font, size, smooth]): Scene => {
      const scene = { kit, theme, dark, font, size, smooth, texts: textsOf(number++) };
      const name = `${theme}${dark ? " dark" : ""}, ${font} ${size} pt${smooth ? "" : ", not smooth"}`;
      return { kit: `GTK ${kit}`, name, show: (server) => showScript(server, "gtk.py", scene) };
    }),
    ...QT.map(([theme, dark, font, size, smooth]): Scene => {
      const scene = { theme, dark, font, size, smooth, texts: textsOf(number++) };
      const name = `${theme}${dark ? " dark" : ""}, ${font} ${size} pt${smooth ? "" : ", not smooth"}`;
      return { kit: "Qt 5", name, show: (server) => showScript(server, "qt.py", scene) };
    }),
    ...XTERM.map(([foreground, background, font, size]): Scene => {
      const lines = textsOf(number++).terminal, colors = ["-fg", foreground, "-bg", background];
      return {
        kit: "xterm",
        name: `${foreground} on ${background}, ${font} ${size} pt`,
        show: (server) => showTerminal(server, lines, [...colors, "-fa", font, "-fs", String(size)]),
      };
    }),
  ];
}

/** Starts a browser that fills the screen. */
export async function openBrowser(server: Xvfb, width: number, height: number): Promise<Browser> {
  return await chromium.launch({
    executablePath: "/usr/bin/chromium",
    headless: false,
    env: { ...Deno.env.toObject(), ...server.env },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--kiosk",
      "--window-position=0,0",
      `--window-size=${width},${height}`,
    ],
  });
}

/** The position of the page on the screen, inside the window's frame and bars. */
const PLACE_OF_PAGE = "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]";

async function showPage(browser: Browser, html: string): Promise<Shown> {
  const page = await browser.newPage({ viewport: null });
  await page.setContent(html);
  await page.evaluate("document.fonts.ready");
  const words = await page.evaluate(WORDS_OF_PAGE) as Word[];
  const [left, top] = await page.evaluate(PLACE_OF_PAGE) as number[];
  for (const word of words) {
    word.x += left;
    word.y += top;
  }
  return { words, [Symbol.asyncDispose]: () => page.close() };
}

/** Starts a script in this folder, which receives a scene and prints the words. */
async function showScript(server: Xvfb, name: string, scene: unknown): Promise<Shown> {
  const child = new Deno.Command("/usr/bin/python3", {
    args: [fromFileUrl(new URL(name, import.meta.url))],
    env: { ...server.env, GSK_RENDERER: "cairo", NO_AT_BRIDGE: "1", GTK_A11Y: "none", QT_ACCESSIBILITY: "0" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(scene)));
  await writer.close();
  let printed = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    if (printed.endsWith("\n")) break;
  }
  return {
    words: JSON.parse(printed),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
    },
  };
}

const BORDER = 4;

async function showTerminal(server: Xvfb, lines: string[], options: string[]): Promise<Shown> {
  const print = `printf '\\033[?25l'; printf '%s\\n' ${
    lines.map((line) => `"\${${lines.indexOf(line)}}"`).join(" ")
  }`;
  const window = ["-geometry", "80x14+0+0", "-b", String(BORDER), "-bw", "0", "+sb", ...options];
  const terminal = server.spawn("xterm", ...window, "-e", "sh", "-c", `${print}; sleep 600`, ...lines);
  const id = await server.window("--class", "XTerm");
  const hints = await until(
    () => server.run("xprop", "-id", id, "WM_NORMAL_HINTS"),
    (hints) => hints.includes("resize increment"),
  );
  const [, across, down] = /resize increment: (\d+) by (\d+)/.exec(hints)!.map(Number);
  const words = lines.flatMap((line, row) =>
    [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
      text,
      x: BORDER + index * across,
      y: BORDER + row * down,
      width: text.length * across,
      height: down,
    }))
  );
  return { words, [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose]() };
}
