/** The page on a phone. */

import type { CDPSession, Page } from "playwright-core";
import { withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { shows, VIRTUAL } from "./page.ts";

/** The sizes of a phone's glass, in pixels of the page. */
export const UPRIGHT = { width: 390, height: 844 }, LYING = { width: 844, height: 390 };

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

/** Opens the page on a phone, and ends the browser and deskhand afterwards. */
export async function withPhone(use: (phone: Phone) => Promise<void>): Promise<void> {
  await using program = new Program(VIRTUAL); // it starts beside the browser
  await withBrowser(async (browser) => {
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

/** The window, and the picture's box in it, in pixels of the page. */
export async function boxes(page: Page) {
  return await page.evaluate(`(() => {
    const { left, top, width, height } = document.querySelector("#screen").getBoundingClientRect();
    const root = document.documentElement;
    return { left, top, width, height, across: innerWidth, down: innerHeight, content: root.scrollWidth };
  })()`) as Record<"left" | "top" | "width" | "height" | "across" | "down" | "content", number>;
}
