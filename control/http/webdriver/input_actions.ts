/** Actions (W3C WebDriver, section 17): ticks of key, pointer and wheel sources. */

import { delay } from "@std/async/delay";
import { isJsonObject } from "../../../core/json.ts";
import type { ActionContext } from "../../actions/action.ts";
import { type Button, contains, type Direction, type Point } from "../../desktop/desktop.ts";
import type { Held } from "../../operator/held.ts";
import type { Operator } from "../../operator/operator.ts";
import {
  anyObject,
  choice,
  field,
  type Fields,
  integer,
  list,
  number,
  optional,
  parseFields,
  plainText,
} from "../../schema/schema.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { canonicalKey } from "../../desktop/keys.ts";

/** Key of an element reference (W3C WebDriver, section 11). */
export const ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf";
/** Buttons in DOM order. */
const DOM_BUTTONS = ["left", "middle", "right", "back", "forward"] as const satisfies Button[];
/** Pixels per wheel notch, and the maximum number of pixels per action. */
const NOTCH = 120, LONGEST_TURN = 100 * NOTCH;
/** Time between two steps of a move, in milliseconds, and the maximum number of steps. */
const STEP_MS = 10, STEPS = 200;
/** Maximum total duration of all ticks, in milliseconds. */
const LONGEST_MS = 300_000;
const MOST = Number.MAX_SAFE_INTEGER;

/** A checked action of one source in one tick. */
interface TickAction {
  type: string;
  /** The pointer source; left out for other sources. */
  pointer?: string;
  duration?: number;
  value?: string;
  button?: number;
  x?: number;
  y?: number;
  origin?: string | Record<string, string>;
  deltaX?: number;
  deltaY?: number;
}

const GRAPHEMES = new Intl.Segmenter();
const isCharacter = (value: unknown) =>
  typeof value === "string" && Array.from(GRAPHEMES.segment(value)).length === 1;
const KEY = { value: field<string>({}, "one character", isCharacter) };
const originOf = (...words: string[]) =>
  optional(
    field<string>({}, `${words.join(", ")} or an element`, (value) =>
      isJsonObject(value) ? typeof value[ELEMENT_KEY] === "string" : words.includes(value as string)),
  );
const DURATION = { duration: optional(integer(0, LONGEST_MS, "Milliseconds")) };
const POINTER = {
  width: optional(integer(0, MOST, "Pixels")),
  height: optional(integer(0, MOST, "Pixels")),
  pressure: optional(number(0, 1, "Pressure")),
  tangentialPressure: optional(number(-1, 1, "Pressure")),
  tiltX: optional(integer(-90, 90, "Degrees")),
  tiltY: optional(integer(-90, 90, "Degrees")),
  twist: optional(integer(0, 359, "Degrees")),
  altitudeAngle: optional(number(0, Math.PI / 2, "Radians")),
  azimuthAngle: optional(number(0, 2 * Math.PI, "Radians")),
};
const BUTTON = { button: integer(0, DOM_BUTTONS.length - 1, "By the DOM"), ...POINTER };
const PLACE = { x: number(-MOST, MOST, "Pixels"), y: number(-MOST, MOST, "Pixels") };
/** The fields of a turn of the wheel, in pixels. */
export const DELTAS = {
  deltaX: integer(-LONGEST_TURN, LONGEST_TURN, "To the right"),
  deltaY: integer(-LONGEST_TURN, LONGEST_TURN, "Down"),
};
const TURN = { x: integer(-MOST, MOST, ""), y: integer(-MOST, MOST, ""), ...DELTAS };

/** The actions of each source kind, with their fields. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  none: { pause: DURATION },
  key: { pause: DURATION, keyDown: KEY, keyUp: KEY },
  pointer: {
    pause: DURATION,
    pointerDown: BUTTON,
    pointerUp: BUTTON,
    pointerCancel: {},
    pointerMove: { ...DURATION, ...PLACE, origin: originOf("viewport", "pointer"), ...POINTER },
  },
  wheel: { pause: DURATION, scroll: { ...DURATION, ...TURN, origin: originOf("viewport") } },
};
const BODY = { actions: list(anyObject({}), "The input sources") };
const SOURCE = {
  type: choice(["none", "key", "pointer", "wheel"], "The kind"),
  id: plainText("The name"),
  parameters: optional(anyObject({})),
  actions: list(anyObject({}), "Its actions"),
};
const PARAMETERS = { pointerType: optional(choice(["mouse", "pen", "touch"], "The kind of pointer")) };

/**
 * Reads the body of Perform Actions; everything is checked before the first action.
 * @returns The actions of each tick, in source order.
 * @throws InputError naming what is wrong; WebDriverError for several fingers and cancelled presses, which the
 * pointer of a desktop cannot do.
 */
