/**
 * The actions of Anthropic's tool `computer`, versions 20250124 and 20251124
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool).
 */

import { InputError } from "../../../core/errors.ts";
import { describeValue } from "../../../core/printable.ts";
import { LONGEST_OWN_MS } from "../tool.ts";
import {
  type Dialect,
  type ModelAction,
  type ModelCall,
  numberOf,
  SCREENSHOT,
  textOf,
  toolCall,
} from "./dialect.ts";

/** The place of an action; left out for the pointer position. */
function place(action: ModelAction, name = "coordinate"): { x: number; y: number } | undefined {
  const value = action[name];
  if (value === undefined || value === null) return undefined;
  const numbers = list(value, name, 2);
  return { x: numbers[0], y: numbers[1] };
}

function list(value: unknown, name: string, length: number): number[] {
  if (Array.isArray(value) && value.length === length && value.every((entry) => Number.isFinite(entry))) {
    return value.map(Math.round);
  }
  throw new InputError(`action.${name} must be an array of ${length} numbers, not ${describeValue(value)}`);
}

/** Keys held during the action. */
const held = ({ text }: ModelAction) => text;

const click = (button: string, count: number) => (action: ModelAction): ModelCall[] => [
  toolCall("click", { ...place(action), button, count, hold: held(action) }),
];

const button =
  (tool: string) => (action: ModelAction) => [toolCall(tool, { button: "left", ...place(action) })];

/**
 * The duration of an action, in milliseconds.
 * @throws InputError above the maximum: a shorter time would not do what the model asked for.
 */
function milliseconds(action: ModelAction): number {
  const ms = Math.max(1, Math.round(numberOf(action, "duration", 1) * 1000));
  if (ms <= LONGEST_OWN_MS) return ms;
  throw new InputError(`action.duration must be at most ${LONGEST_OWN_MS / 1000} seconds, not ${ms / 1000}`);
}

function needed(action: ModelAction, name: string) {
  const point = place(action, name);
  if (!point) throw new InputError(`Missing action.${name}`);
  return point;
}

const CLICK = ["coordinate", "text"];

/** The fields of each action; unless the action types text, `text` names the keys held meanwhile. */
const FIELDS = {
  screenshot: [],
  cursor_position: [],
  mouse_move: ["coordinate"],
  left_click: CLICK,
  right_click: CLICK,
  middle_click: CLICK,
  double_click: CLICK,
  triple_click: CLICK,
  left_click_drag: ["start_coordinate", ...CLICK],
  left_mouse_down: ["coordinate"],
  left_mouse_up: ["coordinate"],
  scroll: ["scroll_direction", "scroll_amount", ...CLICK],
  key: ["text", "repeat"],
  hold_key: ["text", "duration"],
  type: ["text"],
  wait: ["duration"],
  zoom: ["region"],
};

export const ANTHROPIC: Dialect = {
  names: "action",
  fields: FIELDS,
  actions: {
    screenshot: () => [SCREENSHOT],
    cursor_position: () => [toolCall("position")],
    mouse_move: (action) => [toolCall("move", needed(action, "coordinate"))],
    left_click: click("left", 1),
    right_click: click("right", 1),
    middle_click: click("middle", 1),
    double_click: click("left", 2),
    triple_click: click("left", 3),
    left_click_drag: (action) => [
      toolCall("drag", {
        path: [needed(action, "start_coordinate"), needed(action, "coordinate")],
        hold: held(action),
      }),
    ],
    left_mouse_down: button("press"),
    left_mouse_up: button("release"),
    scroll(action) {
      const amount = Math.min(100, Math.round(numberOf(action, "scroll_amount")));
      if (amount <= 0) return place(action) ? [toolCall("move", place(action)!)] : [];
      const direction = textOf(action, "scroll_direction");
      return [toolCall("scroll", { direction, amount, ...place(action), hold: held(action) })];
    },
    key: (action) => [toolCall("key", { keys: textOf(action, "text"), repeat: action.repeat })],
    hold_key: (action) => [
      toolCall("key", { keys: textOf(action, "text"), hold_ms: milliseconds(action) }),
    ],
    type: (action) => [toolCall("type", { text: textOf(action, "text") })],
    wait: (action) => [toolCall("wait", { ms: milliseconds(action) }), SCREENSHOT],
    zoom(action) {
      const [x, y, right, bottom] = list(action.region, "region", 4);
      return [toolCall("screenshot", { region: { x, y, width: right - x, height: bottom - y } })];
    },
  },
};

// The members of Anthropic's toolset `computer_toolset_20260801`. The vendor's SDK (`@anthropic-ai/sdk` 1.12)
// defines the inputs (`BetaComputer…Input`) and the result texts (`computer-members`). The members are the
// actions of the tool `computer`; of these, only `wait` answers without a picture.

/** The `toolset_name` of the toolset's blocks. */
export const TOOLSET_NAME = "computer";

/** Result of the remaining blocks of a turn after a failure, as worded in the toolset's documentation. */
export const NOT_EXECUTED = "Not executed: an earlier computer action in this turn failed.";

/** Result texts by member; `{field}` stands for an input field. Empty if the answer is the result. */
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

/** The members as a dialect: `name` is the member, at the same level as the fields of `input`. */
export const TOOLSET: Dialect = {
  names: "name",
  fields: FIELDS,
  view: "large",
  actions: {
    ...Object.fromEntries(Object.keys(RESULTS).map((name) => [name, ANTHROPIC.actions[name]])),
    wait: (action) => ANTHROPIC.actions.wait(action).slice(0, 1),
  },
};

/**
 * The result text of a member.
 * @param name A member of {@linkcode TOOLSET}.
 * @param input The fields that the model gave.
 * @returns Empty if the call's answer is the result.
 * @example
 * resultText("key", { text: "ctrl+s" }); // "Pressed ctrl+s."
 */
export function resultText(name: string, input: Record<string, unknown>): string {
  const template: string = RESULTS[name as keyof typeof RESULTS];
  return template.replace(/\{(\w+)\}/g, (_, field) => oneLine(String(input[field] ?? "")));
}

/** Puts a model's text on one line: a line break would look like the end of the result. */
function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}
