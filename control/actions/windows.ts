/** Window actions: list, activate, minimize, maximize, restore, place, close. */

import { InputError } from "../../core/errors.ts";
import { type Region, WINDOW_STATES, type WindowChange, type WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { fromJson } from "../schema/fields.ts";
import {
  choice,
  count,
  type Field,
  type Fields,
  flag,
  group,
  integer,
  list,
  optional,
  patterned,
  plainText,
  text,
  type Values,
  wholeNumber,
} from "../schema/schema.ts";
import { listWindows, matchingWindows, oneWindow, windowPart, type WindowQuery } from "../windows/list.ts";
import { action, type ActionContext } from "./action.ts";

// The fields that choose a window, and those that describe one.

export const WINDOW_ID = patterned(
  /^0x[0-9a-fA-F]{1,16}$/,
  "an id such as 0x1a00003, from /api/windows",
  "The window's id, as GET /api/windows lists it",
);

/** Fields that choose windows. */
export const WINDOW_QUERY = {
  title: optional(text("Part of the title, case-insensitive")),
  class: optional(text("The class, such as xterm, case-insensitive")),
  pid: optional(integer(1, 2 ** 32, "The id of the window's process")),
};

const windowFields = group({ id: optional(WINDOW_ID), ...WINDOW_QUERY }, "A window");

/** A window by its id, by part of its title, or by its fields in JSON. */
export const WINDOW_NAME: Field<WindowQuery, true> = {
  required: true,
  schema: { type: "string", description: "A window: its id, a part of its title, or its fields in JSON" },
  parse(value, name) {
    if (typeof value !== "string") return windowFields.parse(value, name);
    if (value.startsWith("{")) return windowFields.parse(fromJson(value, name), name);
    return /^0x[0-9a-f]{1,16}$/i.test(value) ? { id: value } : { title: value };
  },
};

/** The part of the desktop that a call reads. */
interface LookedAt {
  region: Partial<Region>;
  /** As `WindowPart` has it. */
  window?: WindowInfo;
  /** The id of the window, if one is named. */
  id?: string;
}

/**
 * Locates a window, covered or not, or a region of the screen.
 * @throws Like `oneWindow` and `windowPart`.
 */
export async function lookedAt(
  operator: Operator,
  query: WindowQuery | undefined,
  region: Partial<Region>,
): Promise<LookedAt> {
  if (!query) return { region };
  const { id } = oneWindow(await listWindows(operator), query);
  return { id, ...await windowPart(operator, id, region) };
}

/** A window in a listing. */
const WINDOW_FIELDS = {
  id: WINDOW_ID,
  title: plainText("Text of the window's title bar"),
  class: plainText("The class of the window"),
  pid: optional(count("The id of the window's process, if the system reports it")),
  x: wholeNumber("The corner in pixels, frame included"),
  y: wholeNumber("The corner in pixels, frame included"),
  width: integer(0, 1_000_000, "The size in pixels, frame included"),
  height: integer(0, 1_000_000, "The size in pixels, frame included"),
  state: choice(WINDOW_STATES, "The state of the window"),
  elsewhere: optional(flag("True if the window is on a workspace that is not shown; omitted otherwise")),
  active: flag("Whether the window has the keyboard focus"),
};

export const WINDOW = group(WINDOW_FIELDS, "A window");

export const windows = action({
  name: "windows",
  summary: "The windows, the front one first",
  effect: "read",
  input: { ...WINDOW_QUERY, active: optional(flag("Whether the window has the keyboard focus")) },
  output: { windows: list(WINDOW, "The windows that a person can switch to") },
  async run(query, { operator }) {
    return { windows: matchingWindows(await listWindows(operator), query) };
  },
});

/** The fields common to all changes. */
const CHANGE_INPUT = {
  id: optional(WINDOW_ID),
  ...WINDOW_QUERY,
  any: optional(
    flag("Use the front window if several match, or if none is named"),
  ),
  timeout_ms: optional(integer(1, 30_000, "Milliseconds until the call gives up; default 2000")),
};

async function change(
  { any, timeout_ms = 2000, ...query }: WindowQuery & { any?: boolean; timeout_ms?: number },
  change: WindowChange,
  { operator, signal }: ActionContext,
): Promise<WindowInfo> {
  if (!any && Object.values(query).every((value) => value === undefined)) {
    throw new InputError("Missing id, title, class or pid (or any: true, for the front one)");
  }
  const { changeWindow } = await import("../windows/change.ts");
  return (await changeWindow(operator, { query, change, any, timeoutMs: timeout_ms, signal }))!;
}

/** Makes the action for a change without values. */
function changeAction<const N extends string>(name: N, summary: string, to: "active" | WindowInfo["state"]) {
  return action({
    name,
    summary,
    effect: "act",
    input: CHANGE_INPUT,
    output: WINDOW_FIELDS,
    run: (values: Values<typeof CHANGE_INPUT>, context: ActionContext) => change(values, { to }, context),
  });
}

export const activateWindow = changeAction("activateWindow", "Bring a window to the front", "active");
export const minimizeWindow = changeAction("minimizeWindow", "Minimize a window", "minimized");
export const maximizeWindow = changeAction("maximizeWindow", "Maximize a window", "maximized");
export const restoreWindow = changeAction("restoreWindow", "Restore a window to its normal size", "normal");
export const fullscreenWindow = changeAction(
  "fullscreenWindow",
  "Make a window full screen",
  "fullscreen",
);

export const closeWindow = action({
  name: "closeWindow",
  summary: "Ask a window to close",
  effect: "act",
  input: CHANGE_INPUT,
  output: {},
  async run(values, context) {
    await change(values, { to: "closed" }, context);
  },
});

const PLACE = {
  x: optional(wholeNumber("The corner in pixels, frame included")),
  y: optional(wholeNumber("The corner in pixels, frame included")),
  width: optional(integer(1, 1_000_000, "The size in pixels, frame included")),
  height: optional(integer(1, 1_000_000, "The size in pixels, frame included")),
} satisfies Fields;

export const placeWindow = action({
  name: "placeWindow",
  summary: "Move and resize a window",
  effect: "act",
  input: { ...CHANGE_INPUT, ...PLACE },
  output: WINDOW_FIELDS,
  run({ x, y, width, height, ...values }, context) {
    const given = Object.entries({ x, y, width, height }).filter(([, value]) => value !== undefined);
    if (!given.length) throw new InputError("Missing x, y, width or height");
    return change(values, { to: "placed", region: Object.fromEntries(given) }, context);
  },
});
