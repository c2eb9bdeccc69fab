/**
 * The file format of recordings: JSON in UTF-8, described by docs/recording.schema.json. Every field is checked
 * on the way in; nothing in a file is ever run.
 */

import { BUTTONS, DIRECTIONS, type InputAction, type Point, type Region } from "../desktop.ts";
import { InputError } from "../../core/errors.ts";
import { describeValue } from "../../core/printable.ts";
import { canonicalKey } from "../keys.ts";

/** The largest file that is read, in bytes. */
export const RECORDING_LIMIT = 64 * 1024 * 1024;
/** Events that a recording may have. */
export const EVENT_LIMIT = 1_000_000;
/** Events after which recording ends: letting go of what is still pressed must fit in too. */
export const RECORDED_LIMIT = EVENT_LIMIT - 1000;
/** The longest recording, in milliseconds: a day. */
export const TIME_LIMIT = 24 * 60 * 60 * 1000;
const FORMAT = "deskhand-recording";
const VERSION = 1;

/** An event: what happened, and when in milliseconds from the start. */
export type RecordedEvent = { t: number } & InputAction;

/** Where a desktop was, in pixels. Most begin at 0,0, which is left out. */
type RecordedDesktop = Pick<Region, "width" | "height"> & Partial<Point>;

/** A recording. */
export interface Recording {
  format: typeof FORMAT;
  version: typeof VERSION;
  /** The desktop it was made on. */
  desktop: RecordedDesktop;
  /** When it was started, as ISO 8601 in UTC. */
  started: string;
  events: RecordedEvent[];
}

/** What a field may be: whether a value fits, and how that is said. */
type Rule = [fits: (value: unknown) => boolean, allowed: string];

const wholeNumber = (least: number, most: number): Rule => [
  (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  `a whole number from ${least} to ${most}`,
];
const oneOf = (values: readonly string[]): Rule => [
  (value) => values.includes(value as string),
  `one of ${values.join(", ")}`,
];
const COORDINATE = wholeNumber(-1_000_000, 1_000_000);
const FLAG: Rule = [(value) => typeof value === "boolean", "true or false"];
const KEY: Rule = [
  (value) => typeof value === "string" && canonicalKey(value) === value,
  "the name of a key, such as enter, ctrl or a",
];

/** The fields of each type of event, in the order in which they are checked and written. */
const FIELDS: Record<InputAction["type"], Record<string, Rule>> = {
  move: { x: COORDINATE, y: COORDINATE },
  button: { button: oneOf(BUTTONS), down: FLAG, x: COORDINATE, y: COORDINATE },
  scroll: { direction: oneOf(DIRECTIONS), amount: wholeNumber(1, 1000), x: COORDINATE, y: COORDINATE },
  key: { key: KEY, down: FLAG },
};
const TYPES = Object.keys(FIELDS);
const SIZE = wholeNumber(1, 1_000_000);
/** RFC 3339 section 5.6. Date.parse alone takes almost anything, line feeds in parentheses too. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Makes an empty recording.
 * @param started When it starts.
 */
export function newRecording({ x, y, width, height }: Region, started: Date): Recording {
  return {
    format: FORMAT,
    version: VERSION,
    desktop: recordedDesktop(width, height, x, y),
    started: started.toISOString(),
    events: [],
  };
}

/**
 * Reads a recording's text.
 * @throws InputError naming what is wrong.
 */
export function parseRecordingText(text: string): Recording {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, "")); // a mark that some editors put before UTF-8
  } catch {
    throw new InputError("this is no recording: it is not valid JSON");
  }
  return parseRecording(value);
}

/**
 * Checks a recording.
 * @param value What JSON gave.
 * @returns A recording of its own, with the known fields alone.
 * @throws InputError naming the event, by its index, and the field that is wrong, and what is allowed.
 */
export function parseRecording(value: unknown): Recording {
  const { format, version, desktop, started, events } = objectAt(value, "the recording");
  if (format !== FORMAT) throw new InputError(`this is no recording: format must be "${FORMAT}"`);
  if (version !== VERSION) {
    throw new InputError(
      `version ${describeValue(version)} of recordings is unknown; this deskhand reads version ${VERSION}`,
    );
  }
  const { width, height, x = 0, y = 0 } = objectAt(desktop, "desktop");
  check(SIZE, width, "desktop.width");
  check(SIZE, height, "desktop.height");
  check(COORDINATE, x, "desktop.x");
  check(COORDINATE, y, "desktop.y");
  if (typeof started !== "string" || !TIMESTAMP.test(started) || Number.isNaN(Date.parse(started))) {
    throw new InputError(
      `started must be a time such as 2026-01-02T03:04:05.678Z, not ${describeValue(started)}`,
    );
  }
  if (!Array.isArray(events)) throw new InputError("events must be an array");
  if (events.length > EVENT_LIMIT) {
    throw new InputError(`events has ${events.length} entries; ${EVENT_LIMIT} are allowed`);
  }
  let last = 0;
  return {
    format: FORMAT,
    version: VERSION,
    desktop: recordedDesktop(width as number, height as number, x as number, y as number),
    started,
    events: events.map((event, index) => {
      const parsed = parseEvent(event, `events[${index}]`, last);
      last = parsed.t;
      return parsed;
    }),
  };
}

function recordedDesktop(width: number, height: number, x: number, y: number): RecordedDesktop {
  return { width, height, ...(x || y ? { x, y } : {}) };
}

function parseEvent(value: unknown, where: string, last: number): RecordedEvent {
  const event = objectAt(value, where);
  const { t, type } = event;
  if (typeof t !== "number" || !(t >= 0 && t <= TIME_LIMIT)) {
    throw new InputError(
      `${where}.t must be milliseconds from 0 to ${TIME_LIMIT} (a day), not ${describeValue(t)}`,
    );
  }
  if (t < last) {
    throw new InputError(`${where}.t must not be before the event before it (${last}), but is ${t}`);
  }
  check(oneOf(TYPES), type, `${where}.type`);
  const parsed: Record<string, unknown> = { t, type };
  for (const [name, rule] of Object.entries(FIELDS[type as InputAction["type"]])) {
    check(rule, Object.hasOwn(event, name) ? event[name] : undefined, `${where}.${name}`);
    parsed[name] = event[name] === 0 ? 0 : event[name]; // JSON has -0, which no desktop has
  }
  return parsed as RecordedEvent;
}

/** Writes a recording: an event a line, so that people and diff can read it. */
export function formatRecording({ events, ...head }: Recording): string {
  const start = JSON.stringify(head).slice(0, -1);
  return `${start},"events":[${events.map((event) => "\n" + JSON.stringify(event)).join(",")}\n]}\n`;
}

function objectAt(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InputError(`${where} must be an object, not ${describeValue(value)}`);
  }
  return value as Record<string, unknown>;
}

function check([fits, allowed]: Rule, value: unknown, where: string) {
  if (!fits(value)) throw new InputError(`${where} must be ${allowed}, not ${describeValue(value)}`);
}
