/**
 * The file format of recordings: JSON in UTF-8, described by docs/recording.schema.json. Every field is
 * checked on input; nothing in a file is ever executed.
 */

import { InputError } from "../../core/errors.ts";
import { isJsonObject, parseJson } from "../../core/json.ts";
import { describeValue } from "../../core/printable.ts";
import type { InputAction, Point, Region } from "../desktop/desktop.ts";
import { pressName } from "../operator/held.ts";
import { EVENT_COORDINATE, INPUT_EVENTS } from "../schema/fields.ts";
import {
  choice,
  type Fields,
  integer,
  type JsonSchema,
  list,
  objectSchema,
  optional,
  plainText,
  type Values,
} from "../schema/schema.ts";
import { inTurns } from "../../core/until.ts";

/** Maximum size of a file, in bytes. */
export const RECORDING_LIMIT = 64 * 1024 * 1024;
/** Maximum number of events in a recording. */
const EVENT_LIMIT = 1_000_000;
/** Number of events after which recording ends, leaving room for the releases of what is still pressed. */
export const RECORDED_LIMIT = EVENT_LIMIT - 1000;
/** Maximum duration of a recording, in milliseconds: one day. */
export const TIME_LIMIT = 24 * 60 * 60 * 1000;
const FORMAT = "deskhand-recording";
const VERSION = 1;

/** An event: an input with its time from the start, in milliseconds. */
export type RecordedEvent = { t: number } & InputAction;

/** The desktop's region, in pixels. An origin of 0,0 is left out. */
type RecordedDesktop = Pick<Region, "width" | "height"> & Partial<Point>;

/** Maximum number of window titles stored in a recording. */
export const RECORDED_WINDOWS = 100;

/** Titles of the desktop's windows before and after a recording, front one first. */
export interface RecordedWindows {
  before: string[];
  after: string[];
}

export interface Recording {
  format: typeof FORMAT;
  version: typeof VERSION;
  /** The desktop on which the recording was made. */
  desktop: RecordedDesktop;
  /** Start of the recording, as ISO 8601 in UTC. */
  started: string;
  windows?: RecordedWindows;
  events: RecordedEvent[];
}

const TYPE = choice(Object.keys(INPUT_EVENTS) as InputAction["type"][], "Kind of the event");
const SIZE = integer(1, 1_000_000, "Pixels");
const DESKTOP = {
  width: SIZE,
  height: SIZE,
  x: optional(EVENT_COORDINATE),
  y: optional(EVENT_COORDINATE),
};

const WINDOWS = {
  before: list(plainText("A title"), "The titles before the recording", { most: RECORDED_WINDOWS }),
  after: list(plainText("A title"), "The titles after the recording", { most: RECORDED_WINDOWS }),
};

/** The JSON Schema of recordings; docs/recording.schema.json is generated from it. */
export const RECORDING_SCHEMA: JsonSchema = {
  title: "A recording of deskhand",
  type: "object",
  required: ["format", "version", "desktop", "started", "events"],
  properties: {
    format: { const: FORMAT },
    version: { const: VERSION },
    desktop: {
      description: "The recorded desktop, in pixels; x and y are its top left corner, default 0",
      ...objectSchema(DESKTOP),
    },
    started: { type: "string", format: "date-time" },
    windows: {
      description: "The windows before and after the recording, the front one first",
      ...objectSchema(WINDOWS),
    },
    events: {
      description: "The events in order",
      type: "array",
      maxItems: EVENT_LIMIT,
      items: {
        type: "object",
        required: ["t", "type"],
        properties: {
          t: {
            description: "Milliseconds from the start, never less than the event before",
            type: "number",
            minimum: 0,
            maximum: TIME_LIMIT,
          },
        },
        oneOf: Object.entries(INPUT_EVENTS).map(([type, fields]) => {
          const { properties, required } = objectSchema(fields);
          return { properties: { type: { const: type }, ...properties as JsonSchema }, required };
        }),
      },
    },
  },
};

/** A date and time (RFC 3339 section 5.6). Date.parse alone accepts almost anything, even line feeds in parentheses. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Creates an empty recording.
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
 * Reads a recording's file.
 * @throws InputError naming what is wrong.
 */
export function parseRecordingBytes(bytes: Uint8Array): Recording {
  return parseRecording(parseJson(bytes, "this is not a recording: it"));
}

/**
 * Checks a recording.
 * @param value The parsed JSON; its events are replaced with checked events.
 * @returns The recording, with known fields only.
 * @throws InputError naming the event, by index, the field that is wrong, and what is allowed.
 */
