/** Finds pictures and texts on the screen, and clicks on them. */

import { attempt, InputError, NotFoundError, TimeLimitError } from "../../core/errors.ts";
import { type Button, BUTTONS } from "../desktop/desktop.ts";
import {
  findPicture,
  type FindRequest,
  LEAST_MATCH,
  type PictureMatch,
  readPicture,
  waitForPicture,
} from "../find/find.ts";
import { isPicture } from "../image/bitmap.ts";
import type { TextLine, TextMatch, TextRequest } from "../read/find.ts";
import { PLACE, REGION, X, Y } from "../schema/fields.ts";
import {
  choice,
  converted,
  type Field,
  flag,
  group,
  integer,
  inWords,
  list,
  number,
  optional,
  plainText,
  renamed,
  text as textField,
  type Values,
} from "../schema/schema.ts";
import type { PressCaller } from "../operator/activation.ts";
import type { Operator } from "../operator/operator.ts";
import { poll } from "../operator/wait.ts";
import { listWindows, matchingWindows, type WindowQuery } from "../windows/list.ts";
import { action, type ActionContext, Content } from "./action.ts";
import { HEAL, HEALED } from "./elements.ts";
import { waitToClick } from "./pointer.ts";
import { lookedAt, WINDOW_ID, WINDOW_NAME, WINDOW_QUERY } from "./windows.ts";

// Fields of picture searches and of their matches.

/** A PNG or BMP file: as bytes, or in base64 within JSON. */
const PICTURE: Field<Uint8Array<ArrayBuffer>, true> = {
  required: true,
  schema: {
    type: "string",
    contentEncoding: "base64",
    contentMediaType: "image/png",
    description: "A PNG or BMP file, in base64",
  },
  parse(value, name) {
    const bytes = typeof value === "string" ? attempt(() => Uint8Array.fromBase64(value)) : value;
    if (bytes instanceof Uint8Array && isPicture(bytes)) return bytes as Uint8Array<ArrayBuffer>;
    throw new InputError(`${name} must be a PNG or BMP file${typeof value === "string" ? " in base64" : ""}`);
  },
};

/** The picture to find, and the region to search. */
export const PICTURE_QUERY = {
  png: PICTURE,
  tolerance: optional(
    integer(0, 255, "Allowed difference per colour channel; default 0"),
  ),
  match: optional(
    number(
      LEAST_MATCH,
      1,
      "Share of pixels that must match, both of all pixels and of those in the picture's details; default 1",
    ),
  ),
  grayscale: optional(flag("Compare brightness only; default false")),
  ...REGION,
};

/** The window to look at instead of a region. */
const LOOK_WINDOW = inWords(
  optional(WINDOW_NAME),
  "Look in this window, even if others cover it: its id, a part of its title, or its fields in JSON",
);

/** Maximum duration of a search, in milliseconds. */
const TIMEOUT_MS = renamed(
  "wait_ms",
  optional(integer(1, 600_000, "Milliseconds to keep looking; default: look once")),
);

/** The place of a picture that was found. */
export const MATCH: Field<PictureMatch, true> = group({
  ...PLACE,
  center: group({ x: X, y: Y }, "The pixel in the middle of the match"),
  match: number(0, 1, "The share of pixels that match"),
}, "A place");

const MATCHES = list(MATCH, "The matches, the best first; none overlaps a better one");

export const find = action({
  name: "find",
  summary: "Find a picture on the screen",
  effect: "read",
  waits: true,
  input: {
    ...PICTURE_QUERY,
    window: LOOK_WINDOW,
    limit: optional(integer(1, 100, "Maximum number of matches; default 1")),
    timeout_ms: TIMEOUT_MS,
    gone: optional(flag("With timeout_ms: wait until it is gone")),
    best: optional(flag("Without a match, return the closest place")),
  },
  output: { matches: MATCHES, best: optional(MATCH) },
  async run({ timeout_ms, gone = false, ...query }, context) {
    if (gone && timeout_ms === undefined) throw new InputError("Missing timeout_ms: gone requires it");
    const { finder } = context, request = requestOf(query, context);
    if (timeout_ms === undefined) return await findPicture(finder, request);
    const { matches } = await waitForPicture(finder, request, gone, timeout_ms);
    return { matches };
  },
});

export const clickPicture = action({
  name: "clickPicture",
  summary: "Find a picture on the screen and click its middle",
  effect: "act",
  waits: true,
  input: {
    click: choice(BUTTONS, "Click the middle of the match with this button; not with --read-only"),
    count: optional(integer(1, 3, "With click: 2 is a double click")),
    ...PICTURE_QUERY,
    timeout_ms: TIMEOUT_MS,
  },
  output: { matches: MATCHES },
  async run({ click, count, timeout_ms, ...query }, context) {
    const { operator, finder } = context, request = requestOf(query, context);
    const picture = await readPicture(finder, request);
    if (timeout_ms !== undefined) {
      const wait = () => waitForPicture(finder, request, false, timeout_ms, picture);
      await waitToClick(timeout_ms, context, wait);
    }
    const { clickFound } = await import("./healing.ts");
    const match = async () => {
      const { matches: [best] } = await findPicture(finder, request, picture);
      if (!best) throw new NotFoundError("the picture is not on the screen");
      return best;
    };
    const press = ({ center }: PictureMatch, caller: PressCaller) =>
      operator.click(center, click, count, [], caller);
    return { matches: [await clickFound(request.region, match, press, context)] };
  },
});

