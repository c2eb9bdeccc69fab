/** A real Chromium. */

import { type Browser, chromium } from "playwright-core";
import { need } from "./need.ts";

/** What tests with a browser need. */
export const CHROMIUM = need("chromium");
/** The same for a test: Playwright keeps a process and timers of its own until it is closed. */
export const BROWSER = { ...CHROMIUM, sanitizeOps: false, sanitizeResources: false };

/** Starts Chromium; it asks nothing of any other host. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Starts Chromium for a while. */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await openBrowser();
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}
