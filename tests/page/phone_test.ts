/** The page on a phone: touch, a trackpad, orientation, a keyboard that composes each word. */

import { assert, assertEquals } from "@std/assert";
import type { CDPSession, Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { history, shows, VIRTUAL } from "./page.ts";

const UPRIGHT = { width: 390, height: 844 }, LYING = { width: 844, height: 390 };

/** A phone with the page, of which a desktop in memory is shown. */
interface Phone {
  page: Page;
  url: string;
  session: CDPSession;
  /** Puts fingers on the glass, moves them, takes them off. */
  touch(type: "touchStart" | "touchMove" | "touchEnd", ...points: { x: number; y: number }[]): Promise<void>;
  /** Taps with fingers, however busy the machine is: both are sent at once, since a finger that rests is no tap. */
  tap(...points: { x: number; y: number }[]): Promise<void>;
}

async function withPhone(use: (phone: Phone) => Promise<void>): Promise<void> {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    const url = await program.controlUrl();
    const context = await browser.newContext({ viewport: UPRIGHT, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    await page.goto(url);
    await shows(page, "document.querySelector('#screen').width > 16");
    const session = await context.newCDPSession(page);
    const touch: Phone["touch"] = async (type, ...touchPoints) =>
      void await session.send("Input.dispatchTouchEvent", { type, touchPoints });
    const tap: Phone["tap"] = async (...points) =>
      void await Promise.all([touch("touchStart", ...points), touch("touchEnd")]);
    await use({ page, url, session, touch, tap });
  });
}

/** The window, and the picture's box in it. */
async function boxes(page: Page) {
  return await page.evaluate(`(() => {
    const { left, top, width, height } = document.querySelector("#screen").getBoundingClientRect();
    const root = document.documentElement;
    return { left, top, width, height, across: innerWidth, down: innerHeight, content: root.scrollWidth };
  })()`) as Record<"left" | "top" | "width" | "height" | "across" | "down" | "content", number>;
}

Deno.test({
  name:
    "a phone shows the picture as large as its glass, upright and on its side, and everything else by a button",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page }) => {
    const upright = await until(() => boxes(page), ({ width }) => width > 380);
    assertEquals([upright.width, upright.content], [390, 390]);
    await page.setViewportSize(LYING);
    const lying = await until(() => boxes(page), ({ height, width }) => height === 390 && width > 690);
    assertEquals([lying.content, lying.top], [844, 0]);
    for (const viewport of [UPRIGHT, LYING]) {
      await page.setViewportSize(viewport);
      for (const id of ["#record", "#clipboard", "#looking", "#trackpad", "#show-log", "#zoom-fit"]) {
        assertEquals(await page.isVisible(id), false, id);
        await page.tap("#more");
        await page.locator(id).scrollIntoViewIfNeeded();
        assertEquals(await page.isVisible(id), true, id);
        await page.tap("#more");
      }
    }
    // A choice closes the menu.
    await page.tap("#more");
    await page.tap("#show-log");
    assertEquals([await page.isVisible("#tools"), await page.isVisible("#log")], [false, true]);
  });
});

Deno.test({
  name: "as a trackpad, a finger moves the pointer from where it is, taps click there, a tap and a move drag",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page, url, touch, tap }) => {
    await page.tap("#more");
    await page.tap("#trackpad");
    assertEquals(await page.getAttribute("#trackpad", "aria-pressed"), "true");
    await (await fetch(`${url}/api/move`, { method: "POST", body: '{"x":600,"y":300}' })).body?.cancel();
    const buttons = async () => (await history(url)).filter(({ type }) => type === "button");
    // How long a finger rests tells a tap from a long press: the page's clock runs as far as the test says. To stop it,
    // Playwright sets it forward, which passes the time limit of a request under way; then the page takes the connection
    // for lost. So the page is loaded again, and never sees the jump.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.reload();
    await shows(page, "document.querySelector('#screen').width > 16");
    assertEquals(await page.getAttribute("#trackpad", "aria-pressed"), "true"); // the choice is kept
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
    assertEquals(moved.y, 300); // not where the finger is
    // A tap clicks where the pointer is.
    await tap({ x: at.x, y: at.y + 100 });
    await until(buttons, ({ length }) => length === 1);
    await page.clock.runFor(1000); // until no second touch is expected
    const [down, up] = await until(buttons, ({ length }) => length === 2);
    assertEquals([down.button, down.down, up.down, down.y], ["left", true, false, 300]);
    // Two fingers that tap are the right button.
    await tap(at, { x: at.x + 60, y: at.y });
    const right = await until(buttons, ({ length }) => length === 4);
    assertEquals(right.slice(2).map(({ button, down }) => [button, down]), [["right", true], [
      "right",
      false,
    ]]);
    // A tap that is followed by a move drags.
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
    // A finger that rests is the right button.
    await touch("touchStart", at);
    await page.clock.runFor(1000);
    await touch("touchEnd");
    const rested = await until(buttons, ({ length }) => length === 8);
    assertEquals(rested.slice(6).map(({ button, down }) => [button, down]), [["right", true], [
      "right",
      false,
    ]]);
    // A server that does not say where the pointer is holds the finger up for a while only.
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })"); // no other requests meanwhile
    await page.route("**/api/position", () => {});
    await page.clock.runFor(2000); // until the page asks for the place again
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
  name: "while the person only looks, a finger moves the enlarged view, and nothing arrives",
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

Deno.test({
  name:
    "what a phone's keyboard composes arrives letter by letter, with its corrections, and with Ctrl from the bar",
  ...BROWSER,
}, async () => {
  await withPhone(async ({ page, url, session }) => {
    const compose = (text: string) =>
      session.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    const told = async (length: number) => {
      const all = (await history(url)).filter(({ type, down }) => type === "text" || type === "key" && down);
      return all.length >= length ? all.map(({ text, key }) => text ?? `[${key}]`) : undefined;
    };
    await page.tap("#keyboard");
    assertEquals(await page.evaluate("document.activeElement.id"), "typing");
    for (const text of ["t", "te", "teh"]) await compose(text);
    await session.send("Input.insertText", { text: "the" });
    const words = await until(() => told(6), (told) => told !== undefined);
    assertEquals(words, ["t", "e", "h", "[backspace]", "[backspace]", "he"]);
    await page.tap("#keys button:text-is('Ctrl')");
    assertEquals(await page.evaluate("document.activeElement.id"), "typing"); // the phone's keyboard stays
    await compose("c");
    await session.send("Input.insertText", { text: "c" });
    const all = await until(() => told(8), (told) => told !== undefined);
    assertEquals(all?.slice(6), ["[ctrl]", "[c]"]);
    assertEquals(await page.getAttribute("#keys button:text-is('Ctrl')", "aria-pressed"), "false");
  });
});