function requestOf(
  { x, y, width, height, window, ...query }: Values<typeof PICTURE_QUERY> & {
    window?: WindowQuery;
    limit?: number;
    best?: boolean;
  },
  context: ActionContext,
): FindRequest {
  const { operator, signal } = context, region = { x, y, width, height };
  const locate = () => lookedAt(operator, window, region);
  return { ...query, region, locate, signal, pictureRead: () => context.inputRead() };
}

// Fields of text searches and of their matches.

/** Minimum value of the required agreement. */
const LEAST = 0.5;
/** Maximum length of a text to find, in characters. */
const LONGEST = 200;
const SOURCE = choice(
  ["element", "screen"],
  "element: the text comes from the element's program; screen: it was read from the screen",
);

/** Language names, joined by `+`. */
const LANGUAGE = optional(textField("Languages such as eng+deu; default: --languages"));

/** Where texts come from: elements or pixels. */
const ONLY_SOURCE = optional({
  ...SOURCE,
  schema: { ...SOURCE.schema, description: "Search only this source" },
});

/** The text to find, and where. */
export const TEXT_QUERY = {
  text: converted(textField("The text; case and spaces are ignored"), (value, name) => {
    if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(value) && value.length <= LONGEST) return value;
    throw new InputError(
      `${name} must contain a letter, digit or symbol, and be at most ${LONGEST} characters long`,
    );
  }),
  match: optional(
    number(
      LEAST,
      1,
      "The minimum match; default 0.9, which allows similar letters such as l and 1",
    ),
  ),
  case: optional(flag("Match case")),
  nth: optional(integer(1, 10_000, "Which of several matches, from 1")),
  language: LANGUAGE,
  source: ONLY_SOURCE,
  ...REGION,
};

/** The fields common to all places. */
const OF_ELEMENT = {
  ref: optional(textField("The ref of the element")),
  role: optional(plainText("Role of the element")),
};

/** The place of a text that was found. */
const TEXT_MATCH: Field<TextMatch, true> = group({
  ...PLACE,
  center: group({ x: X, y: Y }, "The pixel in the middle of the match"),
  match: number(0, 1, "The match of the text: 1 if every letter matches"),
  text: plainText("The text as the screen shows it"),
  source: SOURCE,
  line: optional(plainText("The line of text that contains the match")),
  ...OF_ELEMENT,
}, "A match of a text");

/** The place of a text, or of a picture, which has no text. */
export const ANY_MATCH: Field<PictureMatch & Partial<TextMatch>, true> = {
  ...TEXT_MATCH,
  schema: { ...TEXT_MATCH.schema, required: MATCH.schema.required, description: "A place" },
};

/** Places of a text. */
export const TEXT_MATCHES = list(
  TEXT_MATCH,
  "The matches, the best first; among equals, texts that stand alone come first, then elements, then reading order decides",
);

const TEXT_LINE: Field<TextLine, true> = group({
  ...PLACE,
  text: plainText("The text as the screen shows it"),
  source: SOURCE,
  words: optional(
    list(group({ ...PLACE, text: plainText("The word") }, "A word"), "The words of the line"),
  ),
  ...OF_ELEMENT,
}, "A line of text, or the text of an element");

/** Builds a text search from a request's fields. */
export function textRequest(
  { x, y, width, height, ...query }: Values<typeof TEXT_QUERY>,
  signal: AbortSignal,
): TextRequest {
  return { ...query, region: { x, y, width, height }, signal };
}

// Actions for text on the screen: reading it, finding it, and clicking on it.

/** Polling interval for the window of a text, in milliseconds. */
const WINDOW_LOOK_MS = 50;

/** Loads the module that finds text, on first use. */
const finding = () => import("../read/find.ts");

const REGION_TEXT = { ...REGION, window: LOOK_WINDOW, language: LANGUAGE, source: ONLY_SOURCE };

async function linesOf(
  { language, source, window, ...region }: Values<typeof REGION_TEXT>,
  { operator, reader, signal }: ActionContext,
) {
  const { wholeText } = await import("../read/find.ts");
  const place = await lookedAt(operator, window, region);
  return await wholeText(await reader(), { ...place, language, source, signal });
}

export const text = action({
  name: "text",
  summary: "The text on the screen",
  effect: "read",
  waits: true,
  input: REGION_TEXT,
  output: { lines: list(TEXT_LINE, "The lines, in reading order") },
  run: async (query, context) => ({ lines: await linesOf(query, context) }),
});

