/** The page around the live view: the log, view-only mode, full screen, a lost connection. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { choose, click, history, lastAction, opened, placeOf, shows, VIRTUAL, withPage } from "./page.ts";

/** The live view's size on the page. */
async function sizeOf(page: Page): Promise<[width: number, height: number]> {
  return await page.evaluate(`(() => {
    const { width, height } = document.querySelector("#screen").getBoundingClientRect();
    return [width, height];
  })()`);
}

Deno.test({
  name: "the log starts folded, a dot marks new lines, and the choice survives a reload",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page }) => {
    await page.setViewportSize({ width: 1500, height: 800 });
    const news = "document.querySelector('#show-log').classList.contains('news')";
    assertEquals([await page.isVisible("#log"), await page.evaluate(news)], [false, false]);
    await click(page, 40, 40);
    await shows(page, news);
    const [, before] = await sizeOf(page);
    await choose(page, "#show-log");
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
  name: "in view-only mode nothing reaches the desktop, and held keys are released",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page, url }) => {
    await click(page, 40, 40);
    await page.keyboard.down("Shift");
    await lastAction(url, { key: "shift" });
    await choose(page, "#looking");
    await lastAction(url, { key: "shift", down: false });
    assertEquals(await page.textContent("#state"), "Connected, view only");
    for (const id of ["#keyboard", "#clipboard", "#recorder", "#done"]) {
      assertEquals(await page.isVisible(id), false, id);
    }
    const before = (await history(url)).length;
    await click(page, 100, 50);
    await page.keyboard.press("a");
    await choose(page, "#looking");
    assertEquals(await page.textContent("#state"), "Connected");
    await click(page, 60, 60); // it comes after what was sent before
    const since = await until(
      async () => (await history(url)).slice(before),
      (actions) => actions.at(-1)?.down === false,
    );
    assertEquals(since.filter(({ type }) => type !== "move").map(({ x, y }) => [x, y]), [[60, 60], [60, 60]]);
  });
});

Deno.test({
  name: "full screen shows the desktop as large as possible, a handle opens the bar, the keys are locked",
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
  name: "a lost connection dims the view with a message and the time, and recovers by itself",
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
    // Like a phone that left the network: the socket stays open, and requests fail.
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
      await page.addInitScript("window.WebSocket = class { static OPEN = 1; close() {} };"); // never opens
      await page.goto(await program.controlUrl());
      await shows(page, "document.querySelector('#state').textContent === 'Connecting'");
      assertEquals([await page.isVisible("#screen"), await page.isVisible("#hint")], [false, false]);
      const other = await opened(browser, await program.controlUrl());
      assertEquals([await other.isVisible("#screen"), await other.isVisible("#hint")], [true, true]);
    });
  },
);

Deno.test({ name: "a screen that is smaller than the window is enlarged to fit", ...BROWSER }, async () => {
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
    // If little more than its own size fits, it has that size, and is sharp.
    await page.setViewportSize({ width: 1326, height: 1500 });
    await until(() => sizeOf(page), ([width, height]) => width === 1280 && height === 720);
  });
});

Deno.test({
  name: "each tool is labelled from 768 pixels on, and 100 % is next to Fit",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page }) => {
    for (const width of [768, 1000, 1088, 1089, 1440, 1920]) {
      await page.setViewportSize({ width, height: 700 });
      const [words, isWhole] = await page.evaluate(`(() => {
        const buttons = [...document.querySelectorAll("header button")].filter((it) => it.checkVisibility());
        const { scrollWidth, clientWidth } = document.querySelector("header");
        return [buttons.map((it) => it.innerText.trim() || it.ariaLabel), scrollWidth <= clientWidth];
      })()`) as [string[], boolean];
      assertEquals(
        [words.join(), isWhole],
        ["Fit,100 %,Clipboard,Keyboard,Full screen,Menu", true],
        `${width}`,
      );
    }
    await page.click("#more"); // whose labels fit their buttons
    assertEquals(
      await page.evaluate(`[...document.querySelectorAll("#tools button")].filter((it) =>
        it.checkVisibility() && it.scrollWidth > it.clientWidth).map((it) => it.innerText)`),
      [],
    );
    await page.keyboard.press("Escape");
    const chosen = () =>
      page.evaluate(`[...document.querySelectorAll("#zoom [aria-pressed=true]")].map((it) => it.id).join()`);
    assertEquals(await chosen(), "zoom-fit");
    await page.click("#zoom-actual");
    assertEquals([await sizeOf(page), await chosen()], [[1280, 720], "zoom-actual"]);
    await choose(page, "#zoom-in");
    assertEquals([await page.textContent("#zoom-percent"), await chosen()], ["125 %", ""]);
    assertEquals(await sizeOf(page), [1600, 900]);
    await page.click("#zoom-fit");
    assertEquals(await chosen(), "zoom-fit");
    const [fitted] = await sizeOf(page);
    assertEquals(await page.textContent("#zoom-percent"), `${Math.round(100 * fitted / 1280)} %`);
  });
});

Deno.test({
  name: "one popover at a time opens under its button; Escape or an outside click closes it, focus returns",
  ...BROWSER,
}, async () => {
  await withPage(async ({ page }) => {
    const open = () =>
      page.evaluate(`[...document.querySelectorAll(":popover-open")].map((it) => it.id).join()`) as Promise<
        string
      >;
    // The browser announces a popover's change after it, in a task of its own.
    const expanded = (button: string, isOpen: boolean) =>
      `document.querySelector("${button}").ariaExpanded === "${isOpen}"`;
    const opens = async (id: string, button: string) => {
      await until(open, (ids) => ids === id);
      const panel = (await page.locator(`#${id}`).boundingBox())!,
        at = (await page.locator(button).boundingBox())!;
      assertEquals([panel.y >= at.y + at.height, panel.y < at.y + at.height + 16], [true, true], id);
      assertEquals(
        Math.abs(panel.x + panel.width - at.x - at.width) < 1,
        true,
        `${id} ends where its button does`,
      );
      await shows(page, expanded(button, true));
      await shows(page, `document.querySelector("#${id}").contains(document.activeElement)`);
    };
    const returned = async (button: string) => {
      await until(open, (ids) => ids === "");
      await shows(page, `document.activeElement === document.querySelector("${button}")`);
      await shows(page, expanded(button, false));
    };
    const before = await sizeOf(page);
    await page.click("#clipboard");
    await opens("clipboard-panel", "#clipboard");
    assertEquals(await sizeOf(page), before); // no popover displaces the live view
    await page.keyboard.press("Escape");
    await returned("#clipboard");
    await page.click("#clipboard");
    await opens("clipboard-panel", "#clipboard");
    await page.click("#more");
    await opens("tools", "#more");
    await shows(page, expanded("#clipboard", false));
    for (const name of ["share", "trace"]) {
      await choose(page, `#${name}`);
      await opens(`${name}-panel`, "#more");
      await page.keyboard.press("Escape");
      await returned("#more");
    }
    await page.click("#more");
    await opens("tools", "#more");
    await page.click("header", { position: { x: 300, y: 4 } });
    await returned("#more");
    await page.click("#more");
    await opens("tools", "#more");
    await page.click("#more");
    await returned("#more");
  });
});

Deno.test({ name: "the hint disappears by itself", ...BROWSER }, async () => {
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
