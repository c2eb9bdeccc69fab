/** Playwright Test baselines: pictures, and outlines of windows, stored next to the test. */

import { type Desk, ElementLocator, WindowLocator } from "@deskhand/client";
import { expect, type ExpectMatcherState, type MatcherReturnType, type TestInfo } from "@playwright/test";
import { Buffer } from "node:buffer";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/** A part of a picture, in pixels from its top left corner. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Options of `toLookLike`. */
export interface LookOptions {
  /** The part of the desktop to compare; only for a desk. */
  region?: Part;
  /** Elements and parts of the picture to ignore. */
  mask?: (ElementLocator | Part)[];
  /** The difference between two colours that counts, 0 to 1; defaults to 0.1. */
  threshold?: number;
  /** Maximum number of pixels that may differ; defaults to 0. */
  maxDiffPixels?: number;
  /** Milliseconds without changes before a new baseline is written; defaults to 300. */
  stillMs?: number;
  /** Milliseconds to wait until the picture matches. */
  timeout?: number;
}

/** The subject of a screenshot: a desktop, a window or an element. */
export type Shown = Desk | WindowLocator | ElementLocator;

const deskOf = (shown: Shown) => "desk" in shown ? shown.desk : shown;

/** The call's fields that select the part of the screen. */
function placeOf(shown: Shown, { region }: LookOptions): Record<string, unknown> {
  if (shown instanceof WindowLocator) {
    const { any: _any, ...query } = shown.query;
    return { window: JSON.stringify(query) };
  }
  return shown instanceof ElementLocator ? { element: JSON.stringify(shown.awaited()) } : { ...region };
}

/** When baselines are written, as for Playwright's own. */
type Update = "all" | "changed" | "missing" | "none";

function updateOf({ config, retry, project }: TestInfo): Update {
  const { updateSnapshots } = config;
  if (updateSnapshots !== "default") return updateSnapshots;
  return process.env.CI || retry < project.retries ? "none" : "missing";
}

/** Compares a desktop, a window or an element with a named baseline. */
export async function lookLike(
  { isNot, timeout }: ExpectMatcherState,
  shown: Shown,
  name: string,
  options: LookOptions,
  info: TestInfo,
): Promise<MatcherReturnType> {
  const { mask = [], threshold, maxDiffPixels, stillMs = 300 } = options, desk = deskOf(shown);
  const file = name.endsWith(".png") ? name : `${name}.png`,
    path = info.snapshotPath(file, { kind: "screenshot" });
  const update = updateOf(info), place = placeOf(shown, options), limit = options.timeout ?? timeout;
  if (!existsSync(path)) {
    if (isNot) return result(true, name, `there is no baseline ${path} to differ from`);
    if (update === "none") {
      return result(false, name, `there is no baseline ${path}; --update-snapshots writes it`);
    }
    write(path, await stillPicture(desk, place, stillMs, limit));
    return written(update, name, path);
  }
  const isUpdating = update === "all" || update === "changed";
  const baseline = readFileSync(path);
  const compared = await desk.compare(baseline, {
    ...place,
    ...(mask.length ? { mask: JSON.stringify(mask.map((one) => "desk" in one ? one.awaited() : one)) } : {}),
    threshold,
    max_pixels: maxDiffPixels,
    timeout_ms: isNot ? undefined : Math.max(1, limit),
    pictures: true,
  });
  if (compared.same || isNot) return result(compared.same, name, `${name} looks like its baseline ${path}`);
  if (isUpdating) {
    write(path, await stillPicture(desk, place, stillMs, limit));
    return result(true, name, "");
  }
  await attach(info, file, { expected: baseline, ...picturesIn(compared) });
  return result(false, name, differenceText(compared, path, limit));
}

interface Compared {
  pixels: number;
  share: number;
  regions: Part[];
  expected: { width: number; height: number };
  actual: { width: number; height: number };
  actual_png?: string;
  difference_png?: string;
}