export const textLines = action({
  name: "textLines",
  summary: "The text on the screen, as plain text",
  effect: "read",
  waits: true,
  input: REGION_TEXT,
  output: ["text/plain"],
  async run(query, context) {
    const lines = await linesOf(query, context);
    return Content.ofText(lines.map(({ text }) => `${text}\n`).join(""));
  },
});

export const findText = action({
  name: "findText",
  summary: "Find text on the screen",
  effect: "read",
  waits: true,
  input: {
    ...TEXT_QUERY,
    window: LOOK_WINDOW,
    limit: optional(integer(1, 100, "Maximum number of matches; default 1")),
    timeout_ms: TIMEOUT_MS,
    gone: optional(flag("With timeout_ms: wait until it is gone")),
  },
  output: { matches: TEXT_MATCHES, nearest: optional(TEXT_MATCHES) },
  async run({ timeout_ms, gone = false, limit, window, ...query }, context) {
    if (gone && timeout_ms === undefined) throw new InputError("Missing timeout_ms: gone requires it");
    const { findText, waitForText } = await finding(), reader = await context.reader();
    const plain = textRequest(query, context.signal);
    const request = { ...plain, locate: () => lookedAt(context.operator, window, plain.region) };
    if (timeout_ms === undefined) return await findText(reader, request, limit);
    const { matches } = await waitForText(reader, request, gone, timeout_ms, limit);
    return { matches };
  },
});

/** Clicks on a place; on an element like `element/click`, which notices whether it is covered or disabled. */
async function clickAt(
  { ref, center }: TextMatch,
  { button, count }: { button: Button; count: number },
  operator: Operator,
  caller: PressCaller,
): Promise<void> {
  if (ref === undefined) return await operator.click(center, button, count, [], caller);
  const { clickElement } = await import("../elements/click.ts");
  await clickElement(operator, { element: ref, window: {} }, { button, count, signal: caller.signal });
}

export const clickText = action({
  name: "clickText",
  summary: "Find text on the screen and click its middle",
  effect: "act",
  waits: true,
  input: {
    click: choice(BUTTONS, "Click the middle of the match with this button; not with --read-only"),
    count: optional(integer(1, 3, "With click: 2 is a double click")),
    ...TEXT_QUERY,
    window: optional(
      group({ id: optional(WINDOW_ID), ...WINDOW_QUERY }, "Look in this window; with click, in front"),
    ),
    timeout_ms: TIMEOUT_MS,
    heal: HEAL,
  },
  output: { matches: TEXT_MATCHES, healed: HEALED },
  async run({ click: button, count = 1, timeout_ms, window, heal = false, ...query }, context) {
    const { signal } = context, click = { button, count }, request = textRequest(query, signal);
    try {
      const sought = await textToClick(request, { window, timeoutMs: timeout_ms }, context);
      const { oneText } = await finding(), { clickFound } = await import("./healing.ts");
      const reader = await context.reader(), { operator } = context;
      const press = (match: TextMatch, caller: PressCaller) => clickAt(match, click, operator, caller);
      const match = await clickFound(sought.region, () => oneText(reader, sought), press, context);
      return { matches: [match] };
    } catch (error) {
      if (!heal || !(error instanceof NotFoundError || error instanceof TimeLimitError)) throw error;
      const { clickElementOf } = await import("./healing.ts");
      const healed = await clickElementOf(query.text, window ?? {}, { ...click, signal }, context, error);
      return { matches: [], healed };
    }
  },
});

/**
 * Waits, if required, for the text to click, and returns the search for it; a named window is brought to the
 * front and searched.
 */
async function textToClick(
  request: TextRequest,
  { window, timeoutMs }: { window: WindowQuery | undefined; timeoutMs: number | undefined },
  context: ActionContext,
): Promise<TextRequest> {
  const { operator, signal } = context, { waitForText } = await finding();
  if (window && Object.values(request.region).some((value) => value !== undefined)) {
    throw new InputError("window and a region cannot both be given");
  }
  const reader = await context.reader(), { frontPart } = await import("./healing.ts");
  const placed = async () =>
    window ? { ...request, region: await frontPart(operator, window, signal) } : request;
  if (timeoutMs !== undefined) {
    await waitToClick(timeoutMs, context, async () => {
      const waited = window ? await windowCame(operator, window, timeoutMs, signal) : 0;
      return await waitForText(reader, await placed(), false, Math.max(1, timeoutMs - waited));
    });
  }
  return await placed();
}

/**
 * Waits until a window exists. @returns How long the wait took, in milliseconds, capped at the maximum wait.
 */
async function windowCame(
  operator: Operator,
  window: WindowQuery,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number> {
  const isThere = async () => matchingWindows(await listWindows(operator), window).length > 0;
  return await poll(isThere, WINDOW_LOOK_MS, timeoutMs, signal) ?? timeoutMs;
}
