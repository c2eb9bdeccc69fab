/** Folder pages in Chromium: search, galleries and the viewer, with and without scripts. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { basename } from "@std/path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { axeFindings, BROWSER, painted, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  colorScheme: "dark",
  hasTouch: true,
  isMobile: true,
};

/** A one-pixel image. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function serving(use: (root: string, url: string, browser: Browser) => Promise<void>) {
  await temporary(async (root) => {
    await using program = new Program(["--files", root, "--files-port", "0"], { env: { DISPLAY: "" } });
    const url = await program.filesUrl();
    await withBrowser((browser) => use(root, url, browser));
  });
}

function picture(path: string) {
  Deno.writeFileSync(path, Uint8Array.fromBase64(PIXEL));
}

/** A page that counts scripts that are blocked or fail. */
async function newPage(context: BrowserContext): Promise<{ page: Page; problems: string[] }> {
  const page = await context.newPage(), problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  return { page, problems };
}

async function shownNames(page: Page): Promise<string[]> {
  const names = await page.locator("tbody tr:visible td:first-child a").allTextContents();
  return names.filter((name) => name !== "../");
}

Deno.test(
  { ...BROWSER, name: "with scripts the list narrows as you type, and Enter asks the server" },
  async () => {
    await serving(async (root, url, browser) => {
      for (const name of ["Beach 1.jpg", "Beach 2.jpg", "Ébène.txt", "z.txt"]) {
        await Deno.writeTextFile(`${root}/${name}`, "");
      }
      await Deno.mkdir(`${root}/sub/deep`, { recursive: true });
      await Deno.writeTextFile(`${root}/sub/deep/beach house.txt`, "");
      const { page, problems } = await newPage(await browser.newContext(DESK));
      await page.goto(`${url}/`);
      await painted(page);
      await page.keyboard.press("/");
      await page.keyboard.type("eben");
      assertEquals(await shownNames(page), ["Ébène.txt"]);
      assertEquals(await page.locator(".summary").innerText(), "1 of 5 entries");
      await page.keyboard.press("Escape");
      assertEquals((await shownNames(page)).length, 5);
      assertEquals(await page.locator(".summary").innerText(), "1 folder, 4 files, 0 B");
      await page.keyboard.type("2 beach");
      assertEquals(await shownNames(page), ["Beach 2.jpg"]);
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=2\+beach/);
      assertEquals(await shownNames(page), ["Beach 2.jpg"]);
      await page.getByRole("link", { name: "All entries" }).click();
      await page.waitForURL(`${url}/`);
      await page.getByRole("searchbox").fill("beach");
      await page.getByRole("checkbox", { name: "in folders below" }).check();
      await page.getByRole("searchbox").press("Enter");
      await page.waitForURL(/deep/);
      assertEquals(await shownNames(page), ["Beach 1.jpg", "Beach 2.jpg", "sub/deep/beach house.txt"]);
      await page.getByRole("button", { name: "Size" }).click();
      await page.waitForURL(/sort=size/);
      assertEquals((await shownNames(page)).length, 3);
      await page.getByRole("link", { name: "sub/deep/beach house.txt" }).click();
      await page.waitForURL(`${url}/sub/deep/beach%20house.txt`);
      assertEquals(problems, []);
    });
  },
);

Deno.test(
  { ...BROWSER, name: "without scripts a person can search, view, go to the next file and download" },
  async () => {
    await serving(async (root, url, browser) => {
      for (const name of ["a.png", "b #1.png"]) picture(`${root}/${name}`);
      await Deno.writeTextFile(`${root}/notes.txt`, "some text");
      const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false });
      const { page } = await newPage(context);
      await page.goto(`${url}/`);
      await painted(page);
      await page.getByRole("searchbox").fill("NOTES");
      const tap = async (role: "button" | "link", name: string, url: string | RegExp) => {
        await page.getByRole(role, { name }).tap();
        await page.waitForURL(url);
      };
      await page.getByRole("searchbox").press("Enter");
      await page.waitForURL(/q=NOTES/);
      assertEquals(await shownNames(page), ["notes.txt"]);
      await tap("button", "View", `${url}/notes.txt?view=`);
      assertEquals(await page.locator("pre").innerText(), "some text");
      await tap("link", basename(root), `${url}/`);
      await tap("button", "Gallery", `${url}/?view=gallery`);
      assertEquals(await page.locator(".tiles a").allInnerTexts(), ["a.png", "b #1.png"]);
      await tap("link", "a.png", /a\.png/);
      await tap("link", "Next →", /b%20%231\.png/);
      assertEquals(await page.locator("h1").innerText(), "b #1.png");
      await until(async () => await page.evaluate("document.images[0].naturalWidth") === 1);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download" }).tap(),
      ]);
      assertEquals(download.suggestedFilename(), "b #1.png");
      await tap("link", basename(root), `${url}/?view=gallery`);
      await tap("button", "List", /view=list/);
      const row = page.getByRole("row", { name: "notes.txt" });
      const [second] = await Promise.all([
        page.waitForEvent("download"),
        row.getByRole("button", { name: "Download" }).tap(),
      ]);
      assertEquals(await Deno.readTextFile((await second.path())!), "some text");
      assertMatch(await row.innerText(), /\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    });
  },
);

