/** The fields shared by several actions, live messages and recorded events. */

import { InputError } from "../../core/errors.ts";
import { describeValue } from "../../core/printable.ts";
import {
  BUTTONS,
  DIRECTIONS,
  type Held,
  type InputAction,
  type Point,
  SCROLL_LIMIT,
} from "../desktop/desktop.ts";
import { canonicalKey, KEY_CODE, KEYS, meantKey, parseCombination } from "../desktop/keys.ts";
import {
  choice,
  converted,
  type Field,
  flag,
  group,
  integer,
  type JsonSchema,
  optional,
  patterned,
  plainText,
  text,
  type Values,
  wholeNumber,
} from "./schema.ts";

export const X = wholeNumber("Desktop coordinate in pixels");
export const Y = wholeNumber("Desktop coordinate in pixels");
/** The size of a picture or of a region. */
export const SIZE = {
  width: integer(1, 1_000_000, "The size in pixels"),
  height: integer(1, 1_000_000, "The size in pixels"),
};
/** A region of the desktop whose edges are all known. */
export const PLACE = { x: X, y: Y, ...SIZE };
export const BUTTON = choice(BUTTONS, "Button");
export const DIRECTION = choice(DIRECTIONS, "The direction");
export const AMOUNT = integer(1, SCROLL_LIMIT, "Notches of the wheel");
export const DOWN = flag("Press or release");

/** A key as the caller writes it; its value is the canonical name. */
export const KEY = converted(text("A key by name, such as shift, f5 or a"), (key, name) => {
  const canonical = canonicalKey(key);
  if (canonical === undefined) {
    throw new InputError(
      `${name} must be a key name such as enter, ctrl or f5, or one character, not ${describeValue(key)}${
        meantKey(key)
      }`,
    );
  }
  return canonical;
});

/** Keys held during an action, as canonical names. */
export const HOLD = optional(
  converted(
    text("Keys to hold during the action, such as ctrl or shift+alt"),
    parseCombination,
  ),
);

const CANONICAL_KEY_SCHEMA: JsonSchema = {
  description: "A key's name, one character, or a code of its system",
  type: "string",
  anyOf: [{ enum: KEYS.map(({ name }) => name) }, { pattern: "^[^\\p{C}\\p{Z}]$" }, {
    pattern: KEY_CODE.source,
  }],
};

/** A key by its canonical name, as in recordings. */
const CANONICAL_KEY: Field<string, true> = {
  required: true,
  schema: CANONICAL_KEY_SCHEMA,
  parse(value, name) {
    if (typeof value === "string" && canonicalKey(value) === value) return value;
    throw new InputError(
      `${name} must be a key name, such as enter, ctrl or a, not ${describeValue(value)}`,
    );
  },
};

const HEX_COLOR = /^#?[0-9a-fA-F]{6}$/;

/** A colour as six hexadecimal digits, with or without `#`; its value is the number 0xRRGGBB. */
export function color(description: string): Field<number, true> {
  return converted(
    patterned(HEX_COLOR, "a colour of six hexadecimal digits such as #ff8800", description),
    (hex) => parseInt(hex.replace("#", ""), 16),
  );
}

/** The place of an action that otherwise happens at the pointer. */
export const OPTIONAL_POINT = { x: optional(X), y: optional(Y) };

/** A rectangle of the desktop; without a field, it reaches to the desktop's edge. */
export const REGION = {
  x: optional(wholeNumber("The corner in pixels; default: the desktop's")),
  y: optional(wholeNumber("The corner in pixels; default: the desktop's")),
  width: optional(integer(1, 1_000_000, "The size in pixels; default: to the desktop's edge")),
  height: optional(integer(1, 1_000_000, "The size in pixels; default: to the desktop's edge")),
};

export const BUTTON_OR_KEY = { button: optional(BUTTON), key: optional(KEY) };

/**
 * The point of optional coordinates.
 * @returns undefined if both are left out.
 * @throws InputError if one of them is.
 * @example
 * pointOf({ x: 1, y: 2 }); // { x: 1, y: 2 }
 * pointOf({}); // undefined
 */
export function pointOf({ x, y }: Partial<Point>): Point | undefined {
  if (x === undefined && y === undefined) return undefined;
  if (x === undefined || y === undefined) throw new InputError(`Missing ${x === undefined ? "x" : "y"}`);
  return { x, y };
}

/**
 * The named button or key.
 * @returns undefined if neither is given.
 * @throws InputError if both are.
 * @example
 * heldOf({ key: "shift" }); // ["key", "shift"]
 */
export function heldOf({ button, key }: Values<typeof BUTTON_OR_KEY>): Held | undefined {
  if (button !== undefined && key !== undefined) {
    throw new InputError("button and key cannot both be given: send two requests");
  }
  if (button !== undefined) return ["button", button];
  return key === undefined ? undefined : ["key", key];
}

/**
 * Parses a value that a caller gave as JSON.
 * @param needed The allowed texts, for the message.
 * @throws InputError if the text is not JSON.
 */
export function fromJson(text: string, name: string, needed = "a description or JSON"): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InputError(`${name} must be ${needed}, not ${describeValue(text)}`, { cause });
  }
}

/** The fields of one type of input event, derived from the event's own type. */
type FieldsOf<A> = {
  [K in Exclude<keyof A, "type">]-?: undefined extends A[K] ? Field<NonNullable<A[K]>, false>
    : Field<A[K], true>;
};

/** The text typed by a press. */
const TYPED = patterned(
  /^(?: |[^\p{C}\p{Z}])$/u,
  "one character that can be seen, or a space",
  "The character that a press typed, if the key name does not determine it",
);

/** A coordinate of an event, possibly from a desktop of another size. */
export const EVENT_COORDINATE = integer(-1_000_000, 1_000_000, "Pixels");

/** The element under a press, as in recordings. */
const PRESSED_ELEMENT = group({
  role: text("The role, such as button"),
  name: plainText("The name as the program reports it"),
  title: plainText("The title of its window"),
  nth: optional(integer(1, 20_000, "The number among elements of the same role and name; default 1")),
  x: EVENT_COORDINATE,
  y: EVENT_COORDINATE,
  width: integer(1, 1_000_000, "Pixels"),
  height: integer(1, 1_000_000, "Pixels"),
}, "The element under a press, and its place then");

/** The text under a press that is on no element, as in recordings. */
const PRESSED_TEXT = group({
  text: plainText("The text as it was read from the screen"),
  title: optional(plainText("The title of its window")),
  nth: optional(integer(1, 10_000, "Number among those that match alike; default 1")),
}, "The text under a press that is on no element");

/** Marks an event whose position was not reported. */
const UNPLACED = optional(
  flag("True if the system did not report the position, which is then the pointer position a moment later"),
);

/**
 * The fields of input events, which are observed, recorded and replayed. The compiler checks the rows against
 * `InputAction`.
 */
export const INPUT_EVENTS: { [T in InputAction["type"]]: FieldsOf<Extract<InputAction, { type: T }>> } = {
  move: { x: EVENT_COORDINATE, y: EVENT_COORDINATE },
  button: {
    ...{ button: BUTTON, down: DOWN, x: EVENT_COORDINATE, y: EVENT_COORDINATE },
    element: optional(PRESSED_ELEMENT),
    text: optional(PRESSED_TEXT),
    unplaced: UNPLACED,
  },
  scroll: {
    ...{ direction: DIRECTION, amount: AMOUNT, x: EVENT_COORDINATE, y: EVENT_COORDINATE },
    unplaced: UNPLACED,
  },
  key: { key: CANONICAL_KEY, down: DOWN, text: optional(TYPED) },
};
