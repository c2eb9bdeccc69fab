/** The page around the picture: the log, only looking, full screen, a connection that is lost. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { click, history, lastAction, opened, placeOf, shows, VIRTUAL, withPage } from "./page.ts";

/** The size of the picture on the page. */
async function sizeOf(page: Page): Promise<[width: number, height: number]> {
  return await page.evaluate(`(() => {
    const { width, height } = document.querySelector("#screen").getBoundingClientRect();
    return [width, height];
  })()`);
}

Deno.test({
  name: "the log is folded at first, a dot tells of new lines, and the choice stays over a reload",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page }) => {
    await page.setViewportSize({ width: 1500, height: 800 });
    const news = "document.querySelector('#show-log').classList.contains('news')";
    assertEquals([await page.isVisible("#log"), await page.evaluate(news)], [false, false]);
    await click(page, 40, 40);
    await shows(page, news);
    const [, before] = await sizeOf(page);
    await page.click("#show-log");
    assertEquals([await page.isVisible("#log"), await page.evaluate(news)], [true, false]);
    assertEquals(await page.getAttribute("#show-log", "aria-expanded"), "true");
    await until(() => sizeOf(page), ([, height]) => height < before);
    await page.reload();
    await shows(page, "document.querySelector('#screen').width > 16");
    assertEquals(await page.isVisible("#log"), true);
    await page.click("#hide-log");
    assertEquals(await page.isVisible("#done"), false);
    await until(() => sizeOf(page), ([, height]) => height === before);
    await page.reload();
    await shows(page, "document.querySelector('#screen').width > 16");
    assertEquals(await page.isVisible("#done"), false);
  });
});

Deno.test({
  name: "while the person only looks, nothing reaches the desktop, and what was held is released",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page, url }) => {
    await click(page, 40, 40);
    await page.keyboard.down("Shift");
    await lastAction(url, { key: "shift" });
    await page.click("#looking");
    await lastAction(url, { key: "shift", down: false });
    assertEquals(await page.textContent("#state"), "Connected, only looking");
    for (const id of ["#keyboard", "#clipboard", "#recorder", "#done"]) {
      assertEquals(await page.isVisible(id), false, id);
    }
    const before = (await history(url)).length;
    await click(page, 100, 50);
    await page.keyboard.press("a");
    await page.click("#looking");
    assertEquals(await page.textContent("#state"), "Connected");
    await click(page, 60, 60); // it comes behind what was sent before
    const since = await until(
      async () => (await history(url)).slice(before),
      (actions) => actions.at(-1)?.down === false,
    );
    assertEquals(since.filter(({ type }) => type !== "move").map(({ x, y }) => [x, y]), [[60, 60], [60, 60]]);
  });
});

Deno.test({
  name:
    "in full screen the picture is as large as the screen, the bar comes by a handle, the keys are locked",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page }) => {
    await page.evaluate(`(() => {
      window.locks = [];
      for (const name of ["lock", "unlock"]) {
        Object.defineProperty(navigator.keyboard, name, { value: async () => { window.locks.push(name); } });
      }
    })()`);
    await page.click("#full");
    await shows(page, "document.fullscreenElement === document.documentElement");
    assertEquals(await page.isVisible("header"), false);
    assertEquals(
      await page.evaluate(
        `["body", "#stage"].map((it) => getComputedStyle(document.querySelector(it)).backgroundColor)`,
      ),
      ["rgb(0, 0, 0)", "rgb(0, 0, 0)"],
    );
    const window = await page.evaluate("[innerWidth, innerHeight]") as [number, number];
    const largest = Math.min(window[0] / 1280, window[1] / 720);
    await until(() => sizeOf(page), ([width]) => Math.abs(width - 1280 * largest) < 1);
    await shows(page, "window.locks.join() === 'lock'");
    await page.click("#handle");
    assertEquals(await page.isVisible("header"), true);
    assertEquals(await page.getAttribute("#full", "aria-pressed"), "true");
    const bottom = "document.querySelector('header').getBoundingClientRect().bottom";
    await shows(page, `document.querySelector('#handle').getBoundingClientRect().top >= ${bottom} - 1`);
    await page.click("#full");
    await shows(page, "document.fullscreenElement === null");
    assertEquals(await page.isVisible("header"), true);
    await shows(page, "window.locks.at(-1) === 'unlock'");
  });
});

