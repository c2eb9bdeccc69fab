/** Waiting for the screen: for a pixel, for stillness, for a window. */

import { InputError, TimeLimitError } from "../../core/errors.ts";
import type { Operator } from "../operator.ts";
import { waitForPixel, waitForStillness } from "../wait.ts";
import { waitForWindow } from "../windows/list.ts";
import { describeQuery, type WindowQuery } from "../windows/selection.ts";
import { action } from "./action.ts";
import { REGION, X, Y } from "./fields.ts";
import { color, flag, group, integer, milliseconds, optional } from "./schema.ts";
import { WINDOW, WINDOW_QUERY } from "./window_fields.ts";

/** Callers that may wait at once. */
const WAITERS = 64;

export const wait = action({
  name: "wait",
  summary: "Wait for a pixel's colour, for a region to stay still, or for a window",
  effect: "look",
  input: {
    pixel: optional(group({
      x: X,
      y: Y,
      hex: color("The colour to wait for"),
      tolerance: optional(integer(0, 255, "How far each of red, green, blue may be off; 0 if left out")),
    }, "Wait until a pixel has a colour")),
    stable: optional(group({
      ms: integer(1, 600_000, "For how long nothing may change"),
      ...REGION,
    }, "Wait until a region stays as it is")),
    window: optional(group({
      ...WINDOW_QUERY,
      active: optional(flag("Whether keys must go to it")),
      gone: optional(flag("Waits until there is none")),
    }, "Wait until a window is there")),
    timeout_ms: optional(integer(1, 600_000, "When to give up; 10000 if left out")),
  },
  output: {
    ok: flag("true"),
    ms: milliseconds("How long it took"),
    window: optional(WINDOW),
  },
  limit: { count: WAITERS, message: `${WAITERS} clients are waiting already; try again later` },
  async run({ pixel, stable, window, timeout_ms = 10_000 }, { operator, signal }) {
    const given = Object.entries({ pixel, stable, window }).filter(([, value]) => value).map(([name]) =>
      name
    );
    if (!given.length) throw new InputError("Missing pixel, stable or window");
    if (given.length > 1) throw new InputError(`${given.join(" and ")} cannot both be given`);
    if (window) return await windowWait(operator, window, timeout_ms, signal);
    const ms = pixel
      ? await waitForPixel(operator, pixel, pixel.hex, pixel.tolerance ?? 0, timeout_ms, signal)
      : await waitForStillness(operator, stable!, stable!.ms, timeout_ms, signal);
    if (ms !== undefined) return { ok: true, ms };
    throw late(pixel ? "the pixel did not get that colour" : "the region did not stay still", timeout_ms);
  },
});

async function windowWait(
  operator: Operator,
  { gone = false, ...query }: WindowQuery & { gone?: boolean },
  timeoutMs: number,
  signal: AbortSignal,
) {
  if (!Object.keys(query).length) throw new InputError("Missing window.title, window.class or window.pid");
  const found = await waitForWindow(operator, query, gone, timeoutMs, signal);
  if (found) return { ok: true, ...found };
  throw late(`${gone ? "a window still has" : "no window has"} ${describeQuery(query)}`, timeoutMs);
}

function late(what: string, timeoutMs: number): TimeLimitError {
  return new TimeLimitError(`${what} within ${timeoutMs} ms`);
}
