/** The actions of OpenAI's tool `computer`, as `ComputerAction` of its library (6.49) has them. */

import {
  type Dialect,
  type ModelAction,
  notches,
  numberOf,
  SCREENSHOT,
  textOf,
  textsOf,
  toolCall,
} from "./dialect.ts";
import { InputError } from "../../../core/errors.ts";

/** The number of pixels of `scroll_x` or `scroll_y` that means one notch of the wheel. */
const PIXELS_PER_NOTCH = 100;
/** The time of `wait`, in milliseconds: OpenAI's action has no duration, and OpenAI's samples wait this long. */
const WAIT_MS = 2000;

const place = (action: ModelAction) => ({
  x: Math.round(numberOf(action, "x")),
  y: Math.round(numberOf(action, "y")),
});

const held = ({ keys }: ModelAction) =>
  Array.isArray(keys) && keys.length ? keys.map(keyName).join("+") : undefined;

/** A key in a combination, in which `+` stands between keys. */
const keyName = (key: unknown) => key === "+" ? "plus" : String(key);

export const OPENAI: Dialect = {
  names: "type",
  actions: {
    click(action) {
      const button = action.button === "wheel" ? "middle" : action.button ?? "left";
      return [toolCall("click", { ...place(action), button, hold: held(action) })];
    },
    double_click: (action) => [toolCall("click", { ...place(action), count: 2, hold: held(action) })],
    move: (action) => [toolCall("move", place(action))],
    drag(action) {
      if (!Array.isArray(action.path)) throw new InputError("Missing action.path");
      return [toolCall("drag", { path: action.path.map(place), hold: held(action) })];
    },
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
