/** axe-core finds nothing on the page: in light and dark, on a desktop and a phone, with each part open. */

import { assertEquals } from "@std/assert";
import type { BrowserContextOptions } from "playwright-core";
import { axeFindings } from "../support/axe.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { shows, VIRTUAL } from "./page.ts";

const PHONE = { hasTouch: true, isMobile: true };
const DEVICES: [name: string, options: BrowserContextOptions][] = [
  ["desktop, light", { viewport: { width: 1200, height: 800 }, colorScheme: "light" }],
  ["desktop, dark", { viewport: { width: 1200, height: 800 }, colorScheme: "dark" }],
  ["phone upright, light", { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: "light" }],
  ["phone on its side, dark", { ...PHONE, viewport: { width: 844, height: 390 }, colorScheme: "dark" }],
];

Deno.test({
  name: "axe finds nothing on the page with all panels open, without a connection, and without a token",
  ...BROWSER,
}, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    await using guarded = new Program([...VIRTUAL, "--token", "a-token-of-the-page-tests"]);
    const url = await program.controlUrl(), guardedUrl = await guarded.controlUrl();
    for (const [name, options] of DEVICES) {
      const page = await browser.newPage(options);
      await page.goto(url);
      await shows(page, "document.querySelector('#screen').width > 16");
      await page.click("#screen", { position: { x: 9, y: 9 } }); // a line in the log
      await page.click("#keyboard");
      await page.click("#keys [aria-expanded]");
      await page.click("#keys [aria-pressed]");
      if (await page.isVisible("#more")) {
        await page.click("#more");
        await page.click("#clipboard");
        await page.click("#more");
        await page.click("#share");
        await page.click("#more");
        await page.click("#trace");
      } else {
        await page.click("#clipboard");
        await page.click("#share");
        await page.click("#trace");
      }
      await page.click("#share-form button");
      await shows(page, "!document.querySelector('#share-made').hidden");
      await page.click(await page.isVisible("#more") ? "#more" : "#show-recorder");
      assertEquals(await axeFindings(page), [], `${name}, all open`);
      if (options.isMobile) {
        await page.close();
        continue;
      }
      // As after a lost connection.
      await page.evaluate(
        `document.body.classList.add("lost"); document.querySelector("#lost").hidden = false`,
      );
      assertEquals(await axeFindings(page), [], `${name}, lost`);
      await page.goto(guardedUrl);
      await page.waitForSelector("#ask:not([hidden])");
      assertEquals(await axeFindings(page), [], `${name}, asking for the token`);
      await page.close();
    }
  });
});
