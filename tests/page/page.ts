/** The page in a browser, and the desktop that it controls. */

import type { Browser, Page, Route } from "playwright-core";
import { withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";

/** Options of a program with a virtual desktop. */
export const VIRTUAL = ["--desktop", "virtual", "--http", "0"];

/** Opens the page and waits for the first picture. */
export async function opened(
  browser: Browser,
  url: string,
  viewport = { width: 1200, height: 900 },
): Promise<Page> {
  const page = await browser.newPage({ viewport, ignoreHTTPSErrors: true });
  page.on("pageerror", (error) => {
    throw error;
  });
  await page.goto(url);
  await shows(page, "document.querySelector('#screen').width > 16");
  return page;
}

/** An action as a virtual desktop logs it. */
type Told = Record<string, unknown>;

/** A virtual desktop's log. */
export async function history(url: string): Promise<Told[]> {
  return (await (await fetch(`${url}/api/history`)).json()).actions;
}

/** Waits until the last action in a virtual desktop's log has these fields. */
export async function lastAction(url: string, fields: Told): Promise<void> {
  await until(
    async () => (await history(url)).at(-1) ?? {},
    (last) => Object.entries(fields).every(([name, value]) => last[name] === value),
  );
}

/** Waits until an expression is true in the page, whose policy forbids Playwright's own way of waiting. */
export async function shows(page: Page, expression: string): Promise<void> {
  await until(() => page.evaluate(expression).catch(() => false));
}

/**
 * Answers a page's requests in the server's place. Chromium may send requests past a route that was just set,
 * until the page's process knows of it; here the route is in force when this resolves.
 */
export async function route(
  page: Page,
  path: string,
  answer: (route: Route) => Promise<void>,
): Promise<void> {
  await page.route("**/is-routed", (route) => route.fulfill({ status: 204 }));
  await page.route(path, answer);
  await shows(page, "fetch('/is-routed').then(({ status }) => status === 204)");
}

/** Converts a desktop pixel to a position on the page. */
export async function placeOf(page: Page, x: number, y: number): Promise<{ x: number; y: number }> {
  const [box, width, height] = await page.evaluate(`(() => {
    const c = document.querySelector('#screen'), b = c.getBoundingClientRect();
    return [{ x: b.x, y: b.y, width: b.width, height: b.height }, c.width, c.height];
  })()`) as [{ x: number; y: number; width: number; height: number }, number, number];
  return { x: box.x + (x + 0.5) * box.width / width, y: box.y + (y + 0.5) * box.height / height };
}

/** Clicks a desktop pixel. */
export async function click(page: Page, x: number, y: number, button: "left" | "right" | "middle" = "left") {
  const place = await placeOf(page, x, y);
  await page.mouse.click(place.x, place.y, { button });
}

/** Chooses a menu entry by its id. */
export async function choose(page: Page, id: string): Promise<void> {
  if (!await page.isVisible("#tools")) await page.click("#more");
  await page.click(`${id}:enabled`);
}

/** The page of a virtual desktop. */
interface Opened {
  page: Page;
  /** The control API's address. */
  url: string;
}

/** Opens the page of a virtual desktop, and ends the browser and deskhand afterwards. */
export async function withPage(use: (opened: Opened) => Promise<void>): Promise<void> {
  await using program = new Program(VIRTUAL); // starts at the same time as the browser
  await withBrowser(async (browser) => {
    const url = await program.controlUrl();
    await use({ page: await opened(browser, url), url });
  });
}

/**
 * Creates a function that returns the keys and texts that the desktop received since the last call, once
 * there are enough.
 */
export function keysOf(url: string) {
  let seen = 0;
  return async (length: number): Promise<unknown[]> => {
    const all = async () => (await history(url)).filter(({ type }) => type === "key" || type === "text");
    const actions = (await until(all, (all) => all.length >= seen + length)).slice(seen);
    seen += actions.length;
    return actions.map(({ key, down, text }) => text ?? `${down ? "+" : "-"}${key}`);
  };
}

/** Opens the page and clicks the screen, so that it receives the keys. */
export function withKeys(
  use: (opened: Opened & { told: ReturnType<typeof keysOf> }) => Promise<void>,
): Promise<void> {
  return withPage(async (opened) => {
    await click(opened.page, 30, 30);
    await use({ ...opened, told: keysOf(opened.url) });
  });
}

/** An address of this machine that makes a page neither localhost nor TLS. */
export function otherAddress(): string | undefined {
  return Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  )
    ?.address;
}
