/** The page on a phone. */

import type { CDPSession, Page } from "playwright-core";
import { withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { shows, VIRTUAL } from "./page.ts";

/** A phone's screen sizes, in CSS pixels. */
export const UPRIGHT = { width: 390, height: 844 }, LYING = { width: 844, height: 390 };

/** A phone with the page, which shows a virtual desktop. */
interface Phone {
  page: Page;
  url: string;
  session: CDPSession;
  /** Puts fingers on the screen, moves them, lifts them. */
  touch(type: "touchStart" | "touchMove" | "touchEnd", ...points: { x: number; y: number }[]): Promise<void>;
  /**
   * Taps with fingers, however busy the machine is: both events are sent together, since a resting finger is
   * not a tap.
   */
  tap(...points: { x: number; y: number }[]): Promise<void>;
}

/** Opens the page on a phone, and ends the browser and deskhand afterwards. */
export async function withPhone(use: (phone: Phone) => Promise<void>): Promise<void> {
  await using program = new Program(VIRTUAL); // starts at the same time as the browser
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

/** The window, and the live view's box in it, in CSS pixels. */
export async function boxes(page: Page) {
  return await page.evaluate(`(() => {
    const { left, top, width, height } = document.querySelector("#screen").getBoundingClientRect();
    const root = document.documentElement;
    return { left, top, width, height, across: innerWidth, down: innerHeight, content: root.scrollWidth };
  })()`) as Record<"left" | "top" | "width" | "height" | "across" | "down" | "content", number>;
}
