/** Actions (W3C WebDriver, section 17): ticks of keys, pointers and wheels. */

import { delay } from "@std/async/delay";
import { isJsonObject } from "../../../core/json.ts";
import type { ActionContext } from "../../actions/action.ts";
import { type Button, contains, type Point } from "../../desktop/desktop.ts";
import type { Held } from "../../operator/held.ts";
import type { Operator } from "../../operator/operator.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { keyOf, NULL_KEY } from "./keys.ts";

/** The name of an element's reference (W3C WebDriver, section 11). */
export const ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf";
/** Buttons in the order of the DOM. */
const DOM_BUTTONS = [
  "left",
  "middle",
  "right",
  "back",
  "forward",
] as const satisfies Button[];
/** Pixels that a notch of the wheel stands for. */
const NOTCH = 120;
/** The time between two steps of a move, in milliseconds, and the most steps. */
const STEP_MS = 10, STEPS = 200;
/** The longest time of all ticks together, in milliseconds. */
const LONGEST_MS = 300_000;

/** An action of a source in one tick, once it was checked. */
interface TickAction {
  type: string;
  duration?: number;
  value?: string;
  button?: number;
  x?: number;
  y?: number;
  origin?: unknown;
  deltaX?: number;
  deltaY?: number;
}

const isNumber = (value: unknown, least = -Infinity, most = Infinity) =>
  typeof value === "number" && Number.isFinite(value) && value >= least && value <= most;
const isWhole = (value: unknown, least = -Number.MAX_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) =>
  Number.isSafeInteger(value) && isNumber(value, least, most);

const GRAPHEMES = new Intl.Segmenter();

/** A field: its name, its check, and whether it must be there. */
type FieldCheck = readonly [name: string, isRight: (value: unknown) => boolean, isNeeded?: boolean];
const isOrigin = (...words: string[]) => (value: unknown) =>
  typeof value === "string"
    ? words.includes(value)
    : isJsonObject(value) && typeof value[ELEMENT_KEY] === "string";
const DURATION: FieldCheck = ["duration", (value) => isWhole(value, 0)];
const KEY: FieldCheck = [
  "value",
  (value) => typeof value === "string" && Array.from(GRAPHEMES.segment(value)).length === 1,
  true,
];
const POINTER: readonly FieldCheck[] = [
  ["width", (value) => isWhole(value, 0)],
  ["height", (value) => isWhole(value, 0)],
  ["pressure", (value) => isNumber(value, 0, 1)],
  ["tangentialPressure", (value) => isNumber(value, -1, 1)],
  ["tiltX", (value) => isWhole(value, -90, 90)],
  ["tiltY", (value) => isWhole(value, -90, 90)],
  ["twist", (value) => isWhole(value, 0, 359)],
  ["altitudeAngle", (value) => isNumber(value, 0, Math.PI / 2)],
  ["azimuthAngle", (value) => isNumber(value, 0, 2 * Math.PI)],
];
const BUTTON: FieldCheck = ["button", (value) => isWhole(value, 0, DOM_BUTTONS.length - 1), true];
const number = (name: string): FieldCheck => [name, (value) => isNumber(value), true];
const whole = (name: string): FieldCheck => [name, (value) => isWhole(value), true];

/** The actions of each kind of source, with their fields. */
const SOURCES: Readonly<Record<string, Readonly<Record<string, readonly FieldCheck[]>>>> = {
  none: { pause: [DURATION] },
  key: { pause: [DURATION], keyDown: [KEY], keyUp: [KEY] },
  pointer: {
    pause: [DURATION],
    pointerDown: [BUTTON, ...POINTER],
    pointerUp: [BUTTON, ...POINTER],
    pointerCancel: [],
    pointerMove: [
      DURATION,
      number("x"),
      number("y"),
      ["origin", isOrigin("viewport", "pointer")],
      ...POINTER,
    ],
  },
  wheel: {
    pause: [DURATION],
    scroll: [DURATION, ...["x", "y", "deltaX", "deltaY"].map(whole), ["origin", isOrigin("viewport")]],
  },
};

/**
 * Reads the body of Perform Actions; all of it is checked before the first action.
 * @returns The actions of each tick, in the order of their sources.
 * @throws WebDriverError naming what is wrong.
 */
export function ticksOf({ actions: sources }: Record<string, unknown>): TickAction[][] {
  if (!Array.isArray(sources)) throw invalid("actions must be a list");
  const ids = new Set<unknown>(), ticks: TickAction[][] = [];
  for (const source of sources) {
    const kinds = isJsonObject(source) && Object.hasOwn(SOURCES, String(source.type)) &&
      SOURCES[String(source.type)];
    if (!kinds) throw invalid("an input source has a type that is not none, key, pointer or wheel");
    const { type, id, parameters, actions } = source;
    if (typeof id !== "string" || ids.has(id)) {
      throw invalid("id of a source must be a text, and of one source alone");
    }
    ids.add(id);
    if (type === "pointer") checkParameters(parameters);
    if (!Array.isArray(actions)) throw invalid("actions of a source must be a list");
    actions.forEach((action, i) => (ticks[i] ??= []).push(checkedAction(type, kinds, action)));
  }
  const ms = ticks.reduce((sum, tick) => sum + durationOf(tick), 0);
  if (ms > LONGEST_MS) throw invalid(`the actions take longer than ${LONGEST_MS / 1000} s`);
  return ticks;
}