export function ticksOf(body: Record<string, unknown>): TickAction[][] {
  const ids = new Set<string>(), ticks: TickAction[][] = [];
  for (const source of parseFields(BODY, body).actions) {
    const { type, id, parameters = {}, actions } = parseFields(SOURCE, source, "source.", "a source");
    if (ids.has(id)) throw invalid(`duplicate source id ${id}`);
    ids.add(id);
    if (type === "pointer") parseFields(PARAMETERS, parameters, "parameters.");
    actions.forEach((action, i) => {
      const kind = String(action.type), fields = Object.hasOwn(KINDS[type], kind) && KINDS[type][kind];
      if (!fields) throw invalid(`a source of type ${type} has no action ${kind}`);
      const own = type === "pointer" && kind !== "pause" ? { pointer: id } : {};
      (ticks[i] ??= []).push({ ...parseFields(fields, action, `${kind}.`), type: kind, ...own });
    });
  }
  checkOnePointer(ticks);
  if (durationOf(ticks) > LONGEST_MS) throw invalid(`the actions take longer than ${LONGEST_MS / 1000} s`);
  return ticks;
}

/** @throws WebDriverError if a pointer source does something while another one has a button down. */
function checkOnePointer(ticks: readonly (readonly TickAction[])[]): void {
  const down = new Set<number>();
  let owner: string | undefined;
  for (const { type, pointer, button = 0 } of ticks.flat()) {
    if (pointer === undefined) continue;
    const why = type === "pointerCancel"
      ? "a desktop cannot cancel the press of a button"
      : down.size && pointer !== owner
      ? `a desktop has one pointer: ${pointer} cannot act while ${owner} has a button down`
      : undefined;
    if (why) throw new WebDriverError("unsupported operation", why);
    if (type === "pointerDown") down.add(button);
    else if (type === "pointerUp") down.delete(button);
    owner = pointer;
  }
}

/** The duration of ticks, in milliseconds: each takes as long as its longest action. */
export function durationOf(ticks: readonly (readonly TickAction[])[]): number {
  return ticks.reduce((sum, tick) => sum + Math.max(0, ...tick.map(({ duration = 0 }) => duration)), 0);
}

/**
 * Converts pixels to wheel notches, rounded, and at least one for any distance.
 * @param deltaX Pixels to the right.
 * @param deltaY Pixels down.
 * @example
 * notchesOf(0, -240); // [{ direction: "up", amount: 2 }]
 */
export function notchesOf(deltaX: number, deltaY: number): { direction: Direction; amount: number }[] {
  const turns = [[deltaY, deltaY > 0 ? "down" : "up"], [deltaX, deltaX > 0 ? "right" : "left"]] as const;
  return turns.filter(([delta]) => delta).map(([delta, direction]) => ({
    direction,
    amount: Math.max(1, Math.round(Math.abs(delta) / NOTCH)),
  }));
}

/** The keys and buttons that a session's actions and scripts hold down, newest last. */
export type HeldInput = Held[];

/** Notes that one is down now, or up; if left out, all are up. */
export function noteHeld(held: HeldInput, one: Held | undefined, down: boolean): void {
  const at = held.findIndex(([kind, name]) => kind === one?.[0] && name === one[1]);
  if (!one) held.splice(0);
  else if (at >= 0 && !down) held.splice(at, 1);
  else if (at < 0 && down) held.push(one);
}

/** Performs ticks; the actions of a tick run one after the other. */
export class Performer {
  /**
   * @param held Collects what is pressed, until it is released.
   * @param middleOf Scrolls an element to where the pointer can reach it, and returns its middle.
   */
  constructor(
    readonly context: ActionContext,
    readonly held: HeldInput,
    readonly middleOf: (element: string) => Promise<Point>,
  ) {}

  async perform(ticks: readonly (readonly TickAction[])[]): Promise<void> {
    const { context, context: { signal } } = this;
    for (const tick of ticks) {
      const began = performance.now(), duration = durationOf([tick]);
      for (const action of tick) {
        signal.throwIfAborted();
        await this.#act(action, duration);
      }
      const left = began + duration - performance.now();
      if (left > 0) await context.looking(() => delay(left, { signal }));
    }
  }

