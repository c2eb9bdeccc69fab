/** Fingers on the live view: direct, as a trackpad, and in view-only mode. */

import { assert, assertEquals } from "@std/assert";
import type { BrowserContextOptions } from "playwright-core";
import { axeFindings, BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { statusOf } from "../support/uploads.ts";
import { choose, history, placeOf, shows, VIRTUAL } from "./page.ts";
import { boxes, withPhone } from "./phone.ts";

/** A button that went down or up, as a virtual desktop logs it. */
interface Button {
  button: string;
  down: boolean;
  x: number;
  y: number;
}

Deno.test(
  {
    name: "a tap clicks, a long press right-clicks, a finger drags until another one comes",
    ...BROWSER,
  },
  async () => {
    await withPhone(async ({ page, url, touch, tap }) => {
      const place = await placeOf(page, 640, 360);
      const buttons = async (count: number) =>
        await until(
          async () => (await history(url)).filter(({ type }) => type === "button") as unknown as Button[],
          ({ length }) => length === count,
        );
      await tap(place);
      await buttons(2);
      await touch("touchStart", place);
      await buttons(4);
      await touch("touchEnd");
      // All sent together: a finger that rests for half a second means the right button.
      await Promise.all([
        touch("touchStart", place),
        touch("touchMove", { x: place.x + 60, y: place.y }),
        touch("touchMove", { x: place.x + 90, y: place.y }),
        touch("touchEnd"),
      ]);
      const all = await buttons(6);
      assertEquals(all.map(({ button, down }) => [button, down]), [
        ["left", true],
        ["left", false],
        ["right", true],
        ["right", false],
        ["left", true],
        ["left", false],
      ]);
      const scale = 1280 / (await boxes(page)).width, [down, up] = all.slice(-2);
      assert(Math.abs((up.x - down.x) - 90 * scale) <= scale * 2, `${down.x} to ${up.x}`);
      // A second finger ends a drag at the first one's position.
      const dragged = { x: place.x + 30, y: place.y };
      await Promise.all([touch("touchStart", place), touch("touchMove", dragged)]);
      await touch("touchStart", dragged, { x: place.x + 120, y: place.y + 50 });
      await touch("touchEnd");
      const drop = (await buttons(8)).at(-1)!;
      const dropped = await placeOf(page, drop.x, drop.y);
      assert(Math.hypot(dropped.x - dragged.x, dropped.y - dragged.y) < 2, `dropped at ${drop.x},${drop.y}`);
    });
  },
);

Deno.test(
  { name: "two fingers turn the wheel; spreading them zooms the view, and then pans it", ...BROWSER },
  async () => {
    await withPhone(async ({ page, url, touch }) => {
      const place = await placeOf(page, 640, 360);
      const turns = async () => (await history(url)).filter(({ type }) => type === "scroll");
      // Down the screen: back up. The first finger moves before the second one comes, which zooms nothing.
      const { width } = await boxes(page);
      const two = (y: number) => [{ x: place.x - 80, y }, { x: place.x + 40, y }];
      await touch("touchStart", place);
      await touch("touchMove", two(place.y)[0]);
      await touch("touchStart", ...two(place.y));
      for (let i = 1; i <= 4; i++) await touch("touchMove", ...two(place.y + i * 20));
      await touch("touchEnd");
      const notches = async () => (await turns()).reduce((sum, { amount }) => sum + Number(amount), 0);
      await until(notches, (sum) => sum === 2); // of 30 pixels each
      assertEquals((await turns()).every(({ direction }) => direction === "up"), true);
      assertEquals((await boxes(page)).width, width);
      const across = async () => await page.evaluate("document.querySelector('#stage').scrollLeft") as number;
      const right = { x: place.x + 100, y: place.y };
      const around = (by: number, dx = 0) => [
        { x: right.x - by + dx, y: right.y },
        { x: right.x + by + dx, y: right.y },
      ];
      assertEquals(await across(), 0);
      const before = await turns();
      await touch("touchStart", ...around(20));
      for (const by of [30, 40, 50, 60]) await touch("touchMove", ...around(by));
      await until(() => boxes(page), (now) => Math.abs(now.width / width - 3) < 0.01);
      const first = await across();
      assert(first > 100, `${first}`);
      for (const dx of [15, 30, 45]) await touch("touchMove", ...around(60, dx));
      await until(across, (left) => left < first - 30);
      assertEquals(await turns(), before);
      await touch("touchEnd");
    });
  },
);

Deno.test({
  name: "as a trackpad, a finger moves the pointer relatively, taps click there, a tap and a move drag",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page, url, touch, tap }) => {
    await page.tap("#more");
    await page.tap("#trackpad");
    assertEquals(await page.getAttribute("#trackpad", "aria-pressed"), "true");
    await statusOf(fetch(`${url}/api/move`, { method: "POST", body: '{"x":600,"y":300}' }));
    const buttons = async () => (await history(url)).filter(({ type }) => type === "button");
    // How long a finger rests distinguishes a tap from a long press: the page's clock runs as far as the test
    // says. To stop it, Playwright sets it forward, which passes the timeout of a request in flight; then the
    // page assumes that the connection is lost. So the page is reloaded, and never sees the jump.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.reload();
    await shows(page, "document.querySelector('#screen').width > 16");
    assertEquals(await page.getAttribute("#trackpad", "aria-pressed"), "true"); // the choice is remembered
    const { left, top } = await boxes(page), at = { x: left + 30, y: top + 30 };
    const swipe = async () => {
      await touch("touchStart", at);
      for (let i = 1; i <= 5; i++) await touch("touchMove", { x: at.x + i * 8, y: at.y });
      await touch("touchEnd");
    };
    await swipe();
    const position = async () =>
      await (await fetch(`${url}/api/position`)).json() as { x: number; y: number };
    const moved = await until(position, ({ x }) => x > 640);
    assertEquals(moved.y, 300); // not the finger's position
    // A tap clicks at the pointer.
    await tap({ x: at.x, y: at.y + 100 });
    await until(buttons, ({ length }) => length === 1);
    await page.clock.runFor(1000); // until no second touch is expected
    const [down, up] = await until(buttons, ({ length }) => length === 2);
    assertEquals([down.button, down.down, up.down, down.y], ["left", true, false, 300]);
    // A two-finger tap is the right button.
    await tap(at, { x: at.x + 60, y: at.y });
    const right = await until(buttons, ({ length }) => length === 4);
    assertEquals(right.slice(2).map(({ button, down }) => [button, down]), [["right", true], [
      "right",
      false,
    ]]);
    // A tap followed by a move drags.
    await tap(at);
    await touch("touchStart", at);
    for (let i = 1; i <= 4; i++) await touch("touchMove", { x: at.x, y: at.y + i * 10 });
    await touch("touchEnd");
    const drag = (await until(buttons, ({ length }) => length === 6)).slice(4) as {
      y: number;
      down: boolean;
    }[];
    assertEquals(drag.map(({ down }) => down), [true, false]);
    assert(drag[1].y > drag[0].y + 20, `${drag[0].y} to ${drag[1].y}`);
    // A resting finger is the right button.
    await touch("touchStart", at);
    await page.clock.runFor(1000);
    await touch("touchEnd");
    const rested = await until(buttons, ({ length }) => length === 8);
    assertEquals(rested.slice(6).map(({ button, down }) => [button, down]), [["right", true], [
      "right",
      false,
    ]]);
    // A server that does not report the pointer's position delays the finger only for a while.
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })"); // stops other requests
    await page.route("**/api/position", () => {});
    await page.clock.runFor(2000); // until the page asks for the position again
    const { x: before } = await position(), asked = page.waitForRequest("**/api/position");
    await swipe();
    await asked;
    await until(async () => {
      await page.clock.runFor(500);
      return await position();
    }, ({ x }) => x > before);
  });
});

