/** The page shows one display at a time of a compositor with two displays. */

import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { Sway } from "../support/sway.ts";
import { until } from "../support/until.ts";
import { shows } from "./page.ts";

/** The displays; one is left of the first, so that the desktop's places begin below zero. */
const OUTPUTS = [
  "output HEADLESS-1 resolution 800x600 position 0 0",
  "output HEADLESS-2 resolution 400x300 position -400 100",
];

/** The box of the shown picture, in pixels of the page. */
async function shown(page: Page) {
  return await page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector("#frame").getBoundingClientRect();
    return { x, y, width, height };
  })()`) as Record<"x" | "y" | "width" | "height", number>;
}

Deno.test({
  name: "one display at a time or all, a click reaches what is shown, and the choice is kept",
  ignore: BROWSER.ignore || need("sway", "swaymsg").ignore,
}, async () => {
  await using sway = await Sway.start({ outputs: OUTPUTS });
  await withBrowser(async (browser) => {
    await using program = new Program(["--http", "0"], { env: sway.env });
    const url = await program.controlUrl();
    const page = await browser.newPage({ viewport: { width: 1300, height: 800 } });
    await page.goto(url);
    await shows(page, "document.querySelector('#screen').width === 1200");
    await until(() => page.isVisible("#display"));
    const choices = await page.locator("#display option").allTextContents();
    assertEquals(choices.toSorted(), ["All displays", "HEADLESS-1", "HEADLESS-2"]);
    const ratioOf = async () => {
      const { width, height } = await shown(page);
      return Math.round(100 * width / height) / 100;
    };
    assertEquals(await ratioOf(), 2); // 1200x600
    const position = async () => {
      const { x, y } = await (await fetch(`${url}/api/position`)).json();
      return [x, y];
    };
    for (
      const [name, ratio, middle] of [
        ["HEADLESS-2", 1.33, [-200, 250]],
        ["HEADLESS-1", 1.33, [400, 300]],
        ["", 2, [200, 300]],
        ["HEADLESS-2", 1.33, [-200, 250]],
      ] as const
    ) {
      await page.selectOption("#display", name);
      await until(ratioOf, (now) => now === ratio);
      const { x, y, width, height } = await shown(page);
      await page.mouse.click(x + width / 2 + 0.5, y + height / 2 + 0.5);
      await until(position, ([x, y]) => Math.abs(x - middle[0]) <= 1 && Math.abs(y - middle[1]) <= 1);
    }
    const { width } = await shown(page);
    assertEquals(width > 800, true, `${width}: a small display is as large as the window lets it`);
    await page.reload();
    await shows(page, "document.querySelector('#display').value === 'HEADLESS-2'");
    await until(ratioOf, (now) => now === 1.33);
    if (Deno.env.get("DESKHAND_LOOK")) await page.screenshot({ path: Deno.env.get("DESKHAND_LOOK") });
  });
});