export function parseRecording(value: unknown): Recording {
  const { format, version, desktop, started, windows, events } = objectAt(value, "the recording");
  if (format !== FORMAT) throw new InputError(`this is not a recording: format must be "${FORMAT}"`);
  if (version !== VERSION) {
    throw new InputError(
      `version ${
        describeValue(version)
      } of recordings is not supported; this deskhand reads version ${VERSION}`,
    );
  }
  const { width, height, x = 0, y = 0 } = parseFieldsAt("desktop", DESKTOP, objectAt(desktop, "desktop"));
  if (typeof started !== "string" || !TIMESTAMP.test(started) || Number.isNaN(Date.parse(started))) {
    throw new InputError(
      `started must be a time such as 2026-01-02T03:04:05.678Z, not ${describeValue(started)}`,
    );
  }
  if (!Array.isArray(events)) throw new InputError("events must be an array");
  if (events.length > EVENT_LIMIT) {
    throw new InputError(`events has ${events.length} entries; at most ${EVENT_LIMIT} are allowed`);
  }
  let last = 0;
  // In place, since copying a million events would double the memory.
  for (const [index, event] of events.entries()) {
    const parsed = events[index] = parseEvent(event, `events[${index}]`, last);
    last = parsed.t;
  }
  return {
    format: FORMAT,
    version: VERSION,
    desktop: recordedDesktop(width, height, x, y),
    started,
    ...(windows === undefined
      ? {}
      : { windows: parseFieldsAt("windows", WINDOWS, objectAt(windows, "windows")) }),
    events,
  };
}

function recordedDesktop(width: number, height: number, x: number, y: number): RecordedDesktop {
  return { width, height, ...(x || y ? { x, y } : {}) };
}

function parseEvent(value: unknown, where: string, last: number): RecordedEvent {
  const event = objectAt(value, where);
  const { t } = event;
  if (typeof t !== "number" || !(t >= 0 && t <= TIME_LIMIT)) {
    throw new InputError(
      `${where}.t must be a number of milliseconds from 0 to ${TIME_LIMIT} (a day), not ${describeValue(t)}`,
    );
  }
  if (t < last) {
    throw new InputError(
      `${where}.t must not be less than that of the preceding event (${last}), but is ${t}`,
    );
  }
  const fields = parseFieldsAt(where, { type: TYPE }, event);
  return { t, ...fields, ...parseFieldsAt(where, INPUT_EVENTS[fields.type], event) } as RecordedEvent;
}

/**
 * Checks the fields of a part of a recording. Unlike `parseFields`, which reads people's input, it does not
 * check spelling, and builds field names only for messages, since a recording may have a million events.
 * @param where The text before a field's name in messages, such as `events[5]`.
 */
function parseFieldsAt<F extends Fields>(
  where: string,
  fields: F,
  given: Record<string, unknown>,
): Values<F> {
  const values: Record<string, unknown> = {};
  try {
    for (const name in fields) {
      const isGiven = Object.hasOwn(given, name);
      if (isGiven || fields[name].required) {
        values[name] = fields[name].parse(isGiven ? given[name] : undefined, name);
      }
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${where}.${error.message}`);
  }
  return values as Values<F>;
}

function objectAt(value: unknown, where: string): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw new InputError(`${where} must be an object, not ${describeValue(value)}`);
}

// Completes a recording, so that every key and button that it presses is also released.

/** Events per piece: a few milliseconds of work. */
const PIECE_EVENTS = 10_000;

/**
 * Removes releases of keys and buttons that were pressed before the start, and releases the rest after the
 * last event.
 * @returns Events that leave nothing pressed.
 */
export function balanced(events: readonly RecordedEvent[]): RecordedEvent[] {
  return [...balancedPieces(events)].flat();
}

/** Like {@linkcode balanced}, but yields to other work in between. */
export async function balancedInTurns(events: readonly RecordedEvent[]): Promise<RecordedEvent[]> {
  const kept: RecordedEvent[] = [];
  for await (const piece of inTurns(balancedPieces(events))) {
    for (const event of piece) kept.push(event);
  }
  return kept;
}

function* balancedPieces(events: readonly RecordedEvent[]): Generator<RecordedEvent[], void> {
  const down = new Map<string, RecordedEvent>();
  for (let from = 0; from < events.length; from += PIECE_EVENTS) {
    yield events.slice(from, from + PIECE_EVENTS).filter((event) => {
      const name = pressName(event);
      if (name === undefined) return true;
      if (!(event as { down: boolean }).down) return down.delete(name);
      down.set(name, event);
      return true;
    });
  }
  const t = events.at(-1)?.t ?? 0;
  yield [...down.values()].reverse().map((event) => released(event, t));
}

function released(event: RecordedEvent, t: number): RecordedEvent {
  const { text: _, ...press } = event as Extract<RecordedEvent, { type: "key" }>;
  return { ...press, t, down: false };
}

/**
 * Removes the keys at the end with which a person typed a command in a terminal to stop the recording.
 * @param line The text typed before Enter.
 */
export function withoutTypedLine(events: readonly RecordedEvent[], line: string): RecordedEvent[] {
  const keys = [...line, "enter"];
  const kept = [...events];
  let index = events.length - 1;
  while (keys.length && index >= 0) {
    const event = kept[index];
    if (event.type === "key") {
      if (event.key !== keys.at(-1) && event.key !== keys.at(-2)) break;
      if (event.down) {
        // Keys overlap in fast typing: the next key may go down before this one is up.
        if (event.key === keys.at(-1)) keys.pop();
        else break;
      }
      kept.splice(index, 1);
    } else if (event.type !== "move") break;
    index--;
  }
  return keys.length ? [...events] : kept;
}
