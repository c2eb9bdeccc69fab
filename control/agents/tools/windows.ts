/** Tools of windows. */

import { InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { choice, inWords, optional } from "../../actions/schema.ts";
import { WINDOW_ID } from "../../actions/window_fields.ts";
import { said, SETTLE_MS, tool } from "../tool.ts";
import { LENGTH, OPTIONAL_PLACE, WINDOW } from "./fields.ts";
import { windowText } from "./window_text.ts";

export const windows = tool({
  name: "windows",
  title: "List windows",
  description: "The windows, the front one first, with id, title, class and place.",
  action: ACTIONS.windows,
  input: WINDOW,
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
  description: "Changes a window, named by id, title, class or pid. place takes x, y, width and height.",
  action: ACTIONS.activateWindow,
  picture: "if asked",
  settleMs: SETTLE_MS,
  destructive: true,
  input: {
    change: choice(CHANGE_NAMES, ""),
    id: optional(inWords(WINDOW_ID, "")),
    ...WINDOW,
    ...OPTIONAL_PLACE,
    width: optional(LENGTH),
    height: optional(LENGTH),
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
