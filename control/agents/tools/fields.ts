/** The fields that several tools share: places are those of the picture that a model sees. */

import { choice, group, integer, optional } from "../../actions/schema.ts";
import { BUTTONS } from "../../desktop.ts";

export const X = integer(0, 1_000_000, "Pixels from the left of the screenshot");
export const Y = integer(0, 1_000_000, "Pixels from the top of the screenshot");
export const OPTIONAL_PLACE = { x: optional(X), y: optional(Y) };
export const BUTTON = optional(choice(BUTTONS, "left if left out"));
export const REGION = optional(group({
  x: X,
  y: Y,
  width: integer(1, 1_000_000, "In pixels of the screenshot"),
  height: integer(1, 1_000_000, "In pixels of the screenshot"),
}, "A part of the screenshot"));
