/** The tool of elements. */

import { ELEMENT_QUERY } from "../../actions/element_fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { integer, inWords, optional } from "../../actions/schema.ts";
import type { ShownElement } from "../../elements/shown.ts";
import { elementsText } from "../../elements/text.ts";
import { said, tool, type ToolContext } from "../tool.ts";
import { WINDOW } from "./fields.ts";

/** An element with its place in pixels of the screenshot; without a place if the desktop does not report one. */
function shown<E extends ShownElement>(element: E, places: string, { shown }: ToolContext): ShownElement {
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
    limit: optional(integer(1, 2000, "Lines; 100 if left out")),
  },
  async run({ limit = 100, ...query }, context) {
    const { elements, ...read } = await context.run(ACTIONS.elements, { ...query, limit: 20_000 });
    const lines = elements.map((element) => shown(element, read.places, context));
    const isAsked = query.role !== undefined || query.name !== undefined;
    return said(elementsText({ ...read, elements: lines }, { limit, isAsked }));
  },
});
