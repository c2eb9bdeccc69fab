/** Drags of a card on a page, which the browser begins and ends only after the page has answered. */

import { assertEquals } from "@std/assert";
import { openWindow } from "../../support/browser.ts";
import { ElementsStage, STAGE } from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";

const PAGE = new URL("../../support/cards.html", import.meta.url).href;
/** Number of drags, back and forth. */
const DRAGS = 4;
/** An x between the two columns, in pixels. */
const MIDDLE = 290;

Deno.test("a page's card arrives where it is dragged", {
  ignore: STAGE.ignore || need("chromium").ignore,
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using stage = await ElementsStage.start();
  await stage.post("/api/elements", { enabled: true });
  const browser = await openWindow(stage, "--force-renderer-accessibility");
  try {
    const page = await browser.newPage({ viewport: null });
    await page.goto(PAGE);
    const card = async () =>
      (await stage.list("title=Cards&limit=500")).find(({ name, value }) => (name || value) === "Card one");
    /** The card's position, once the elements report it where the page has it. */
    const shownIn = (place: string) =>
      until(card, (shown) => shown !== undefined && (shown.x < MIDDLE) === (place === "todo"));
    await shownIn("todo");
    const placeOf = () => page.evaluate<string>(`document.getElementById("card").parentNode.id`);
    for (let i = 0; i < DRAGS; i++) {
      const [start, end, to] = i % 2 ? ["done", "todo", -280] as const : ["todo", "done", 280] as const;
      const { x, y, height } = (await shownIn(start))!;
      const from = { x: x + 20, y: y + (height >> 1) };
      const { error } = await stage.post("/api/drag", { from, to: { x: from.x + to, y: from.y } });
      assertEquals(error, undefined);
      await until(placeOf, (place) => place === end);
    }
  } finally {
    await browser.close();
  }
});
