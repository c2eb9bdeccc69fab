/** Tells whether the page shows a screen to the pixel, and since when. */

import type { Page } from "playwright-core";
import type { Desktop, Frame } from "../../control/desktop/desktop.ts";
import { until } from "./until.ts";

/**
 * Runs in the page before its own scripts: notes in `globalThis.drawnAt` when a canvas was drawn on last, as `Date.now()`
 * has it. A text, since the page's names are not known here.
 */
export const NOTE_DRAWING = `{
  const context = CanvasRenderingContext2D.prototype;
  for (const name of ["drawImage", "putImageData"]) {
    const draw = context[name];
    context[name] = function (...args) {
      draw.apply(this, args);
      globalThis.drawnAt = Date.now();
    };
  }
}`;

/** A script of the page that hashes each row as {@linkcode rowsOf} does, and tells when the last of them was drawn. */
const PAGE_ROWS = `(() => {
  const canvas = document.querySelector("#screen"), { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const rows = Array.from({ length: height }, (_, row) => {
    let hash = 0;
    for (let at = row * width * 4, end = at + width * 4; at < end; at += 4) {
      hash = Math.imul(hash ^ (data[at] << 16 | data[at + 1] << 8 | data[at + 2]), 0x01000193);
    }
    return hash;
  });
  return { rows, drawnAt: globalThis.drawnAt };
})()`;

/**
 * Waits until every row of the page's picture is the screen's, with the pointer.
 * @param page In which {@linkcode NOTE_DRAWING} ran, if the time is wanted.
 * @param desktop An X11 desktop.
 * @param what The name of the picture, for the message if it stays wrong.
 * @returns When the page drew the last of it, as `Date.now()` has it: this waiting itself does not count.
 */
export async function exactSince(page: Page, desktop: Desktop, what: string): Promise<number> {
  const look = async () => {
    const { rows, drawnAt } = await page.evaluate(PAGE_ROWS) as { rows: number[]; drawnAt: number };
    const shown = await desktop.screen.capture(desktop.screen.layout(), true, rowsOf);
    return { wrong: shown.flatMap((hash, row) => hash === rows[row] ? [] : [row]), drawnAt };
  };
  const exact = await until(
    look,
    ({ wrong }) => !wrong.length,
    ({ wrong }) => `${what}: rows ${wrong} differ`,
  );
  return exact.drawnAt;
}

/** A hash of each row of a frame. */
function rowsOf({ width, height, stride, pixels }: Frame): number[] {
  return Array.from({ length: height }, (_, row) => {
    let hash = 0;
    for (let at = row * stride, end = at + width * 4; at < end; at += 4) {
      hash = Math.imul(hash ^ (pixels[at + 2] << 16 | pixels[at + 1] << 8 | pixels[at]), 0x01000193);
    }
    return hash;
  });
}
