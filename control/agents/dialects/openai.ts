/** The actions of OpenAI's tool `computer`, as in `ComputerAction` of its library (7.57). */

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
import { InputError } from "../../../core/errors.ts";
import { isJsonObject } from "../../../core/json.ts";
import { describeValue } from "../../../core/printable.ts";

/** Pixels of `scroll_x` or `scroll_y` per wheel notch. */
const PIXELS_PER_NOTCH = 100;
/**
 * Duration of `wait`, in milliseconds: OpenAI's action has no duration, and OpenAI's samples wait this long.
 */
const WAIT_MS = 2000;

const place = (action: ModelAction) => ({
  x: Math.round(numberOf(action, "x")),
  y: Math.round(numberOf(action, "y")),
});

const held = ({ keys }: ModelAction) =>
  Array.isArray(keys) && keys.length ? keys.map(keyName).join("+") : undefined;

/** Maximum number of places in a drag. */
const MOST_PLACES = 100;

function placeInPath(point: unknown, index: number) {
  if (isJsonObject(point)) return place(point);
  throw new InputError(`action.path[${index}] must be a point with x and y, not ${describeValue(point)}`);
}

/**
 * A drag along a path of any length: a long one is thinned out, and a single place becomes a press and
 * release.
 */
function drag(action: ModelAction): ModelCall[] {
  const { path } = action;
  if (!Array.isArray(path) || !path.length) throw new InputError("action.path must have at least one point");
  const places = path.map(placeInPath), hold = held(action);
  if (places.length === 1) return [toolCall("click", { ...places[0], hold })];
  const last = places.length - 1, count = Math.min(MOST_PLACES, places.length);
  const kept = Array.from({ length: count }, (_, i) => places[Math.round(i * last / (count - 1))]);
  return [toolCall("drag", { path: kept, hold })];
}

/** A move with held keys: its steps release what they pressed, even if one fails. */
function move(action: ModelAction): ModelCall[] {
  const keys = Array.isArray(action.keys) ? action.keys.map(keyName) : [];
  if (!keys.length) return [toolCall("move", place(action))];
  const pressed = keys.map((key) => toolCall("press", { key }));
  return [toolCall("do", { actions: [...pressed, toolCall("move", place(action))], look: false })];
}

/** The fields of each action; `keys` are held meanwhile. */
const FIELDS = {
  click: ["button", "x", "y", "keys"],
  double_click: ["x", "y", "keys"],
  move: ["x", "y", "keys"],
  drag: ["path", "keys"],
  scroll: ["x", "y", "scroll_x", "scroll_y", "keys"],
  keypress: ["keys"],
  type: ["text"],
  wait: [],
  screenshot: [],
};

/** A key in a combination, where `+` separates keys. */
const keyName = (key: unknown) => key === "+" ? "plus" : String(key);

export const OPENAI: Dialect = {
  names: "type",
  fields: FIELDS,
  actions: {
    click(action) {
      const button = action.button === "wheel" ? "middle" : action.button ?? "left";
      return [toolCall("click", { ...place(action), button, hold: held(action) })];
    },
    double_click: (action) => [toolCall("click", { ...place(action), count: 2, hold: held(action) })],
    move,
    drag,
    scroll(action) {
      const point = place(action), hold = held(action);
      const down = numberOf(action, "scroll_y", 0), right = numberOf(action, "scroll_x", 0);
      const turns = [
        { direction: down > 0 ? "down" : "up", amount: notches(down, PIXELS_PER_NOTCH) },
        { direction: right > 0 ? "right" : "left", amount: notches(right, PIXELS_PER_NOTCH) },
      ];
      return turns.filter(({ amount }) => amount).map((turn) =>
        toolCall("scroll", { ...turn, ...point, hold })
      );
    },
    keypress: (action) => [toolCall("key", { keys: textsOf(action, "keys").map(keyName).join("+") })],
    type: (action) => [toolCall("type", { text: textOf(action, "text") })],
    wait: () => [toolCall("wait", { ms: WAIT_MS })],
    screenshot: () => [SCREENSHOT],
  },
};