function differenceText(
  { pixels, share, regions, expected, actual }: Compared,
  path: string,
  limit: number,
): string {
  const sizes = [expected, actual].map(({ width, height }) => `${width}x${height}`);
  const isSize = sizes[0] === sizes[1];
  const places = regions.map(({ x, y, width, height }) => `${width}x${height} at ${x},${y}`).join("; ");
  return `${pixels} pixels (${(share * 100).toFixed(2)} %) differ from ${path} after ${limit} ms` +
    (isSize ? "" : `, which is ${sizes[0]} and not ${sizes[1]}`) + (places ? `: ${places}` : "");
}

function picturesIn({ actual_png, difference_png }: Compared): Record<string, Buffer> {
  const files: Record<string, Buffer> = {};
  if (actual_png) files.actual = Buffer.from(actual_png, "base64");
  if (difference_png) files.diff = Buffer.from(difference_png, "base64");
  return files;
}

/** Attaches pictures under the names that Playwright's report recognizes for its slider. */
async function attach(info: TestInfo, file: string, pictures: Record<string, Uint8Array>): Promise<void> {
  for (const [kind, picture] of Object.entries(pictures)) {
    const name = file.replace(/\.png$/, `-${kind}.png`);
    await info.attach(name, { body: Buffer.from(picture), contentType: "image/png" });
  }
}

/** Takes a screenshot once nothing has changed for a while. */
async function stillPicture(
  desk: Desk,
  place: Record<string, unknown>,
  stillMs: number,
  limit: number,
): Promise<Uint8Array> {
  await desk.waitStill(stillMs, {}, limit).catch(() => {}); // changes elsewhere on the screen do not matter
  const { window, ...region } = place;
  if (window === undefined) return await desk.screenshot({ ...region, format: "png" });
  const [{ id }] = await desk.window(JSON.parse(String(window))).all();
  return await desk.screenshot({ window: id, format: "png" });
}

/** Interval between checks of a window's outline, in milliseconds. */
const LOOK_MS = 250;

/** Compares a window's elements with an outline, line by line. */
export async function matchTree(
  { isNot, timeout, utils }: ExpectMatcherState,
  window: WindowLocator,
  name: string,
  options: { timeout?: number },
  info: TestInfo,
): Promise<MatcherReturnType> {
  const file = /\.ya?ml$/.test(name) ? name : `${name}.yml`, path = info.snapshotPath(file, { kind: "aria" });
  const { any: _any, ...query } = window.query, limit = options.timeout ?? timeout, update = updateOf(info);
  const wanted = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (wanted === undefined && (update === "none" || isNot)) {
    return result(isNot, name, `there is no baseline ${path}; --update-snapshots writes it`);
  }
  await window.waitUntil({}, Math.max(1, limit));
  let tree = await window.desk.elementsAsTree(query);
  const isUpdating = update === "all" || update === "changed";
  for (const end = Date.now() + limit; wanted !== undefined && !isUpdating && (tree === wanted) === isNot;) {
    if (Date.now() >= end) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    tree = await window.desk.elementsAsTree(query);
  }
  if (wanted === undefined || isUpdating && tree !== wanted) {
    write(path, tree);
    return written(update, name, path);
  }
  const difference = utils.printDiffOrStringify(wanted, tree, `expected (${path})`, "actual", true);
  return result(tree === wanted, name, isNot ? `${name} has the outline of ${path}` : difference);
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Reports a new baseline: the test continues with its other ones, and fails unless run to update them. */
function written(update: Update, name: string, path: string): MatcherReturnType {
  if (update === "missing") {
    expect.soft("a new baseline", `no baseline ${path} existed; it has been written now`).toBe("a baseline");
  }
  return result(true, name, "");
}

function result(pass: boolean, name: string, message: string): MatcherReturnType {
  return { pass, name, message: () => message };
}