  async #act(action: TickAction, duration: number): Promise<void> {
    const { type, value = "", button = 0, deltaX = 0, deltaY = 0 } = action, { operator } = this.context;
    if (type === "pointerDown" || type === "pointerUp") {
      await this.#hold(["button", DOM_BUTTONS[button]], type === "pointerDown");
    } else if (type === "pointerMove") await this.#move(await this.#placeOf(action), duration);
    else if (type === "scroll") {
      const at = await this.#placeOf(action);
      for (const { direction, amount } of notchesOf(deltaX, deltaY)) {
        await operator.scroll(direction, amount, at, [], this.context);
      }
    } else if (type.startsWith("key") && value !== NULL_KEY) {
      await this.#hold(["key", keyOf(value) ?? value], type === "keyDown");
    }
  }

  async #hold(held: Held, down: boolean): Promise<void> {
    const { operator } = this.context;
    await (down ? operator.press(held, undefined, this.context) : operator.release(held));
    noteHeld(this.held, held, down);
  }

  /**
   * Moves the pointer. Not every desktop reports the pointer position, so it is read only where it matters.
   */
  async #move(to: Point, duration: number): Promise<void> {
    const { context, context: { operator, signal } } = this;
    const steps = Math.max(1, Math.min(STEPS, Math.floor(duration / STEP_MS)));
    const from = steps > 1 ? await operator.position() : to;
    for (let i = 1; i <= steps; i++) {
      if (i > 1) await context.looking(() => delay(duration / steps, { signal }));
      const part = (a: number, b: number) => Math.round(a + (b - a) * i / steps);
      await operator.move({ x: part(from.x, to.x), y: part(from.y, to.y) }, this.context);
    }
  }

  /** @throws WebDriverError if the place is not on the screen. */
  async #placeOf({ x = 0, y = 0, origin = "viewport" }: TickAction): Promise<Point> {
    const { operator } = this.context, screen = operator.screen();
    const base = typeof origin === "object"
      ? await this.middleOf(origin[ELEMENT_KEY])
      : origin === "pointer"
      ? await operator.position()
      : { x: 0, y: 0 };
    const point = { x: Math.round(base.x + x), y: Math.round(base.y + y) };
    if (contains(screen, point)) return point;
    const where = `${point.x},${point.y} is not on the screen of ${screen.width}x${screen.height}`;
    throw new WebDriverError("move target out of bounds", where);
  }
}

/** Releases what a session's actions hold down, newest first. */
export async function releaseHeld(operator: Operator, held: HeldInput): Promise<void> {
  await operator.releaseOwned(held.splice(0).reverse());
}

// Keys (section 17.4.2) under deskhand's names, and the steps of typing.

/** Named keys, by the last three digits of their code points from U+E000. */
const NAMES =
  ("001 keysym:0xff69,002 help,003 backspace,004 tab,005 keysym:0xff0b,006 enter,007 enter,008 shift,009 ctrl," +
    "00a alt,00b pause,00c escape,00d space,00e pageup,00f pagedown,010 end,011 home,012 left,013 up,014 right," +
    "015 down,016 insert,017 delete,018 ;,019 =,01a kp0,01b kp1,01c kp2,01d kp3,01e kp4,01f kp5,020 kp6," +
    "021 kp7,022 kp8,023 kp9,024 kpmultiply,025 kpadd,026 kpseparator,027 kpsubtract,028 kpdecimal," +
    "029 kpdivide,031 f1,032 f2,033 f3,034 f4,035 f5,036 f6,037 f7,038 f8,039 f9,03a f10,03b f11,03c f12," +
    "03d super,050 rightshift,051 rightctrl,052 rightalt,053 rightsuper,054 kppageup,055 kppagedown,056 kpend," +
    "057 kphome,058 kpleft,059 kpup,05a kpright,05b kpdown,05c kpinsert,05d kpdelete").split(",");
const BY_CHARACTER = new Map(NAMES.map((row) => {
  const [code, name] = row.split(" ");
  return [String.fromCodePoint(0xe000 + parseInt(code, 16)), name];
}));
const MODIFIER = /^(?:right)?(?:shift|ctrl|alt|super)$/;

/** The character that releases all modifiers. */
const NULL_KEY = "\ue000";

/**
 * The key of a character.
 * @returns undefined if no key types the character.
 * @example
 * keyOf("\ue009"); // "ctrl"
 */
export function keyOf(character: string): string | undefined {
  return BY_CHARACTER.get(character) ?? { "\n": "enter", "\r": "enter", "\t": "tab" }[character] ??
    canonicalKey(character);
}

/** A step of typing: a text, a key, or the press or release of a modifier. */
type TypingStep =
  | { type: "text"; text: string }
  | { type: "key" | "press" | "release"; key: string };

/**
 * The steps that type the characters of Element Send Keys. Modifiers stay down until they occur again, until
 * NULL, or until the end.
 * @example
 * typingSteps("ab\ue007"); // [{ type: "text", text: "ab" }, { type: "key", key: "enter" }]
 */
export function typingSteps(text: string): TypingStep[] {
  const steps: TypingStep[] = [], held: string[] = [];
  for (const character of [...text, NULL_KEY]) {
    const special = BY_CHARACTER.get(character), last = steps.at(-1);
    if (character === NULL_KEY) {
      for (const key of held.splice(0).reverse()) steps.push({ type: "release", key });
    } else if (special !== undefined && MODIFIER.test(special)) {
      const at = held.indexOf(special);
      if (at < 0) held.push(special);
      else held.splice(at, 1);
      steps.push({ type: at < 0 ? "press" : "release", key: special });
    } else if (special !== undefined || held.length) {
      steps.push({ type: "key", key: special ?? keyOf(character) ?? character });
    } else if (last?.type === "text") last.text += character;
    else steps.push({ type: "text", text: character });
  }
  return steps;
}
