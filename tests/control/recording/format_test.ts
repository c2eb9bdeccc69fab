/** The file format: accepted and refused files by table, and that the schema agrees. */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import Ajv from "ajv/2020";
import { InputError } from "../../../core/errors.ts";
import { parseRecording } from "../../../control/recording/format.ts";
import { formatRecording, parseRecordingText } from "../../support/recordings.ts";
import schema from "../../../docs/recording.schema.json" with { type: "json" };

const GOOD = {
  format: "deskhand-recording",
  version: 1,
  desktop: { width: 1920, height: 1080 },
  started: "2026-01-02T03:04:05.678Z",
  events: [
    { t: 0, type: "move", x: 10, y: 20 },
    { t: 12.4, type: "button", button: "left", down: true, x: 10, y: 20 },
    { t: 80.1, type: "scroll", direction: "up", amount: 1, x: 10, y: 20 },
    { t: 300, type: "key", key: "a", down: true },
    { t: 300, type: "key", key: "keysym:0x1008ff45", down: false },
    { t: 300, type: "key", key: "1", down: true, text: "!" },
    { t: 300, type: "key", key: "space", down: true, text: " " },
    { t: 300, type: "move", x: -5, y: -1 },
  ],
};
// deno-lint-ignore no-explicit-any -- ajv's types do not describe its default export to Deno
const validate = new (Ajv as any)({ strict: false, formats: { "date-time": true } }).compile(schema);

Deno.test("a recording is read and written without change", () => {
  assertEquals(parseRecording(GOOD), GOOD as never);
  assertEquals(parseRecordingText(formatRecording(parseRecording(GOOD))), GOOD as never);
  assertEquals(validate(GOOD), true);
  assertEquals(JSON.parse(formatRecording(parseRecording(GOOD))), GOOD);
  assertEquals(parseRecordingText(`\uFEFF${JSON.stringify(GOOD)}`), GOOD as never); // as Notepad saves it
  const left = { ...GOOD, desktop: { width: 3840, height: 1080, x: -1920, y: 0 } };
  assertEquals(parseRecording(left), left as never);
  assertEquals(validate(left), true);
  const atZero = { ...GOOD, desktop: { ...GOOD.desktop, x: 0, y: 0 } };
  assertEquals(parseRecording(atZero), GOOD as never);
  const negativeZero = parseRecording({ ...GOOD, events: [{ t: -0, type: "move", x: -0, y: 5 }] });
  assertEquals(JSON.stringify(negativeZero.events), '[{"t":0,"type":"move","x":0,"y":5}]');
  assertEquals(Object.is((negativeZero.events[0] as { x: number }).x, 0), true);
});

const event = (change: object) => ({ ...GOOD, events: [GOOD.events[0], { ...GOOD.events[1], ...change }] });
/** Cases that a schema cannot express: order, names of keys, times that parse. */
const BEYOND_SCHEMA = "beyond the schema";

const WRONG: [value: unknown, message: RegExp, note?: string][] = [
  [null, /^the recording must be an object, not null$/],
  [[], /^the recording must be an object, not an array$/],
  [5, /must be an object, not 5/],
  [{ ...GOOD, format: "other" }, /format must be "deskhand-recording"/],
  [{ ...GOOD, version: 2 }, /^version 2 of recordings is unknown; this deskhand reads version 1$/],
  [{ ...GOOD, version: "1" }, /^version "1" of recordings is unknown/],
  [{ ...GOOD, desktop: undefined }, /^desktop must be an object/],
  [{ ...GOOD, desktop: { width: 0, height: 5 } }, /^desktop\.width must be a whole number from 1/],
  [{ ...GOOD, desktop: { ...GOOD.desktop, x: 0.5 } }, /^desktop\.x must be a whole number from -1000000/],
  [{ ...GOOD, desktop: { ...GOOD.desktop, y: null } }, /^desktop\.y must be .*, not null$/],
  [{ ...GOOD, started: "yesterday" }, /^started must be a time/, BEYOND_SCHEMA],
  [{ ...GOOD, started: "1 Jan 2026 (\ntouch /tmp/x\n#)" }, /^started must be a time/, BEYOND_SCHEMA],
  [{ ...GOOD, started: "2026-01-02T03:04:05Z\n" }, /^started must be a time/, BEYOND_SCHEMA],
  [{ ...GOOD, started: "2026-13-02T03:04:05Z" }, /^started must be a time/, BEYOND_SCHEMA],
  [{ ...GOOD, started: 5 }, /^started must be a time/],
  [{ ...GOOD, events: {} }, /^events must be an array$/],
  [{ ...GOOD, events: [null] }, /^events\[0\] must be an object, not null$/],
  [{ ...GOOD, events: [[]] }, /^events\[0\] must be an object, not an array$/],
  [event({ t: -1 }), /^events\[1\]\.t must be milliseconds from 0/],
  [event({ t: "5" }), /^events\[1\]\.t must be milliseconds/],
  [event({ t: null }), /^events\[1\]\.t must be milliseconds/],
  [event({ t: 1e300 }), /^events\[1\]\.t must be milliseconds/],
  [
    { ...GOOD, events: [{ ...GOOD.events[0], t: 5 }, { ...GOOD.events[0], t: 4 }] },
    /^events\[1\]\.t must not be before .* \(5\), but is 4$/,
    BEYOND_SCHEMA,
  ],
  [
    event({ type: "teleport" }),
    /^events\[1\]\.type must be one of move, button, scroll, key, not "teleport"$/,
  ],
  [event({ type: "__proto__" }), /^events\[1\]\.type must be one of/],
  [event({ button: "LEFT" }), /^events\[1\]\.button must be one of left/],
  [event({ down: 1 }), /^events\[1\]\.down must be true or false, not 1$/],
  [event({ x: 1.5 }), /^events\[1\]\.x must be a whole number/],
  [event({ x: 1e9 }), /^events\[1\]\.x must be a whole number/],
  [event({ y: undefined }), /^events\[1\]\.y must be a whole number.*missing/],
  [event({ type: "scroll", direction: "up", amount: 0 }), /^events\[1\]\.amount /],
  [event({ type: "scroll", direction: "north", amount: 1 }), /^events\[1\]\.direction must be one of up/],
  [event({ type: "key", key: "" }), /^events\[1\]\.key must be the name of a key/],
  [event({ type: "key", key: "banana" }), /^events\[1\]\.key must be the name of a key/, BEYOND_SCHEMA],
  [event({ type: "key", key: "1", text: "ab" }), /^events\[1\]\.text must be one character/],
  [event({ type: "key", key: "1", text: "\u202e" }), /^events\[1\]\.text must be .*, not "\\u202e"$/],
  [event({ type: "key", key: "1", text: null }), /^events\[1\]\.text must be one character/],
  [event({ type: "key", key: 7 }), /^events\[1\]\.key must be the name of a key/],
];

Deno.test("an error names the wrong event and field", () => {
  for (const [value, message, note] of WRONG) {
    assertMatch(assertThrows(() => parseRecording(value), InputError).message, message);
    if (note !== BEYOND_SCHEMA) {
      assertEquals(validate(JSON.parse(JSON.stringify(value))), false, String(message));
    }
  }
  assertThrows(() => parseRecordingText("{"), InputError, "not valid JSON");
  assertThrows(() => parseRecordingText("[".repeat(1e6)), InputError);
  const million = { ...GOOD, events: Array(1_000_001).fill(GOOD.events[0]) };
  assertThrows(() => parseRecording(million), InputError, "1000001 entries; 1000000 are allowed");
});
