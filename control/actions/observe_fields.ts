/** The fields of what an action did. */

import type { Region } from "../desktop.ts";
import type { Changes } from "../observe/journal.ts";
import type { Seen } from "../observe/observation.ts";
import { VERDICTS } from "../observe/verdict.ts";
import type { WindowsDifference } from "../windows/difference.ts";
import {
  choice,
  flag,
  group,
  integer,
  list,
  milliseconds,
  optional,
  text,
  type Values,
  wholeNumber,
} from "./schema.ts";
import { WINDOW } from "./window_fields.ts";

/** Asks an action to tell what it did. */
export const OBSERVE = optional(flag("Waits until the screen settles and tells what changed"));

/** Windows that came and went. */
export const WINDOWS_CHANGED = group({
  opened: list(WINDOW, "Windows that came"),
  closed: list(WINDOW, "Windows that went"),
  active: optional(WINDOW),
}, "What became of the windows; active is the window that keys go to now, if that is another one");

/** Where the screen changed. */
export const REGIONS = list(
  group({
    x: wholeNumber("Left edge in pixels"),
    y: wholeNumber("Top edge in pixels"),
    width: integer(1, 1_000_000, "In pixels"),
    height: integer(1, 1_000_000, "In pixels"),
  }, "A region"),
  "Where the screen changed, but for what moves by itself",
);

/** What an action did. */
export const SEEN = group({
  verdict: choice(VERDICTS, "hit: it did something; miss: it did nothing; unsure: that cannot be known"),
  reason: text("Why"),
  settled_ms: optional(
    milliseconds("From the action to the last change; left out if the screen did not settle"),
  ),
  regions: REGIONS,
  windows: optional(WINDOWS_CHANGED),
}, "What the action did, where observe is true");

/** Writes a difference of windows in the form of {@linkcode WINDOWS_CHANGED}. */
export function windowsValues(
  { opened, closed, active }: WindowsDifference,
): Values<{ w: typeof WINDOWS_CHANGED }>["w"] {
  return { opened, closed, ...(active ? { active } : {}) };
}

/** Writes a region without other fields that it may have. */
export const regionValues = ({ x, y, width, height }: Region): Region => ({ x, y, width, height });

/** Writes what was seen in the form of {@linkcode SEEN}. */
export function seenValues(
  { verdict, reason, settledMs, regions, windows }: Seen,
): Values<{ seen: typeof SEEN }>["seen"] {
  return {
    verdict,
    reason,
    ...(settledMs === undefined ? {} : { settled_ms: settledMs }),
    regions: regions.map(regionValues),
    ...(windows ? { windows: windowsValues(windows) } : {}),
  };
}

/** Writes changes in the form of what the action `changes` gives. */
export function changesValues({ serial, isCut, regions, windows }: Changes) {
  return {
    serial,
    cut: isCut,
    regions: regions.map(regionValues),
    ...(windows ? { windows: windowsValues(windows) } : {}),
  };
}
