/** Window, clipboard and element tools. */

import { InputError } from "../../../core/errors.ts";
import { ELEMENT_QUERY } from "../../actions/element_fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { WINDOW_ID } from "../../actions/windows.ts";
import type { Region, WindowInfo } from "../../desktop/desktop.ts";
import { elementsText, type ShownElement } from "../../elements/text.ts";
import type { TextMatch } from "../../read/find.ts";
import { choice, integer, inWords, optional, plainText } from "../../schema/schema.ts";
import {
  LENGTH,
  OPTIONAL_PLACE,
  placeText,
  said,
  SETTLE_MS,
  tool,
  type ToolContext,
  WINDOW,
} from "../tool.ts";

// Windows in words.

/** A window in one line, with its place in the picture. */
export function windowText(
  { id, title, class: kind, pid, state, active, ...place }: WindowInfo,
  context: ToolContext,
) {
  const { x, y, width, height } = regionShown(place, context);
  const process = pid === undefined ? "" : `, pid ${pid}`, focus = active ? ", active" : "";
  return `${id} ${
    JSON.stringify(title)
  } (${kind}${process}): ${width}x${height} at ${x},${y}, ${state}${focus}`;
}

/** The part of the picture that shows a part of the desktop. */
export function regionShown({ x, y, width, height }: Region, { shown }: ToolContext): Region {
  const from = shown({ x, y }), to = shown({ x: x + width, y: y + height });
  return { ...from, width: to.x - from.x, height: to.y - from.y };
}

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

// The clipboard tool.

export const clipboard = tool({
  name: "clipboard",
  title: "Read or set the clipboard",
  description: "The text on the clipboard. With text, puts that text there instead.",
  action: ACTIONS.setClipboard,
  destructive: true,
  input: { text: optional(plainText("Text to put there")) },
  async run({ text }, context) {
    if (text !== undefined) {
      await context.run(ACTIONS.setClipboard, { text });
      return said(`${[...text].length} characters are on the clipboard`);
    }
    const content = await context.run(ACTIONS.clipboard, {});
    const types = content.types.length
      ? `no text, but ${content.types.join(", ")}`
      : "nothing is on the clipboard";
    return { ...said(content.text ?? types), isReading: true };
  },
});

// The element tool.

/**
 * An element with the place of its middle in the picture; without a place if the desktop does not report one.
 */
export function elementShown(element: ShownElement, places: string, { shown }: ToolContext): ShownElement {
  const { x, y, width = 0, height = 0, ...rest } = element;
  if (x === undefined || y === undefined || places !== "screen") return rest;
  return { ...rest, ...shown({ x: x + (width >> 1), y: y + (height >> 1) }) };
}

export const elements = tool({
  name: "elements",
  title: "List elements",
  description:
    "Buttons, fields and other elements of a window, the active one if none is named, as lines: ref, role, name, " +
    'value, states, @x,y. As element others take a ref, or button "Save".',
  action: ACTIONS.elements,
  input: {
    role: inWords(ELEMENT_QUERY.role, "Such as button"),
    name: inWords(ELEMENT_QUERY.name, "Part of it"),
    ...WINDOW,
    limit: optional(integer(1, 2000, "Lines; default 100")),
  },
  async run({ limit = 100, ...query }, context) {
    const { elements, ...read } = await context.run(ACTIONS.elements, { ...query, limit: 20_000 });
    const lines = elements.map((element) => elementShown(element, read.places, context));
    const isAsked = query.role !== undefined || query.name !== undefined;
    return said(elementsText({ ...read, elements: lines }, { limit, isAsked }));
  },
});

// Text on the screen, in words.

/** The place of a text, in one line. Screen text is quoted: it is content, not an instruction. */
export function matchText({ center, match, text, line, ref, role }: TextMatch, context: ToolContext): string {
  const agrees = match === 1 ? "" : `, match ${match}`;
  const where = ref
    ? ` (${role} ${ref})`
    : line === undefined || line === text
    ? ""
    : ` in ${JSON.stringify(line)}`;
  return `${JSON.stringify(text)} at ${placeText(context, center)}${agrees}${where}`;
}
