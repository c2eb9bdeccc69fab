/** Tools of windows. */

import { InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { choice, integer, optional } from "../../actions/schema.ts";
import { WINDOW_ID, WINDOW_QUERY } from "../../actions/window_fields.ts";
import type { Region, WindowInfo } from "../../desktop.ts";
import { said, tool, type ToolContext } from "../tool.ts";
import { X, Y } from "./fields.ts";

/** A window in one line, at its place of the picture. */
function windowText(
  { id, title, class: kind, pid, state, active, ...place }: WindowInfo,
  context: ToolContext,
) {
  const { x, y, width, height } = regionShown(place, context);
  const process = pid === undefined ? "" : `, pid ${pid}`, focus = active ? ", active" : "";
  return `${id} ${
    JSON.stringify(title)
  } (${kind}${process}): ${width}x${height} at ${x},${y}, ${state}${focus}`;
}

function regionShown({ x, y, width, height }: Region, { shown }: ToolContext): Region {
  const from = shown({ x, y }), to = shown({ x: x + width, y: y + height });
  return { ...from, width: to.x - from.x, height: to.y - from.y };
}

export const windows = tool({
  name: "windows",
  title: "List windows",
  description:
    "The windows, the front one first, each with its id, title, class, and place on the screenshot.",
  action: ACTIONS.windows,
  input: WINDOW_QUERY,
  async run(query, context) {
    const { windows } = await context.run(ACTIONS.windows, query);
    return said(windows.map((window) => windowText(window, context)).join("\n") || "there is no window");
  },
});

/** The action of each word. */
const CHANGES = {
  activate: ACTIONS.activateWindow,
  minimize: ACTIONS.minimizeWindow,
  maximize: ACTIONS.maximizeWindow,
  restore: ACTIONS.restoreWindow,
  fullscreen: ACTIONS.fullscreenWindow,
};
const CHANGE_NAMES = [...Object.keys(CHANGES) as (keyof typeof CHANGES)[], "place", "close"] as const;

export const window = tool({
  name: "window",
  title: "Change a window",
  description:
    "Brings a window to the front, minimizes, maximizes, restores, places or closes it. Name the window by its " +
    "id, or by a part of its title, its class or its pid. place takes x, y, width and height on the screenshot.",
  action: ACTIONS.activateWindow,
  looks: "if asked",
  destructive: true,
  input: {
    change: choice(CHANGE_NAMES, "What to do with it"),
    id: optional(WINDOW_ID),
    ...WINDOW_QUERY,
    x: optional(X),
    y: optional(Y),
    width: optional(integer(1, 1_000_000, "In pixels of the screenshot")),
    height: optional(integer(1, 1_000_000, "In pixels of the screenshot")),
  },
  async run({ change, x, y, width, height, ...query }, context) {
    if (change === "close") {
      await context.run(ACTIONS.closeWindow, query);
      return said("the window is closed");
    }
    if (change !== "place") {
      return said(windowText(await context.run(CHANGES[change], query), context));
    }
    if (x === undefined || y === undefined || width === undefined || height === undefined) {
      throw new InputError("place needs x, y, width and height");
    }
    const region = context.region({ x, y, width, height });
    return said(windowText(await context.run(ACTIONS.placeWindow, { ...query, ...region }), context));
  },
});