Deno.test({
  name: "a lost connection dims the picture with a word and the time, and comes back by itself",
  ...BROWSER,
}, async () => {
  await withBrowser(async (browser) => {
    const first = new Program(VIRTUAL);
    const url = await first.controlUrl();
    const page = await opened(browser, url);
    assertEquals(await page.isVisible("#lost"), false);
    await first[Symbol.asyncDispose]();
    await page.waitForSelector("#lost:not([hidden])");
    assertMatch(await page.textContent("#lost") ?? "", /Connection lost/);
    const time = await page.textContent("#lost-since") ?? "";
    assertMatch(time, /^The picture is from \d+:\d\d:\d\d.*, \d+ s ago\. Trying again\.$/);
    await shows(page, "Number(getComputedStyle(document.querySelector('#screen')).opacity) < 0.5");
    await until(() => page.textContent("#lost-since"), (later) => later !== time); // it counts
    await using _second = new Program(["--desktop", "virtual", "--http", new URL(url).port]);
    await page.waitForSelector("#lost", { state: "hidden" });
    await shows(page, "getComputedStyle(document.querySelector('#screen')).opacity === '1'");
    assertEquals(await page.textContent("#state"), "Connected");
  });
});

Deno.test({
  name: "a server that no longer answers counts as lost, though its socket stays open",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page, url }) => {
    // As where a phone left the network: the socket stays open, and requests fail.
    await page.route("**/api/**", (route) => route.abort());
    await page.waitForSelector("#lost:not([hidden])");
    await page.unroute("**/api/**");
    await shows(page, "document.querySelector('#state').textContent === 'Connected'");
    assertEquals(await page.isVisible("#lost"), false);
    await click(page, 20, 30);
    await until(() => history(url), (actions) => actions.some(({ x, y }) => x === 20 && y === 30));
  });
});

Deno.test(
  { name: "before the first picture there is nothing to see, and nothing to click", ...BROWSER },
  async () => {
    await withBrowser(async (browser) => {
      await using program = new Program(VIRTUAL);
      const page = await browser.newPage();
      await page.addInitScript("window.WebSocket = class { static OPEN = 1; close() {} };"); // opens never
      await page.goto(await program.controlUrl());
      await shows(page, "document.querySelector('#state').textContent === 'Connecting'");
      assertEquals([await page.isVisible("#screen"), await page.isVisible("#hint")], [false, false]);
      const other = await opened(browser, await program.controlUrl());
      assertEquals([await other.isVisible("#screen"), await other.isVisible("#hint")], [true, true]);
    });
  },
);

Deno.test({ name: "a picture that is smaller than the window is enlarged to it", ...BROWSER }, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    const url = await program.controlUrl();
    const page = await opened(browser, url, { width: 2000, height: 1500 });
    await until(() => sizeOf(page), ([width]) => width > 1900);
    const place = await placeOf(page, 1279, 719);
    assert(place.x > 1900, `${place.x}`);
    await click(page, 1279, 719);
    await until(
      () => history(url),
      (actions) => actions.some(({ x, y, down }) => down && x === 1279 && y === 719),
    );
    // Where little more than its own size fits it has that, and is sharp.
    await page.setViewportSize({ width: 1326, height: 1500 });
    await until(() => sizeOf(page), ([width, height]) => width === 1280 && height === 720);
  });
});

Deno.test({ name: "each tool says in words what it is, from 1000 pixels on", ...BROWSER }, async () => {
  await withPage(async ({ page }) => {
    for (const width of [1000, 1440, 1536, 1537]) {
      await page.setViewportSize({ width, height: 700 });
      const [words, isWhole] = await page.evaluate(`(() => {
        const buttons = [...document.querySelectorAll("header button")].filter((it) => it.checkVisibility());
        const { scrollWidth, clientWidth } = document.querySelector("header");
        return [buttons.map((it) => it.innerText.trim()), scrollWidth <= clientWidth];
      })()`) as [string[], boolean];
      assertMatch(
        words.join(),
        /^\u2212,Fit \d+ %,\+,Only looking,Picture,Log,Clipboard,Share,Trace,Record,Keyboard,Full screen$/,
        `${width}`,
      );
      assertEquals(isWhole, true, `${width}`);
    }
    await page.click("#zoom-in");
    const percent = await page.textContent("#zoom-fit");
    const [width] = await sizeOf(page);
    assertEquals(percent, `${Math.round(100 * width / 1280)} %`);
    await page.click("#zoom-fit");
    assertMatch(await page.textContent("#zoom-fit") ?? "", /^Fit \d+ %$/);
  });
});

Deno.test({ name: "the hint goes by itself", ...BROWSER }, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(await program.controlUrl());
    await shows(page, "document.querySelector('#screen').width > 16");
    assertEquals(await page.isVisible("#hint"), true);
    await page.clock.runFor(8000);
    await shows(page, "getComputedStyle(document.querySelector('#hint')).visibility === 'hidden'");
  });
});
