/**
 * Takes the pictures of the page for the documents: light, dark, and on a phone. Needs Chromium.
 *
 * `deno run -A tools/page_pictures.ts`
 */

import { fromFileUrl } from "@std/path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openBrowser } from "../tests/support/browser.ts";
import { Program } from "../tests/support/program.ts";

const FOLDER = fromFileUrl(new URL("../docs/images/", import.meta.url));
const PICTURES: Record<string, BrowserContextOptions> = {
  "page-light": { viewport: { width: 1100, height: 760 }, colorScheme: "light" },
  "page-dark": { viewport: { width: 1100, height: 760 }, colorScheme: "dark" },
  "page-phone": {
    viewport: { width: 360, height: 740 },
    colorScheme: "dark",
    hasTouch: true,
    isMobile: true,
  },
};

async function take(browser: Browser, url: string, name: string, options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url);
  await page.locator("#state[data-state=connected]").waitFor();
  await page.locator("#screen").click({ position: { x: 90, y: 70 } });
  await page.keyboard.type("hello, desktop");
  await page.keyboard.press("Control+Shift+T");
  await page.mouse.wheel(0, 300);
  await new Promise((resolve) => setTimeout(resolve, 800)); // the last tiles
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
  await context.close();
}

const browser = await openBrowser();
try {
  for (const [name, options] of Object.entries(PICTURES)) {
    await using program = new Program(["--desktop", "virtual", "--http", "0"]);
    await take(browser, await program.controlUrl(), name, options);
  }
} finally {
  await browser.close();
}
