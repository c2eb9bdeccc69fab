/** The live picture over a slow network, in each quality: keys, a video, and how soon it is exact. */

import type { Browser } from "playwright-core";
import type { Quality } from "../control/http/live/protocol.ts";
import { openBrowser } from "../tests/support/browser.ts";
import { NOTE_DRAWING, Scene } from "../tests/support/pictures.ts";
import { until } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { delay } from "@std/async/delay";
import { COUNT_PICTURES, exactAfter, SCREEN, showDeskhand, type Shown, WINDOW } from "./live.ts";
import { percentile } from "./measure.ts";
import { openSlowNetwork, type Speed } from "./slow_network.ts";

/** The slow network: 1 Mbit/s, and a round trip of 200 ms. */
const SPEED: Speed = { bytesPerSecond: 125_000, delayMs: 100 };
const MEASURED: readonly Quality[] = ["slow", "automatic", "balanced"];
/** The names of qualities on the page. */
const LABELS: Record<Quality, string> = {
  automatic: "Automatic",
  sharp: "Sharp",
  balanced: "Balanced",
  slow: "Slow network",
};
/** How long to wait for the first picture before a measurement, and then to play a video, in milliseconds. */
const SETTLE_MS = 4000, PLAYED_MS = 8000;
const MEASURED_MS = 10_000;
const KEYS = 40;

/** Returns a table of qualities. */
export async function slowTable(): Promise<string> {
  const lines = [
    "| quality at 1 Mbit/s and 200 ms | key to picture, median | 90 % | video, pictures a second | KB a picture | video exact after |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  const browser = await openBrowser();
  try {
    for (const quality of MEASURED) {
      const keys = await typeKeys(browser, quality);
      const video = await playVideo(browser, quality);
      const cells = [
        `${percentile(keys, 0.5).toFixed(0)} ms`,
        `${percentile(keys, 0.9).toFixed(0)} ms`,
        video.painted.toFixed(1),
        video.painted < 0.5 ? "-" : (video.kilobytes / video.painted).toFixed(1),
        video.exactMs === undefined ? "more than 90 s" : `${(video.exactMs / 1000).toFixed(1)} s`,
      ];
      lines.push(`| ${LABELS[quality]} | ${cells.join(" | ")} |`);
    }
  } finally {
    await browser.close();
  }
  return lines.join("\n");
}

/** Types keys, and measures the time from each to the picture with its letter, in milliseconds. */
async function typeKeys(browser: Browser, quality: Quality): Promise<number[]> {
  await using server = await Xvfb.start(SCREEN);
  await using _terminal = server.spawn("xterm", "-geometry", "100x30+100+100", "-e", "cat");
  await using shown = await showDeskhand(server);
  await server.run("xdotool", "search", "--sync", "--onlyvisible", "--class", "xterm");
  await server.run("xdotool", "mousemove", "300", "300");
  await using opened = await openOver(browser, shown, quality);
  const waits: number[] = [];
  for (let i = 0; i < KEYS; i++) {
    waits.push(await opened.page.evaluate("typed()") as number);
    await delay(400); // lets the key's release complete
  }
  return waits;
}

async function playVideo(browser: Browser, quality: Quality) {
  await using server = await Xvfb.start(SCREEN);
  await using shown = await showDeskhand(server);
  await using opened = await openOver(browser, shown, quality);
  await using scene = await Scene.start(server, "a video");
  await delay(PLAYED_MS);
  const look = () =>
    opened.page.evaluate("({ ...counted, socket: 0, at: performance.now() })") as Promise<
      { painted: number; bytes: number; at: number }
    >;
  const before = await look();
  await delay(MEASURED_MS);
  const after = await look(), seconds = (after.at - before.at) / 1000;
  return {
    painted: (after.painted - before.painted) / seconds,
    kilobytes: (after.bytes - before.bytes) / seconds / 1000,
    exactMs: await exactAfter(opened.page, server, scene).catch(() => undefined),
  };
}

async function openOver(browser: Browser, shown: Shown, quality: Quality) {
  const url = new URL(shown.url), network = openSlowNetwork(Number(url.port), SPEED);
  const context = await browser.newContext({ viewport: WINDOW }), page = await context.newPage();
  await page.addInitScript(`localStorage.setItem("deskhand.quality", "${quality}")`);
  await page.addInitScript(COUNT_PICTURES);
  await page.addInitScript(NOTE_DRAWING);
  url.port = String(network.port);
  await page.goto(url.href, { timeout: 60_000 });
  await until(() => page.evaluate("counted.painted > 0"));
  await delay(SETTLE_MS);
  return {
    page,
    async [Symbol.asyncDispose]() {
      await context.close();
      network[Symbol.dispose]();
    },
  };
}
