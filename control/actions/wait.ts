/** Waits for the screen: for a pixel, stillness, a change, a picture, a text or a window. */

import { InputError, TimeLimitError } from "../../core/errors.ts";
import { waitForPicture } from "../find/find.ts";
import type { Operator } from "../operator/operator.ts";
import { waitForChange, waitForPixel, waitForStillness } from "../operator/wait.ts";
import { describeQuery, waitForWindow, type WindowQuery } from "../windows/list.ts";
import { action, type ActionContext } from "./action.ts";
import { color, REGION, X, Y } from "../schema/fields.ts";
import { AWAITED_ELEMENT, ELEMENT, elementValues } from "./element_fields.ts";
import { ANY_MATCH, PICTURE_QUERY, TEXT_QUERY, textRequest } from "./find.ts";
import {
  flag,
  group,
  integer,
  milliseconds,
  optional,
  renamed,
  type ValueOf,
  type Values,
} from "../schema/schema.ts";
import { WINDOW, WINDOW_QUERY } from "./windows.ts";

/** Maximum number of simultaneously waiting callers. */
const WAITERS = 64;

const PICTURE = group({
  ...PICTURE_QUERY,
  gone: optional(flag("Wait until it is gone")),
}, "Wait until a picture appears");

const TEXT = group({
  ...TEXT_QUERY,
  gone: optional(flag("Wait until it is gone")),
}, "Wait until text appears");

/** Kinds of waits, by the field that requests each. */
const KINDS = {
  pixel: optional(group({
    x: X,
    y: Y,
    hex: color("The colour to wait for"),
    tolerance: optional(integer(0, 255, "Allowed difference per colour channel; default 0")),
  }, "Wait until a pixel has a colour")),
  still: renamed(
    "stable",
    optional(group({
      ms: integer(1, 600_000, "Milliseconds for which nothing may change"),
      ...REGION,
    }, "Wait until a region stops changing, apart from a blinking caret")),
  ),
  change: optional(group(REGION, "Wait until a region changes")),
  picture: renamed("image", optional(PICTURE)),
  text: optional(TEXT),
  element: optional(AWAITED_ELEMENT),
  window: optional(group({
    ...WINDOW_QUERY,
    active: optional(flag("Require the keyboard focus")),
    gone: optional(flag("Wait until none matches")),
  }, "Wait until a window appears")),
};

export const wait = action({
  name: "wait",
  summary:
    "Wait for a pixel's colour, for a region to stay still or to change, for a picture, a text, an element or a window",
  effect: "read",
  waits: true,
  input: {
    ...KINDS,
    timeout_ms: optional(
      integer(1, 600_000, "Milliseconds until the call gives up; default 10000"),
    ),
  },
  output: {
    ok: flag("true"),
    ms: milliseconds("Milliseconds that the wait took"),
    match: optional(ANY_MATCH),
    window: optional(WINDOW),
    element: optional(ELEMENT),
  },
  limit: { count: WAITERS, message: `${WAITERS} clients are waiting already; try again later` },
  async run({ timeout_ms = 10_000, ...kinds }, context) {
    const given = Object.keys(kinds);
    if (!given.length) throw new InputError("Missing pixel, still, change, picture, text, element or window");
    if (given.length > 1) throw new InputError(`${given.join(" and ")} cannot both be given`);
    const { picture, text, window, element, ...screen } = kinds, { operator, signal } = context;
    if (element) return await elementWait(operator, element, timeout_ms, signal);
    if (window) return await windowWait(operator, window, timeout_ms, signal);
    if (text) return await textWait(text, timeout_ms, context);
    if (picture) return await pictureWait(picture, timeout_ms, context);
    return { ok: true, ms: await screenWait(operator, screen, timeout_ms, signal) };
  },
});

async function screenWait(
  operator: Operator,
  { pixel, still, change }: Pick<Values<typeof KINDS>, "pixel" | "still" | "change">,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number> {
  const inTime = (ms: number | undefined, what: string) => {
    if (ms === undefined) throw new TimeLimitError(`${what} within ${timeoutMs} ms`);
    return ms;
  };
  if (pixel) {
    const { hex, tolerance = 0 } = pixel;
    const ms = await waitForPixel(operator, pixel, hex, tolerance, timeoutMs, signal);
    return inTime(ms, "the pixel did not get that colour");
  }
  if (still) {
    const ms = await waitForStillness(operator, still, still.ms, timeoutMs, signal);
    return inTime(ms, "the region did not stay still");
  }
  return inTime(await waitForChange(operator, change!, timeoutMs, signal), "the region did not change");
}

async function pictureWait(
  { gone = false, x, y, width, height, ...query }: ValueOf<typeof PICTURE>,
  timeoutMs: number,
  { finder, signal }: ActionContext,
) {
  const request = { ...query, region: { x, y, width, height }, signal };
  const { ms, matches: [match] } = await waitForPicture(finder, request, gone, timeoutMs);
  return { ok: true, ms, ...(match ? { match } : {}) };
}

async function textWait(
  { gone = false, ...query }: ValueOf<typeof TEXT>,
  timeoutMs: number,
  { reader, signal }: ActionContext,
) {
  const { waitForText } = await import("../read/find.ts"), request = textRequest(query, signal);
  const { ms, matches: [match] } = await waitForText(await reader(), request, gone, timeoutMs);
  return { ok: true, ms, ...(match ? { match } : {}) };
}

async function elementWait(
  operator: Operator,
  { gone = false, element: ref, ...query }: NonNullable<Values<typeof KINDS>["element"]>,
  timeoutMs: number,
  signal: AbortSignal,
) {
  if (ref === undefined && query.role === undefined && query.name === undefined) {
    throw new InputError("Missing element.role or element.name");
  }
  const { waitForElement, describeAwaited } = await import("../elements/awaited.ts");
  const awaited = { ref, ...query, gone };
  const { ms, element, there } = await waitForElement(operator, awaited, timeoutMs, signal);
  if (ms === undefined) {
    const what = describeAwaited(awaited, element !== undefined, timeoutMs);
    throw new TimeLimitError(there ? `${what}: ${there}` : what);
  }
  return { ok: true, ms, ...(element ? { element: elementValues(element) } : {}) };
}

async function windowWait(
  operator: Operator,
  { gone = false, ...query }: WindowQuery & { gone?: boolean },
  timeoutMs: number,
  signal: AbortSignal,
) {
  if (!Object.keys(query).length) throw new InputError("Missing window.title, window.class or window.pid");
  const found = await waitForWindow(operator, query, gone, timeoutMs, signal);
  if (found) return { ok: true, ...found };
  const asked = describeQuery(query);
  throw new TimeLimitError(
    gone
      ? `a window still matches ${asked} after ${timeoutMs} ms`
      : `no window matches ${asked} within ${timeoutMs} ms`,
  );
}
