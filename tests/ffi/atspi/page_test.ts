/** A page's elements compared with its DOM. */

import { assert } from "@std/assert";
import type { Page } from "playwright-core";
import { openWindow } from "../../support/browser.ts";
import { ElementsStage, STAGE, type StageElement } from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";

/** A page of 700 elements, and the minimum number of its 160 links that the window shows. */
const PAGE = new URL("../../../bench/elements/page.html", import.meta.url).href, SHOWN = 100;
/** Where the pointer is moved, so that the page reveals its position on the screen. */
const POINT = { x: 600, y: 400 };

/** A link on the page. */
interface Link {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Evaluated in the page, as text: the types here are not a browser's. */
const LINKS_OF = `[...document.querySelectorAll("a")].map((link) => {
  const { x, y, width, height } = link.getBoundingClientRect();
  return { name: link.textContent, x, y, width, height };
})`;
const WATCH_POINTER = `addEventListener("mousemove", ({ clientX, clientY }) => {
  globalThis.pointerAt = [clientX, clientY];
})`;

Deno.test("a page's links are where its DOM has them", {
  ignore: STAGE.ignore || need("chromium").ignore,
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using stage = await ElementsStage.start();
  await stage.post("/api/elements", { enabled: true }); // Chromium reads the switch on startup
  const browser = await openWindow(stage, "--force-renderer-accessibility");
  try {
    const page = await browser.newPage({ viewport: null });
    await page.goto(PAGE);
    await page.evaluate(WATCH_POINTER);
    // The browser's bars move the page for a while after startup: each attempt reads both again.
    const { elements } = await until(async () => {
      const origin = await originOf(stage, page);
      const byName = new Map((await page.evaluate<Link[]>(LINKS_OF)).map((link) => [link.name, link]));
      const elements = await stage.list("title=Shop&role=link&limit=20000");
      const away = elements.filter((element) => !(distance(element, byName.get(element.name), origin) <= 1));
      return { elements, away };
    }, ({ elements, away }) => elements.length > SHOWN && away.length === 0);
    assert(elements.some(({ x }) => x > elements[0].x + elements[0].width), "the page has columns");
  } finally {
    await browser.close();
  }
});

/** Finds the page's position on the screen from a pointer position that both page and screen report. */
async function originOf(stage: ElementsStage, page: Page): Promise<{ x: number; y: number }> {
  await page.evaluate("globalThis.pointerAt = undefined");
  const [x, y] = (await until(async () => {
    await stage.post("/api/move", { x: POINT.x - 1, y: POINT.y });
    await stage.post("/api/move", POINT);
    return await page.evaluate<[number, number] | undefined>("globalThis.pointerAt");
  }))!;
  return { x: POINT.x - x, y: POINT.y - y };
}

/** The greatest distance of an edge, in pixels; Infinity without such a link, NaN without a position. */
function distance(element: StageElement, link: Link | undefined, origin: { x: number; y: number }): number {
  if (!link) return Infinity;
  const edges = ({ x, y, width, height }: Omit<Link, "name">) => [x, y, x + width, y + height];
  const own = edges(element), other = edges({ ...link, x: link.x + origin.x, y: link.y + origin.y });
  return Math.max(...own.map((edge, i) => Math.abs(edge - other[i])));
}