Deno.test({
  name: "in view-only mode a finger pans the zoomed view, and nothing arrives",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page, url, touch }) => {
    await page.tap("#more");
    await page.tap("#looking");
    await page.tap("#more");
    for (let i = 0; i < 4; i++) await page.tap("#zoom-in");
    await page.tap("#more");
    const across = () => page.evaluate("document.querySelector('#stage').scrollLeft") as Promise<number>;
    const start = await until(across, (left) => left > 100);
    await touch("touchStart", { x: 200, y: 400 });
    for (let i = 1; i <= 4; i++) await touch("touchMove", { x: 200 - i * 15, y: 400 });
    await touch("touchEnd");
    await until(across, (left) => Math.abs(left - start - 60) < 2);
    assertEquals(await history(url), []);
  });
});

// axe-core finds nothing on the page: in light and dark, on a desktop and a phone, with each part open.

const PHONE = { hasTouch: true, isMobile: true };
/** Devices, each with a panel and the button that opens it. */
const DEVICES: [name: string, options: BrowserContextOptions, panel: string, button: string][] = [
  [
    "phone upright, light",
    { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: "light" },
    "#share-panel",
    "#share",
  ],
  [
    "phone on its side, dark",
    { ...PHONE, viewport: { width: 844, height: 390 }, colorScheme: "dark" },
    "#clipboard-panel",
    "#clipboard",
  ],
  [
    "desktop, light",
    { viewport: { width: 1200, height: 800 }, colorScheme: "light" },
    "#trace-panel",
    "#trace",
  ],
  [
    "desktop, dark",
    { viewport: { width: 1200, height: 800 }, colorScheme: "dark" },
    "#share-panel",
    "#share",
  ],
];

Deno.test({
  name: "axe finds nothing with each panel open, without a connection, and without a token",
  ...BROWSER,
}, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    await using guarded = new Program([...VIRTUAL, "--token", "a-token-of-the-page-tests"]);
    const url = await program.controlUrl(), guardedUrl = await guarded.controlUrl();
    for (const [device, options, panel, button] of DEVICES) {
      const page = await browser.newPage(options);
      await page.goto(url);
      await shows(page, "document.querySelector('#screen').width > 16");
      await page.click("#screen", { position: { x: 9, y: 9 } }); // a line in the log
      await page.click("#keyboard");
      await page.click("#keys [aria-expanded]");
      await page.click("#keys [aria-pressed]");
      if (button === "#clipboard") await page.click(button);
      else await choose(page, button);
      await page.waitForSelector(`${panel}:popover-open`);
      if (button === "#share") {
        await page.selectOption("#share-rights", "act");
        await page.click("#share-form button");
        await shows(page, "!document.querySelector('#share-made').hidden");
        await page.evaluate("document.querySelector('#share-qr').hidden = false");
      }
      assertEquals(await axeFindings(page), [], `${device}, ${panel}`);
      await page.click("#more");
      assertEquals(await axeFindings(page), [], `${device}, the menu`);
      if (options.isMobile) {
        await page.close();
        continue;
      }
      // As after a lost connection.
      await page.evaluate(
        `document.body.classList.add("lost"); document.querySelector("#lost").hidden = false`,
      );
      assertEquals(await axeFindings(page), [], `${device}, lost`);
      await page.goto(guardedUrl);
      await page.waitForSelector("#ask:not([hidden])");
      assertEquals(await axeFindings(page), [], `${device}, asking for the token`);
      await page.close();
    }
  });
});
