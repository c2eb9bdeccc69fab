/** A real Chromium. */

import { type Browser, chromium } from "playwright-core";
import { need } from "./need.ts";

/** What tests with a browser need. */
export const CHROMIUM = need("chromium");

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