function checkParameters(parameters: unknown): void {
  if (parameters === undefined) return;
  if (!isJsonObject(parameters)) throw invalid("parameters must be an object");
  const { pointerType = "mouse" } = parameters;
  if (!["mouse", "pen", "touch"].includes(pointerType as string)) {
    throw invalid("pointerType must be mouse, pen or touch");
  }
}

function checkedAction(
  source: unknown,
  kinds: Readonly<Record<string, readonly FieldCheck[]>>,
  action: unknown,
): TickAction {
  const type = isJsonObject(action) ? action.type : undefined;
  const checks = typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (!checks || !isJsonObject(action)) throw invalid(`a source of type ${source} has no action ${type}`);
  for (const [name, isRight, isNeeded = false] of checks) {
    const value = action[name];
    if (value === undefined ? isNeeded : !isRight(value)) {
      throw invalid(`${name} of ${type} is ${value === undefined ? "missing" : "wrong"}`);
    }
  }
  return action as unknown as TickAction;
}

/** The duration of a tick: the longest of its actions'. */
function durationOf(tick: readonly TickAction[]): number {
  const durations = tick.map(({ type, duration = 0 }) =>
    ["pause", "pointerMove", "scroll"].includes(type) ? duration : 0
  );
  return Math.max(0, ...durations);
}

/** The keys and buttons that a session's actions hold, the newest last. */
export type HeldInput = Held[];

/** Performs ticks; one action of a tick follows the other. */
export class Performer {
  /**
   * @param held Gets what is pressed and loses what is released.
   * @param middleOf Brings an element to where the pointer reaches it, and gives its middle.
   */
  constructor(
    readonly context: ActionContext,
    readonly held: HeldInput,
    readonly middleOf: (element: string) => Promise<Point>,
  ) {}

  async perform(ticks: readonly (readonly TickAction[])[]): Promise<void> {
    for (const tick of ticks) {
      const began = performance.now(), duration = durationOf(tick);
      for (const action of tick) await this.#act(action, duration);
      const left = began + duration - performance.now();
      if (left > 0) await delay(left, { signal: this.context.signal });
    }
  }

  async #act(action: TickAction, duration: number): Promise<void> {
    this.context.signal.throwIfAborted();
    const { type, value = "", button = 0 } = action;
    if (type === "keyDown" || type === "keyUp") {
      if (value === NULL_KEY) return;
      await this.#hold(["key", keyOf(value) ?? value], type === "keyDown");
    } else if (type === "pointerDown" || type === "pointerUp") {
      await this.#hold(["button", DOM_BUTTONS[button]], type === "pointerDown");
    } else if (type === "pointerMove") await this.#move(action, duration);
    else if (type === "scroll") await this.#scroll(action);
  }

  async #hold(held: Held, down: boolean): Promise<void> {
    const { operator } = this.context;
    const at = this.held.findIndex(([kind, name]) => kind === held[0] && name === held[1]);
    if (down) {
      await operator.press(held, undefined, this.context);
      if (at < 0) this.held.push(held);
    } else {
      await operator.release(held);
      if (at >= 0) this.held.splice(at, 1);
    }
  }

  /** Moves the pointer; not every desktop tells where it is, so that this is asked only where it matters. */
  async #move(action: TickAction, duration: number): Promise<void> {
    const { operator, signal } = this.context, to = this.#checked(await this.#placeOf(action));
    const steps = Math.max(1, Math.min(STEPS, Math.floor(duration / STEP_MS)));
    const from = steps > 1 ? await operator.position() : to;
    for (let i = 1; i <= steps; i++) {
      if (i > 1) await delay(duration / steps, { signal });
      const part = (a: number, b: number) => Math.round(a + (b - a) * i / steps);
      await operator.move({ x: part(from.x, to.x), y: part(from.y, to.y) }, this.context);
    }
  }

  async #scroll(action: TickAction): Promise<void> {
    const { deltaX = 0, deltaY = 0 } = action, { operator } = this.context;
    const at = this.#checked(await this.#placeOf(action));
    const turns = [
      [deltaY, deltaY > 0 ? "down" : "up"],
      [deltaX, deltaX > 0 ? "right" : "left"],
    ] as const;
    for (const [delta, direction] of turns) {
      const notches = Math.min(100, Math.max(1, Math.round(Math.abs(delta) / NOTCH)));
      if (delta) await operator.scroll(direction, notches, at, [], this.context);
    }
  }

  async #placeOf({ x = 0, y = 0, origin = "viewport" }: TickAction): Promise<Point> {
    const base = origin === "viewport"
      ? { x: 0, y: 0 }
      : origin === "pointer"
      ? await this.context.operator.position()
      : await this.middleOf((origin as Record<string, string>)[ELEMENT_KEY]);
    return { x: Math.round(base.x + x), y: Math.round(base.y + y) };
  }

  /** @throws WebDriverError if a place is not on the screen. */
  #checked(point: Point): Point {
    const screen = this.context.operator.screen();
    if (contains(screen, point)) return point;
    const size = `${screen.width}x${screen.height}`;
    throw new WebDriverError(
      "move target out of bounds",
      `${point.x},${point.y} is not on the screen of ${size}`,
    );
  }
}

/** Releases what a session's actions hold, the newest first. */
export async function releaseHeld(operator: Operator, held: HeldInput): Promise<void> {
  await operator.releaseOwned(held.splice(0).reverse());
}