Deno.test(
  { ...BROWSER, name: "sizes and times follow the reader's language and time zone" },
  async () => {
    await serving(async (root, url, browser) => {
      await Deno.writeFile(`${root}/film.bin`, new Uint8Array(2.5 * 1024 * 1024));
      await Deno.utime(`${root}/film.bin`, 0, Date.UTC(2026, 7, 1, 12, 30) / 1000);
      const context = await browser.newContext({ ...DESK, locale: "de-DE", timezoneId: "Europe/Berlin" });
      const { page, problems } = await newPage(context);
      await page.goto(`${url}/`);
      const cells = page.locator("tbody td");
      await until(async () => await cells.nth(2).innerText() === "01.08.2026, 14:30");
      assertEquals(await cells.nth(1).innerText(), "2,5 MiB");
      assertEquals(await page.locator(".summary").innerText(), "1 file, 2,5 MiB");
      assertEquals(await cells.nth(2).getAttribute("title"), "2026-08-01 12:30 UTC");
      assertEquals(problems, []);
    });
  },
);

Deno.test({ ...BROWSER, name: "a gallery loads the images that are visible" }, async () => {
  await serving(async (root, url, browser) => {
    for (let i = 100; i < 500; i++) picture(`${root}/${i}.png`);
    const { page, problems } = await newPage(await browser.newContext(PHONE));
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).pathname));
    await page.goto(`${url}/?view=gallery`);
    await until(() => asked.has("/100.png"));
    await page.waitForLoadState("networkidle");
    assert(!asked.has("/499.png"), "the last picture is loaded");
    await until(async () => {
      await page.keyboard.press("End");
      return asked.has("/499.png");
    });
    assertEquals(problems, []);
  });
});

Deno.test(
  { ...BROWSER, name: "arrow keys and swipes lead to the next image, and Escape to the gallery" },
  async () => {
    await serving(async (root, url, browser) => {
      for (const name of ["1.png", "2.png", "3.png"]) picture(`${root}/${name}`);
      const { page, problems } = await newPage(await browser.newContext(PHONE));
      await page.goto(`${url}/?view=gallery`);
      await page.getByRole("link", { name: "1.png" }).tap();
      // The script listens once the page is loaded.
      const at = async (name: string) => {
        await page.waitForURL(`${url}/${name}?view=gallery`);
        await painted(page);
      };
      await at("1.png");
      await page.keyboard.press("ArrowRight");
      await at("2.png");
      await swipe(page, 300, 60);
      await at("3.png");
      await swipe(page, 60, 300);
      await at("2.png");
      await page.keyboard.press("ArrowLeft");
      await at("1.png");
      await page.keyboard.press("ArrowLeft"); // already at the first image
      await page.keyboard.press("Escape");
      await page.waitForURL(`${url}/?view=gallery`);
      assertEquals(problems, []);
    });
  },
);

/** Moves a finger sideways, as trusted browser input. */
async function swipe(page: Page, from: number, to: number) {
  const session = await page.context().newCDPSession(page);
  const touch = async (type: string, x?: number) =>
    await session.send("Input.dispatchTouchEvent", {
      type: type as "touchStart",
      touchPoints: x === undefined ? [] : [{ x, y: 500 }],
    });
  await touch("touchStart", from);
  for (let step = 1; step <= 5; step++) await touch("touchMove", from + (to - from) * step / 5);
  await touch("touchEnd");
}

Deno.test(
  { ...BROWSER, name: "all pages fit a desktop and a phone in dark mode, and pass axe" },
  async () => {
    await serving(async (root, url, browser) => {
      const long = "a-holiday-video-with-a-long-name-and-no-blank-2026-08-01";
      for (const name of ["1.png", `${long}.png`]) picture(`${root}/${name}`);
      await Deno.writeTextFile(`${root}/${long}.ts`, `${"x".repeat(500)}\n`.repeat(100));
      await Deno.writeFile(`${root}/film.mp4`, new Uint8Array(100));
      await Deno.mkdir(`${root}/${long}/empty`, { recursive: true });
      const paths = [
        "/",
        `/${long}/`,
        "/?view=gallery",
        "/1.png?view=gallery",
        `/${long}.ts?view`,
        "/film.mp4?view",
        "/?q=png&deep",
      ];
      for (const options of [DESK, PHONE]) {
        const { page } = await newPage(await browser.newContext(options));
        for (const path of paths) {
          await page.goto(`${url}${path}`);
          const width = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
          assert(width as number <= 0, `${path} is wider than the window by ${width}`);
          assertEquals(await axeFindings(page), [], path);
        }
        await page.context().close();
      }
    });
  },
);
