/** The fields that several tools share: places are those of the picture that a model sees. */

import { choice, type Field, group, integer, inWords, optional } from "../../schema/schema.ts";
import { BACKGROUND as ELEMENT_BACKGROUND, ELEMENT_PLACE } from "../../actions/elements.ts";
import { HOLD } from "../../schema/fields.ts";
import { TEXT_QUERY } from "../../actions/find.ts";
import { WINDOW_QUERY } from "../../actions/windows.ts";
import { BUTTONS } from "../../desktop/desktop.ts";

/** Keys that are held during an action. */
export const HELD_KEYS = inWords(HOLD, "Keys held, such as shift+alt");
/** A window by words about it. */
export const WINDOW = {
  title: inWords(WINDOW_QUERY.title, "Part of it"),
  class: inWords(WINDOW_QUERY.class, ""),
  pid: inWords(WINDOW_QUERY.pid, ""),
};

/** A text on the screen. An empty one counts as left out, as `minLength` says. */
export const TEXT: Field<string, true> = { ...TEXT_QUERY.text, schema: { type: "string", minLength: 1 } };

/**
 * An element instead of x and y, also as an object; the tool that lists elements describes the form. Some models' services
 * take no schema of two types.
 */
export const ELEMENT = { ...ELEMENT_PLACE, schema: { type: "string", minLength: 1 } };

/** Whether an act on an element leaves the pointer and the focus alone; the description stands with one tool for all. */
export const BACKGROUND: typeof ELEMENT_BACKGROUND = inWords(ELEMENT_BACKGROUND, "");

/** A coordinate or a length in pixels of the screenshot, which the descriptions of the tools say for all. */
function pixels(least: number): Field<number, true> {
  return { ...integer(least, 1_000_000, ""), schema: { type: "integer" } };
}

export const X = pixels(0);
export const Y = pixels(0);
export const LENGTH = pixels(1);
export const OPTIONAL_PLACE = { x: optional(X), y: optional(Y) };
export const BUTTON = optional(choice(BUTTONS, "default left"));
export const REGION_FIELDS = { x: X, y: Y, width: LENGTH, height: LENGTH };
/** A part of the screenshot. Its schema names the fields in words, which are a third of the tokens. */
export const REGION = optional({
  ...group(REGION_FIELDS, ""),
  schema: { type: "object", description: "{x, y, width, height} of the screenshot" },
});
