/** Verdicts in the page's log, of a real X server. */

import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { Xvfb } from "../support/xvfb.ts";
import { click, shows } from "./page.ts";

const NEEDED = need("Xvfb", "xterm", "xdotool");

const lines = (page: Page) => page.locator("#log li").count();
const verdicts = (page: Page) => page.locator("#log .verdict").allTextContents();

Deno.test({
  name: "lines of the open log say what did nothing, and lines of the folded one are not observed",
  ...BROWSER,
  ignore: BROWSER.ignore || NEEDED.ignore,
}, async () => {
  await withBrowser(async (browser) => {
    await using server = await Xvfb.start({ width: 800, height: 600 });
    await using _terminal = server.spawn("xterm", "-geometry", "60x20+0+0", "-e", "cat");
    await server.window("--class", "xterm");
    await using program = new Program(["--http", "0"], { env: server.env });
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const sent: { type: string; observe?: number; on?: boolean }[] = [], seen: string[] = [];
    page.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => typeof payload === "string" && sent.push(JSON.parse(payload)));
      socket.on("framereceived", ({ payload }) => {
        const { type, verdict } = typeof payload === "string"
          ? JSON.parse(payload)
          : { type: "", verdict: "" };
        if (type === "seen") seen.push(verdict);
      });
    });
    await page.goto(await program.controlUrl());
    await shows(page, "document.querySelector('#screen').width === 800");
    await click(page, 750, 550);
    await until(() => lines(page), (count) => count === 1);
    assertEquals(sent.filter(({ type, observe }) => type === "watch" || observe), []);
    await page.click("#show-log");
    await click(page, 760, 560); // on nothing
    await until(() => verdicts(page), ([verdict]) => verdict === "miss: nothing changed");
    await click(page, 100, 100); // the terminal gets the keys
    await until(() => seen.length === 2);
    await page.keyboard.press("a");
    await until(() => seen.length === 3);
    assertEquals([seen[0], seen[2]], ["miss", "hit"]);
    assertEquals(await page.locator("#log li").last().locator(".verdict").count(), 0);
    await page.click("#show-log");
    await until(
      () => sent.filter(({ type }) => type === "watch").map(({ on }) => on),
      ({ length }) => length === 2,
    );
  });
});
