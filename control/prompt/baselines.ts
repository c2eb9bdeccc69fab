/**
 * `expect looks`: compares the screen with a picture in a file. The prompt and `deskhand do` accept the same
 * line.
 */

import { delay } from "@std/async/delay";
import { readSmall } from "../../core/bytes.ts";
import { InputError, on, StateError } from "../../core/errors.ts";
import { jsonOrWord } from "../../core/json.ts";
import { counted, printable } from "../../core/printable.ts";
import { replaceFileByPieces } from "../../core/state_files.ts";
import { ACTIONS } from "../actions/mod.ts";
import { PICTURE_FILE_LIMIT } from "../find/find.ts";
import { parseFields } from "../schema/schema.ts";
import { EXPECT_USAGE, onFile } from "./command.ts";

/** An `expect looks` line: the baseline's file, and the fields of the comparison. */
export interface Expectation {
  file: string;
  fields: Record<string, unknown>;
}

/** The relevant part of a `POST /api/compare` answer. */
interface Compared {
  same: boolean;
  pixels: number;
  share: number;
  regions: readonly { x: number; y: number; width: number; height: number }[];
  actual_png?: string;
  difference_png?: string;
}

/** Compares a picture with the screen. @param fields Fields of the comparison. */
type Compare = (png: Uint8Array<ArrayBuffer>, fields: Record<string, unknown>) => Promise<Compared>;

const FIELDS = Object.keys(ACTIONS.compare.input).filter((name) => !["png", "pictures"].includes(name));
/**
 * How long `expect` waits, and how long a picture must be still before it becomes a baseline, in
 * milliseconds.
 */
const USUAL_MS = 5000, STILL_MS = 300;
/** A one-pixel picture, in place of a missing baseline. */
const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
);

/**
 * Parses a line.
 * @returns undefined for other lines.
 * @throws InputError if it has no file, or a field that a comparison does not accept.
 * @example
 * expectationIn("expect looks notes.png window=Notes max_pixels=9")?.fields; // { window: "Notes", max_pixels: 9 }
 */
export function expectationIn(line: string): Expectation | undefined {
  const [all, words = ""] = /^\s*expect\s+looks(?:\s+(.*?))?\s*$/s.exec(line) ?? [];
  if (all === undefined) return undefined;
  const fields: Record<string, unknown> = {};
  const file = words.replace(/(?:^|\s+)(\w+)=("(?:[^"\\]|\\.)*"|\S+)/g, (_, name: string, value: string) => {
    if (!FIELDS.includes(name)) {
      throw new InputError(`expect looks: unknown field ${name}; it takes ${FIELDS.join(", ")}`);
    }
    fields[name] = jsonOrWord(value);
    return "";
  }).trim();
  if (!file) throw new InputError(`expect looks needs a file: ${EXPECT_USAGE}`);
  return { file: String(jsonOrWord(file)), fields };
}

/**
 * Waits until the screen looks like its baseline. A missing baseline is written once the screen is still; the
 * call fails all the same, since nobody has checked it. Pictures of a failed comparison are saved next to the
 * baseline.
 * @throws StateError if the screen looks different or there was no baseline; InputError if a file cannot be
 * read or written; the errors of `compare`.
 */
export async function checkLooks({ file, fields }: Expectation, compare: Compare): Promise<void> {
  const shown = printable(file, 80),
    baseline = await contentOf(file),
    given = { timeout_ms: USUAL_MS, ...fields };
  if (!baseline) {
    const { timeout_ms, ...others } = given; // which no comparison here uses
    const waits = parseFields({ timeout_ms: ACTIONS.compare.input.timeout_ms }, { timeout_ms });
    const picture = await stillPicture(compare, others, waits.timeout_ms!);
    await onFile("write", file, () => replaceFileByPieces(file, [picture], 0o644));
    throw new StateError(`no baseline ${shown} existed; it has been written now`);
  }
  const { same, pixels, share, regions, ...made } = await compare(baseline, { ...given, pictures: true });
  if (same) return;
  const beside = (kind: string) => `${file.replace(/\.(png|bmp)$/i, "")}-${kind}.png`;
  const kept = [["actual", made.actual_png], ["difference", made.difference_png]] as const;
  for (const [kind, png] of kept) {
    const picture = Uint8Array.fromBase64(png!);
    await onFile("write", beside(kind), () => replaceFileByPieces(beside(kind), [picture], 0o644));
  }
  const places = regions.map(({ x, y, width, height }) => `${width}x${height} at ${x},${y}`).join("; ");
  throw new StateError(
    `${counted(pixels, "pixel")} (${(share * 100).toFixed(2)} %) differ from ${shown}${
      places && `: ${places}`
    }; ` +
      `see ${printable(beside("difference"), 80)}`,
  );
}

/**
 * A picture of the compared part once it has been still for a while. @throws StateError if this takes longer
 * than `ms`.
 */
async function stillPicture(compare: Compare, fields: Record<string, unknown>, ms: number) {
  const end = performance.now() + ms;
  for (let last: Uint8Array<ArrayBuffer> = PIXEL;;) {
    const { same, actual_png } = await compare(last, { ...fields, pictures: true });
    if (same && last !== PIXEL) return last;
    if (last !== PIXEL && performance.now() > end) { // not after the first look, however long it took
      throw new StateError("the screen keeps changing, so no baseline was written");
    }
    last = Uint8Array.fromBase64(actual_png!);
    await delay(STILL_MS);
  }
}

/** The content of a baseline; undefined if it is missing. */
async function contentOf(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return await onFile(
    "read",
    path,
    () => readSmall(path, PICTURE_FILE_LIMIT).catch(on(Deno.errors.NotFound)),
  );
}
