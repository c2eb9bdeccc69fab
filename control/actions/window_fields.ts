/** The fields of windows: how one is chosen, and how one is described. */

import { WINDOW_STATES } from "../desktop.ts";
import {
  choice,
  count,
  flag,
  group,
  integer,
  optional,
  patterned,
  plainText,
  text,
  wholeNumber,
} from "./schema.ts";

/** A window's id. */
export const WINDOW_ID = patterned(
  /^0x[0-9a-fA-F]{1,16}$/,
  "an id such as 0x1a00003, from /api/windows",
  "The window's id, as it is listed",
);

/** Fields that choose windows. */
export const WINDOW_QUERY = {
  title: optional(text("A part of the title, in any case")),
  class: optional(text("The class, such as xterm, in any case")),
  pid: optional(integer(1, 2 ** 32, "The id of the window's process")),
};

/** A window as it is listed. */
export const WINDOW_FIELDS = {
  id: WINDOW_ID,
  title: plainText("Text of the window's title bar"),
  class: plainText("The class that the program gave its window"),
  pid: optional(count("The id of the window's process, if the system tells it")),
  x: wholeNumber("Left edge in pixels, with the frame"),
  y: wholeNumber("Top edge in pixels, with the frame"),
  width: integer(0, 1_000_000, "The size in pixels, with the frame"),
  height: integer(0, 1_000_000, "The size in pixels, with the frame"),
  state: choice(WINDOW_STATES, "How the window is shown"),
  active: flag("True if the window gets keys"),
};

/** A window as one field. */
export const WINDOW = group(WINDOW_FIELDS, "A window");
