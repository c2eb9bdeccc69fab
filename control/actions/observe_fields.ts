/** The fields of an observation: the effect of an action. */

import { SIZE } from "../schema/fields.ts";
import type { Region } from "../desktop/desktop.ts";
import type { Changes } from "../observe/follower.ts";
import type { Seen } from "../observe/observation.ts";
import { VERDICTS } from "../operator/calls.ts";
import { InputError } from "../../core/errors.ts";
import { describeValue } from "../../core/printable.ts";
import { ELEMENT, elementValues } from "./element_fields.ts";
import type { WindowsDifference } from "../windows/list.ts";
import {
  choice,
  type Field,
  group,
  list,
  milliseconds,
  optional,
  plainText,
  text,
  type Values,
  wholeNumber,
} from "../schema/schema.ts";
import { WINDOW } from "./windows.ts";

/** Requests the effect of an action. */
export const OBSERVE = observe([false, true, "elements"]);
/** The field `observe` in a query. */
export const OBSERVE_WORD = observe(["false", "true", "elements"]);

/** How an action is observed: not at all, its changes, or also the elements that it changed. */
type Observing = false | true | "elements";

/** Reads how to observe an action; `words` stand for no, yes and with elements. */
function observe(words: readonly unknown[]): Field<Observing, false> {
  return {
    required: false,
    schema: {
      enum: words,
      description: "Wait until the screen settles and report what changed; elements: changed elements, too",
    },
    parse(value, name) {
      const at = words.indexOf(value);
      if (at >= 0) return ([false, true, "elements"] as const)[at];
      throw new InputError(`${name} must be true, false or "elements", not ${describeValue(value)}`);
    },
  };
}

/** Windows that opened and closed. */
export const WINDOWS_CHANGED = group({
  opened: list(WINDOW, "Windows that were opened"),
  closed: list(WINDOW, "Windows that were closed"),
  active: optional(WINDOW),
}, "Windows that were opened and closed; active is the window that now receives keys, if that changed");

/** The changed regions of the screen. */
export const REGIONS = list(
  group({
    x: wholeNumber("The corner in pixels"),
    y: wholeNumber("The corner in pixels"),
    ...SIZE,
  }, "A region"),
  "The changed parts of the screen, except those that change by themselves",
);

/** The effect of an action. */
export const SEEN = group({
  verdict: choice(
    VERDICTS,
    "hit: the action had an effect; miss: it had none; unsure: the effect is unclear",
  ),
  reason: text("The reason"),
  settled_ms: optional(
    milliseconds("Milliseconds from the action to the last change; omitted if the screen did not settle"),
  ),
  regions: REGIONS,
  windows: optional(WINDOWS_CHANGED),
  elements: optional(group(
    {
      added: list(ELEMENT, "Added elements; for a window that opened, all of them"),
      changed: list(ELEMENT, "Elements whose name, value or state changed, as they are now"),
      removed: list(ELEMENT, "Elements that were removed"),
      silent: optional(plainText("Why a window shows no elements")),
    },
    "Added, changed and removed elements of the window, at most 30 of each, if observe is elements",
  )),
  focus: optional(ELEMENT),
}, "The effect of the action, if observe is set; focus is the focused element");

/** Converts a difference of windows to the form of {@linkcode WINDOWS_CHANGED}. */
function windowsValues(
  { opened, closed, active }: WindowsDifference,
): Values<{ w: typeof WINDOWS_CHANGED }>["w"] {
  return { opened, closed, ...(active ? { active } : {}) };
}

/** Copies a region without any other fields. */
const regionValues = ({ x, y, width, height }: Region): Region => ({ x, y, width, height });

/** Converts an observation to the form of {@linkcode SEEN}. */
export function seenValues(
  { verdict, reason, settledMs, regions, windows, elements }: Seen,
): Values<{ seen: typeof SEEN }>["seen"] {
  return {
    verdict,
    reason,
    ...(settledMs === undefined ? {} : { settled_ms: settledMs }),
    regions: regions.map(regionValues),
    ...(windows ? { windows: windowsValues(windows) } : {}),
    ...(elements ? elementsChanged(elements) : {}),
  };
}

function elementsChanged({ added, changed, removed, silent, focus }: NonNullable<Seen["elements"]>) {
  const elements = {
    added: added.map(elementValues),
    changed: changed.map(elementValues),
    removed: removed.map(elementValues),
    ...(silent === undefined ? {} : { silent }),
  };
  return { elements, ...(focus ? { focus: elementValues(focus) } : {}) };
}

/** Converts changes to the form of the `changes` action. */
export function changesValues({ serial, isCut, regions, windows }: Changes) {
  return {
    serial,
    cut: isCut,
    regions: regions.map(regionValues),
    ...(windows ? { windows: windowsValues(windows) } : {}),
  };
}
