/**
 * The actions of Google's models: those of Gemini 2.5 and Gemini 3
 * (https://ai.google.dev/gemini-api/docs/computer-use, github.com/google-gemini/computer-use-preview).
 * Coordinates are thousandths of the picture. Browser actions, such as `navigate`, require a browser.
 */

import { InputError } from "../../../core/errors.ts";
import { LONGEST_OWN_MS } from "../tool.ts";
import {
  type Dialect,
  type ModelAction,
  type ModelCall,
  notches,
  numberOf,
  SCREENSHOT,
  textOf,
  textsOf,
  toolCall,
} from "./dialect.ts";

/** Coordinates range from 0 to 1000, as do Gemini 2.5's scroll magnitudes. */
const WHOLE = 1000;
/** Magnitude, or number of pixels, per wheel notch. */
const PER_NOTCH = 100;
/** The default magnitude of Gemini 2.5's scrolls (`scroll_at`, `scroll_document`). */
const USUAL_MAGNITUDE = 800;
/** The default pixels of Gemini 3's scrolls (`scroll`). */
const USUAL_PIXELS = 300;

/** A coordinate; 1000, the far edge, becomes the last pixel. */
function coordinate(action: ModelAction, name: string): number {
  const value = numberOf(action, name);
  if (value < 0 || value > WHOLE) {
    throw new InputError(`action.${name} must be from 0 to ${WHOLE}, not ${value}`);
  }
  return Math.min(WHOLE - 1, Math.round(value));
}

const pointOf = (action: ModelAction, x: string, y: string) => ({
  x: coordinate(action, x),
  y: coordinate(action, y),
});
const place = (action: ModelAction) => pointOf(action, "x", "y");
const optionalPlace = (action: ModelAction) =>
  action.x === undefined && action.y === undefined ? {} : place(action);

const click = (button: string, count = 1) => (action: ModelAction) => [
  toolCall("click", { ...place(action), button, count }),
];
const move = (action: ModelAction) => [toolCall("move", place(action))];
const hold = (tool: string) => (action: ModelAction) => [toolCall(tool, { key: textOf(action, "key") })];
const button = (tool: string) => (action: ModelAction) => [
  toolCall(tool, { button: "left", ...optionalPlace(action) }),
];

/** A drag; Gemini 3 has its own names for the start and the end. */
function drag(action: ModelAction): ModelCall[] {
  const path = "start_x" in action
    ? [pointOf(action, "start_x", "start_y"), pointOf(action, "end_x", "end_y")]
    : [place(action), pointOf(action, "destination_x", "destination_y")];
  return [toolCall("drag", { path })];
}

/** Scroll units: the field that gives the amount, and how many units make one wheel notch. */
const SCROLL_UNITS = { magnitude: PER_NOTCH, magnitude_in_pixels: PER_NOTCH, magnitude_in_wheel_clicks: 1 };

const scroll = (usual: number) => (action: ModelAction): ModelCall[] => {
  const [unit, perNotch] = Object.entries(SCROLL_UNITS).find(([name]) => action[name] !== undefined) ??
    ["magnitude", PER_NOTCH];
  const amount = notches(numberOf(action, unit, usual), perNotch);
  if (!amount) return [];
  return [toolCall("scroll", { direction: textOf(action, "direction"), amount, ...optionalPlace(action) })];
};

/** A combination: Gemini 2.5 writes `control+c`, Gemini 3 a list of keys. */
function combination(action: ModelAction): ModelCall[] {
  const keys = Array.isArray(action.keys) ? textsOf(action, "keys").join("+") : textOf(action, "keys");
  return [toolCall("key", { keys })];
}

function typeAt(action: ModelAction): ModelCall[] {
  const { clear_before_typing: clears = true, press_enter: enters = true } = action;
  return [
    toolCall("click", place(action)),
    ...clears ? [toolCall("key", { keys: "ctrl+a" }), toolCall("key", { keys: "delete" })] : [],
    toolCall("type", { text: textOf(action, "text") }),
    ...enters ? [toolCall("key", { keys: "enter" })] : [],
  ];
}

function wait(action: ModelAction): ModelCall[] {
  const ms = Math.round(numberOf(action, "seconds", 1) * 1000);
  return [toolCall("wait", { ms: Math.max(1, Math.min(LONGEST_OWN_MS, ms)) })];
}

const AT = ["x", "y"], SCROLL = ["direction", ...Object.keys(SCROLL_UNITS)];

/** The fields of each action. */
const FIELDS = {
  click_at: AT,
  hover_at: AT,
  type_text_at: [...AT, "text", "press_enter", "clear_before_typing"],
  key_combination: ["keys"],
  scroll_document: SCROLL,
  scroll_at: [...AT, ...SCROLL],
  wait_5_seconds: [],
  click: AT,
  double_click: AT,
  triple_click: AT,
  middle_click: AT,
  right_click: AT,
  mouse_down: AT,
  mouse_up: AT,
  move: AT,
  type: ["text", "press_enter"],
  scroll: [...AT, ...SCROLL],
  wait: ["seconds"],
  hotkey: ["keys"],
  press_key: ["key"],
  key_down: ["key"],
  key_up: ["key"],
  take_screenshot: [],
  drag_and_drop: [...AT, "destination_x", "destination_y", "start_x", "start_y", "end_x", "end_y"],
};

export const GOOGLE: Dialect = {
  names: "name",
  fields: FIELDS,
  common: ["intent", "safety_decision"],
  space: { width: WHOLE, height: WHOLE },
  actions: {
    click_at: click("left"),
    hover_at: move,
    type_text_at: typeAt,
    key_combination: combination,
    scroll_document: scroll(USUAL_MAGNITUDE),
    scroll_at: scroll(USUAL_MAGNITUDE),
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
    scroll: scroll(USUAL_PIXELS),
    wait,
    hotkey: combination,
    press_key: (action) => [toolCall("key", { keys: textOf(action, "key") })],
    key_down: hold("press"),
    key_up: hold("release"),
    take_screenshot: () => [SCREENSHOT],
    drag_and_drop: drag,
  },
};
