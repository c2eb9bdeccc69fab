/**
 * Takes screenshots of the page for the docs: light, dark, and on a phone. The desktop is the virtual one,
 * with a stopped clock, so that the screenshots are reproducible. Requires Chromium and ImageMagick.
 *
 * `deno run -A --config tests/deno.json tools/page_pictures.ts [FOLDER]`
 */

import { fromFileUrl } from "@std/path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { shows } from "../tests/page/page.ts";
import { openBrowser } from "../tests/support/browser.ts";
import { Program } from "../tests/support/program.ts";

const FOLDER = Deno.args[0] ?? fromFileUrl(new URL("../docs/images/", import.meta.url));
const CLOCK = "2026-01-15T09:41";
const SIZE = { width: 1280, height: 720 };

const PICTURES: [name: string, options: BrowserContextOptions][] = [
  ["page-light", { viewport: { width: 1200, height: 860 }, colorScheme: "light" }],
  ["page-dark", { viewport: { width: 1200, height: 860 }, colorScheme: "dark" }],
  ["page-phone", {
    viewport: { width: 390, height: 780 },
    deviceScaleFactor: 2,
    colorScheme: "dark",
    hasTouch: true,
    isMobile: true,
  }],
];

/** Acts a little, so that the log has lines. */
async function work(page: Page): Promise<void> {
  const at = async (x: number, y: number) => {
    const box = (await page.locator("#screen").boundingBox())!;
    return { x: box.x + x * box.width / SIZE.width, y: box.y + y * box.height / SIZE.height };
  };
  const text = await at(600, 360), check = await at(1000, 590);
  await page.mouse.click(check.x, check.y);
  await page.mouse.click(text.x, text.y);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("This line came from the page.");
}

async function take(browser: Browser, url: string, name: string, options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url);
  await shows(page, "document.querySelector('#screen').width > 16");
  if (options.isMobile) {
    await page.locator("#screen").tap();
    await page.tap("#keyboard");
    await page.tap("#keys button:text-is('Ctrl')");
  } else await work(page);
  await fetch(`${url}/api/wait`, { method: "POST", body: '{"still":{"ms":700}}' });
  await page.waitForTimeout(700); // the last update of the picture
  const path = `${FOLDER}/${name}.png`;
  await page.screenshot({ path });
  await new Deno.Command("convert", { args: [path, "-strip", "+dither", "-colors", "255", `PNG8:${path}`] })
    .output();
  await context.close();
}

const browser = await openBrowser();
try {
  for (const [name, options] of PICTURES) {
    await using program = new Program(["--desktop", "virtual", "--http", "0"], {
      env: { DESKHAND_CLOCK: CLOCK },
    });
    await take(browser, await program.controlUrl(), name, options);
  }
} finally {
  await browser.close();
}
