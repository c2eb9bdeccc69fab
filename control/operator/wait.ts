/** Waits until the screen looks as expected. */

import { nodeModule } from "../../core/path.ts";
import { until } from "../../core/until.ts";
import type { Frame, Point, Region } from "../desktop/desktop.ts";
import type { Operator } from "./operator.ts";

// Single pixels and their colours, as 0xRRGGBB.

/**
 * The colour of a pixel.
 * @throws InputError if the place is not on the desktop.
 */
export function pixelOf(operator: Operator, { x, y }: Point): Promise<number> {
  return operator.capture(
    { x, y, width: 1, height: 1 },
    false,
    ({ pixels: [blue, green, red] }) => red << 16 | green << 8 | blue,
  );
}

/**
 * A colour as `#rrggbb`.
 * @example
 * hexOf(0x20242c); // "#20242c"
 */
export function hexOf(rgb: number): string {
  return "#" + rgb.toString(16).padStart(6, "0");
}

/**
 * Whether red, green and blue each differ by no more than `tolerance` (0 to 255).
 * @example
 * isNear(0x102030, 0x11202f, 1); // true
 */
export function isNear(a: number, b: number, tolerance: number): boolean {
  return [16, 8, 0].every((shift) => Math.abs((a >> shift & 255) - (b >> shift & 255)) <= tolerance);
}

const PIXEL_INTERVAL_MS = 10;
/** Polling interval for a region, which costs more, in milliseconds. */
const REGION_INTERVAL_MS = 40;
/**
 * Maximum time between two looks that counts as still, in milliseconds: on a busy machine or a slow desktop,
 * more may have changed in between, and changed back.
 */
const UNSEEN_MS = 250;

/**
 * Waits until a pixel has a colour.
 * @param rgb The colour, 0xRRGGBB.
 * @param tolerance Maximum difference of each of red, green and blue, 0 to 255.
 * @param timeoutMs Maximum wait, in milliseconds.
 * @param signal Aborts the wait with its reason.
 * @returns How long the wait took, in milliseconds; undefined on timeout.
 * @throws InputError if the pixel is not on the desktop.
 * @example
 * await waitForPixel(operator, { x: 5, y: 5 }, 0x20242c, 0, 10_000, signal);
 */
export function waitForPixel(
  operator: Operator,
  point: Point,
  rgb: number,
  tolerance: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  return poll(
    async () => isNear(await pixelOf(operator, point), rgb, tolerance),
    PIXEL_INTERVAL_MS,
    timeoutMs,
    signal,
  );
}

/**
 * Waits until a region has stayed the same for a while. A blinking caret does not count as a change.
 * @param region As in {@linkcode Operator.region}; missing edges follow the desktop's size.
 * @param stillMs How long the region must stay unchanged, in milliseconds.
 * @returns How long the wait took, in milliseconds; undefined on timeout.
 * @throws InputError if the region is not on the desktop.
 * @example
 * await waitForStillness(operator, {}, 500, 10_000, signal); // the whole screen, still for half a second
 */
export function waitForStillness(
  operator: Operator,
  region: Partial<Region>,
  stillMs: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { x, y, width, height } = region;
  let last: Rows | undefined, before: Rows | undefined, at = performance.now(), seenMs = 0;
  return poll(
    async () => {
      const rows = await operator.capture({ x, y, width, height }, false, rowSums);
      const now = performance.now(), isStill = last && isSame(rows, last);
      const isBlink = last && before && isSame(rows, before) && isLow(last, before);
      seenMs = isStill || isBlink ? seenMs + Math.min(now - at, UNSEEN_MS) : 0;
      if (!isStill) [before, last] = [last, rows];
      at = now;
      return seenMs >= stillMs;
    },
    Math.min(REGION_INTERVAL_MS, stillMs),
    timeoutMs,
    signal,
  );
}

/**
 * Waits until a region has changed since the call.
 * @param region As in {@linkcode Operator.region}; missing edges follow the desktop's size.
 * @param timeoutMs Maximum wait, in milliseconds.
 * @param signal Aborts the wait with its reason.
 * @returns How long the wait took, in milliseconds; undefined on timeout.
 * @throws InputError if the region is not on the desktop.
 */
export function waitForChange(
  operator: Operator,
  { x, y, width, height }: Partial<Region>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  let first: number | undefined;
  return poll(
    async () => {
      const sum = await operator.capture({ x, y, width, height }, false, checksum);
      return sum !== (first ??= sum);
    },
    REGION_INTERVAL_MS,
    timeoutMs,
    signal,
  );
}

/** Maximum height of a caret, in pixels, as in `isCaret` of control/observe/motion.ts. */
const CARET_HEIGHT = 48;

/** A checksum of each row of a region. */
interface Rows {
  width: number;
  sums: Uint32Array;
}

/** Checksums of the visible pixels by row; the unused fourth bytes are ignored. */
function rowSums({ pixels, width, height, stride }: Frame): Rows {
  const { crc32 } = nodeModule("node:zlib");
  const row = new Uint32Array(width), bytes = new Uint8Array(row.buffer), sums = new Uint32Array(height);
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength >> 2);
  for (let y = 0; y < height; y++) {
    const start = y * stride >> 2;
    for (let x = 0; x < width; x++) row[x] = words[start + x] & 0xffffff;
    sums[y] = crc32(bytes);
  }
  return { width, sums };
}

function isSame(one: Rows, other: Rows): boolean {
  return one.width === other.width && one.sums.length === other.sums.length &&
    one.sums.every((sum, y) => sum === other.sums[y]);
}

/** Whether two looks of equal size differ in no more rows than a caret has. */
function isLow(one: Rows, other: Rows): boolean {
  const isOther = (sum: number, y: number) => sum !== other.sums[y];
  return one.sums.findLastIndex(isOther) - one.sums.findIndex(isOther) < CARET_HEIGHT;
}

/** A checksum of the visible pixels. */
function checksum(frame: Frame): number {
  const { width, sums } = rowSums(frame), { crc32 } = nodeModule("node:zlib");
  return crc32(new Uint8Array(sums.buffer), width);
}

/**
 * Repeats a check until it succeeds; the first check is immediate.
 * @param reached The check.
 * @param intervalMs Time between two checks, in milliseconds.
 * @param timeoutMs Maximum wait, in milliseconds.
 * @param signal Aborts the wait with its reason.
 * @returns How long the wait took, in milliseconds; undefined on timeout.
 */
export async function poll(
  reached: () => Promise<boolean>,
  intervalMs: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const start = performance.now();
  const isReached = await until(reached, { ms: timeoutMs, every: intervalMs, signal });
  return isReached ? Math.round(performance.now() - start) : undefined;
}
