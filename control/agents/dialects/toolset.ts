/**
 * The members of Anthropic's toolset `computer_toolset_20260801`. The vendor's SDK (`@anthropic-ai/sdk` 1.12) defines
 * the inputs (`BetaComputer…Input`) and the texts of the results (`computer-members`). The members are the actions of
 * the tool `computer`; of these, `wait` alone answers without a picture.
 */

import { ANTHROPIC } from "./anthropic.ts";
import type { Dialect } from "./dialect.ts";

/** The name that blocks of the toolset have as `toolset_name`. */
export const TOOLSET_NAME = "computer";

/** The rest of a turn after a failure, as the toolset's documentation words it. */
export const NOT_EXECUTED = "Not executed: an earlier computer action in this turn failed.";

/** Texts of results by member; `{field}` stands for a field of the input. Empty where the answer is the result. */
const RESULTS = {
  key: "Pressed {text}.",
  hold_key: "Held {text} for {duration}s.",
  type: "Typed.",
  cursor_position: "",
  mouse_move: "Moved the mouse.",
  left_mouse_down: "Left mouse button pressed.",
  left_mouse_up: "Left mouse button released.",
  left_click: "Clicked.",
  left_click_drag: "Dragged.",
  right_click: "Right-clicked.",
  middle_click: "Middle-clicked.",
  double_click: "Double-clicked.",
  triple_click: "Triple-clicked.",
  scroll: "Scrolled {scroll_direction}.",
  wait: "Waited {duration}s.",
  screenshot: "",
  zoom: "",
} as const satisfies Record<string, string>;

/** The members as a dialect: `name` is the member, the fields of `input` stand beside it. */
export const TOOLSET: Dialect = {
  names: "name",
  view: "large",
  actions: {
    ...Object.fromEntries(Object.keys(RESULTS).map((name) => [name, ANTHROPIC.actions[name]])),
    wait: (action) => ANTHROPIC.actions.wait(action).slice(0, 1),
  },
};

/**
 * The text of a member's result.
 * @param name The member, which {@linkcode TOOLSET} has.
 * @param input The fields that the model gave.
 * @returns Empty where the answer of the call is the result.
 * @example
 * resultText("key", { text: "ctrl+s" }); // "Pressed ctrl+s."
 */
export function resultText(name: string, input: Record<string, unknown>): string {
  const template: string = RESULTS[name as keyof typeof RESULTS];
  return template.replace(/\{(\w+)\}/g, (_, field) => oneLine(String(input[field] ?? "")));
}

/** A text of the model on one line: a line break would look like the end of the result. */
function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}
