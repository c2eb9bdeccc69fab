/**
 * The actions of Google's models: those of Gemini 2.5 and of Gemini 3 (https://ai.google.dev/gemini-api/docs/computer-use,
 * github.com/google-gemini/computer-use-preview). Coordinates are thousandths of the picture. Actions of a browser, such as
 * `navigate`, are for a browser.
 */

import { InputError } from "../../../core/errors.ts";
import { LONGEST_MS } from "../tools/looking.ts";
import {
  type Dialect,
  type ModelAction,
  notches,
  numberOf,
  SCREENSHOT,
  textOf,
  type ToolCall,
  toolCall,
} from "./dialect.ts";

/** Coordinates and magnitudes are from 0 to 1000. */
const WHOLE = 1000;
/** The magnitude that is one notch of the wheel. */
const MAGNITUDE_PER_NOTCH = 100;
/** The magnitude of a scroll that says none. */
const USUAL_MAGNITUDE = 800;

/** A coordinate; 1000, the far edge, is the last place. */
function coordinate(action: ModelAction, name: string): number {
  const value = numberOf(action, name);
  if (value < 0 || value > WHOLE) {
    throw new InputError(`action.${name} must be from 0 to ${WHOLE}, not ${value}`);
  }
  return Math.min(WHOLE - 1, Math.round(value));
}

const place = (action: ModelAction) => ({ x: coordinate(action, "x"), y: coordinate(action, "y") });
const optionalPlace = (action: ModelAction) =>
  action.x === undefined && action.y === undefined ? {} : place(action);

const click = (button: string, count = 1) => (action: ModelAction) => [
  toolCall("click", { ...place(action), button, count }),
];
const move = (action: ModelAction) => [toolCall("move", place(action))];
const keys = (name: string) => (action: ModelAction) => [toolCall("key", { keys: textOf(action, name) })];
const hold = (tool: string) => (action: ModelAction) => [toolCall(tool, { key: textOf(action, "key") })];
const button = (tool: string) => (action: ModelAction) => [
  toolCall(tool, { button: "left", ...optionalPlace(action) }),
];

function drag(action: ModelAction): ToolCall[] {
  const to = { x: coordinate(action, "destination_x"), y: coordinate(action, "destination_y") };
  return [toolCall("drag", { path: [place(action), to] })];
}

function scroll(action: ModelAction): ToolCall[] {
  const amount = notches(numberOf(action, "magnitude", USUAL_MAGNITUDE), MAGNITUDE_PER_NOTCH);
  if (!amount) return [];
  return [toolCall("scroll", { direction: textOf(action, "direction"), amount, ...optionalPlace(action) })];
}

function typeAt(action: ModelAction): ToolCall[] {
  const { clear_before_typing: clears = true, press_enter: enters = false } = action;
  return [
    toolCall("click", place(action)),
    ...clears ? [toolCall("key", { keys: "ctrl+a" }), toolCall("key", { keys: "delete" })] : [],
    toolCall("type", { text: textOf(action, "text") }),
    ...enters ? [toolCall("key", { keys: "enter" })] : [],
  ];
}

function wait(action: ModelAction): ToolCall[] {
  const ms = Math.round(numberOf(action, "seconds", 1) * 1000);
  return [toolCall("wait", { ms: Math.max(1, Math.min(LONGEST_MS, ms)) })];
}

export const GOOGLE: Dialect = {
  names: "name",
  space: { width: WHOLE, height: WHOLE },
  actions: {
    click_at: click("left"),
    hover_at: move,
    type_text_at: typeAt,
    key_combination: keys("keys"),
    scroll_document: scroll,
    scroll_at: scroll,
    wait_5_seconds: () => [toolCall("wait", { ms: 5000 })],
    click: click("left"),
    double_click: click("left", 2),
    triple_click: click("left", 3),
    middle_click: click("middle"),
    right_click: click("right"),
    mouse_down: button("press"),
    mouse_up: button("release"),
    move,
    type: (action) => [
      toolCall("type", { text: textOf(action, "text") }),
      ...action.press_enter ? [toolCall("key", { keys: "enter" })] : [],
    ],
    scroll,
    wait,
    hotkey: keys("keys"),
    press_key: keys("key"),
    key_down: hold("press"),
    key_up: hold("release"),
    take_screenshot: () => [SCREENSHOT],
    drag_and_drop: drag,
  },
};
