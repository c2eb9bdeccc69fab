/** The file format: accepted and refused files by table, and the schema's agreement. */

import { assertAlmostEquals, assertEquals, assertMatch, assertThrows } from "@std/assert";
import Ajv from "ajv/2020";
import type { InputAction, Point, Region, Step } from "../../../control/desktop/desktop.ts";
import {
  balanced,
  newRecording,
  parseRecording,
  type RecordedEvent,
  type Recording,
  withoutTypedLine,
} from "../../../control/recording/format.ts";
import {
  Lateness,
  planRound,
  type PlayOptions,
  playSteps,
  stepBatches,
} from "../../../control/recording/playback.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { InputError, StateError } from "../../../core/errors.ts";
import schema from "../../../docs/recording.schema.json" with { type: "json" };
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { formatRecording, parseRecordingText } from "../../support/recordings.ts";
import { refusingKeys } from "../../support/window_desktops.ts";

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
/** Cases that a schema cannot express: order, key names, times that parse. */
const BEYOND_SCHEMA = "beyond the schema";

const WRONG: [value: unknown, message: RegExp, note?: string][] = [
  [null, /^the recording must be an object, not null$/],
  [[], /^the recording must be an object, not an array$/],
  [5, /must be an object, not 5/],
  [{ ...GOOD, format: "other" }, /format must be "deskhand-recording"/],
  [{ ...GOOD, version: 2 }, /^version 2 of recordings is not supported; this deskhand reads version 1$/],
  [{ ...GOOD, version: "1" }, /^version "1" of recordings is not supported/],
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
  [event({ t: -1 }), /^events\[1\]\.t must be a number of milliseconds from 0/],
  [event({ t: "5" }), /^events\[1\]\.t must be a number of milliseconds/],
  [event({ t: null }), /^events\[1\]\.t must be a number of milliseconds/],
  [event({ t: 1e300 }), /^events\[1\]\.t must be a number of milliseconds/],
  [
    { ...GOOD, events: [{ ...GOOD.events[0], t: 5 }, { ...GOOD.events[0], t: 4 }] },
    /^events\[1\]\.t must not be less than .* \(5\), but is 4$/,
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
  [event({ type: "key", key: "" }), /^events\[1\]\.key must be a key name/],
  [event({ type: "key", key: "banana" }), /^events\[1\]\.key must be a key name/, BEYOND_SCHEMA],
  [event({ type: "key", key: "1", text: "ab" }), /^events\[1\]\.text must be one character/],
  [event({ type: "key", key: "1", text: "\u202e" }), /^events\[1\]\.text must be .*, not "\\u202e"$/],
  [event({ type: "key", key: "1", text: null }), /^events\[1\]\.text must be one character/],
  [event({ type: "key", key: 7 }), /^events\[1\]\.key must be a key name/],
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
  assertThrows(() => parseRecording(million), InputError, "1000001 entries; at most 1000000 are allowed");
});

// When actions are due, and a replay that follows these times, on the test's own clock.

const SCREEN = { x: 0, y: 0, width: 1280, height: 720 };
const key = (t: number, name: string, down: boolean): RecordedEvent => ({ t, type: "key", key: name, down });
const move = (t: number, x: number, y: number): RecordedEvent => ({ t, type: "move", x, y });
const button = (t: number, down: boolean, x = 1, y = 1): RecordedEvent => ({
  t,
  type: "button",
  button: "left",
  down,
  x,
  y,
});

/** The steps of one round. */
function schedule(recording: Recording, options: PlayOptions, screen: Region): Step[] {
  return [...stepBatches(planRound(StoredRecording.of(recording), options, screen))].flat();
}

function times(events: RecordedEvent[], options: PlayOptions = {}): number[] {
  return schedule({ ...newRecording(SCREEN, new Date()), events }, options, SCREEN).map(({ at }) => at);
}

Deno.test("speed divides times, and presses keep the length that programs need", () => {
  assertEquals(times([move(0, 1, 1), move(100, 2, 2)]), [0, 100]);
  assertEquals(times([move(0, 1, 1), move(100, 2, 2)], { speed: 2 }), [0, 50]);
  assertEquals(times([move(0, 1, 1), move(100, 2, 2)], { speed: 0.5 }), [0, 200]);
  assertEquals(times([key(0, "a", true), key(100, "a", false)], { speed: 100 }), [0, 20]);
  assertEquals(times([key(0, "a", true), key(5, "a", false)], { speed: 100 }), [0, 5]);
  assertEquals(times([key(0, "a", true), key(100, "a", false), key(110, "b", true)], { speed: 100 }), [
    0,
    20,
    20,
  ]);
});

Deno.test("a recording of another desktop size is refused or scaled, a position outside is refused", () => {
  const recording = {
    ...newRecording({ x: 0, y: 0, width: 640, height: 360 }, new Date()),
    events: [move(0, 639, 359), move(1, 0, 0)],
  };
  assertThrows(() => schedule(recording, {}, SCREEN), StateError, "640x360, but this one has 1280x720");
  for (const size of [{ width: 1280, height: 719 }, { width: 1279, height: 720 }]) {
    const other = { ...newRecording({ x: 0, y: 0, ...size }, new Date()), events: [] };
    assertThrows(() => schedule(other, {}, SCREEN), StateError, "play with --scale");
  }
  const steps = schedule(recording, { scale: true }, SCREEN);
  assertEquals(steps.map(({ action }) => action), [{ type: "move", x: 1279, y: 719 }, {
    type: "move",
    x: 0,
    y: 0,
  }]);
  for (const [x, y] of [[1280, 0], [0, 720], [-1, 0], [0, -1]]) {
    const outside = { ...newRecording(SCREEN, new Date()), events: [move(0, 1, 1), move(1, x, y)] };
    assertThrows(() => schedule(outside, {}, SCREEN), InputError, `events[1] is at ${x},${y}`);
  }
});

Deno.test("positions are scaled between desktops with different origins", () => {
  const wide = { x: -1920, y: -200, width: 3841, height: 1281 },
    half = { x: 0, y: 0, width: 1921, height: 641 };
  const corners = (from: Region, to: Region, places: Point[]) => {
    const events = places.map(({ x, y }, t) => move(t, x, y));
    return schedule({ ...newRecording(from, new Date()), events }, { scale: true }, to).map(({ action }) => {
      const { x, y } = action as Point & InputAction;
      return { x, y };
    });
  };
  const inWide = [{ x: -1920, y: -200 }, { x: 0, y: 0 }, { x: 1920, y: 1080 }];
  const inHalf = [{ x: 0, y: 0 }, { x: 960, y: 100 }, { x: 1920, y: 640 }];
  assertEquals(corners(wide, half, inWide), inHalf);
  assertEquals(corners(half, wide, inHalf), inWide);
  assertEquals(corners({ ...half, width: 1 }, half, [{ x: 0, y: 640 }]), [{ x: 0, y: 640 }]);
  const moved = { ...newRecording(wide, new Date()), events: [move(0, 1, 1)] };
  assertThrows(
    () => schedule(moved, {}, { ...wide, x: 0 }),
    StateError,
    "3841x1281 from -1920,-200, but this one has 3841x1281 from 0,-200",
  );
  assertEquals(schedule(moved, {}, wide).length, 1);
});

Deno.test("a recording releases what it presses", () => {
  assertEquals(balanced([key(0, "enter", false), key(1, "a", true), button(2, true), move(9, 5, 5)]), [
    key(1, "a", true),
    button(2, true),
    move(9, 5, 5),
    button(9, false),
    key(9, "a", false),
  ]);
  assertEquals(balanced([key(0, "a", true), key(1, "a", false)]).length, 2);
});

Deno.test("the keys of a typed stop are left out of the recording", () => {
  const typed = (line: string) =>
    [...line].flatMap((c, i) => [key(100 + i, c, true), key(100 + i, c, false)]);
  const before = [key(0, "x", true), key(1, "x", false), move(2, 1, 1)];
  const enter = key(200, "enter", true);
  assertEquals(withoutTypedLine([...before, ...typed("stop"), enter], "stop"), before);
  assertEquals(withoutTypedLine([...before, ...typed("stop"), move(150, 3, 3), enter], "stop"), [
    ...before,
    move(150, 3, 3),
  ]);
  const overlapping = [
    key(100, "s", true),
    key(101, "t", true),
    key(102, "s", false),
    key(103, "o", true),
    key(104, "t", false),
    key(105, "p", true),
    key(106, "o", false),
    key(107, "p", false),
  ];
  assertEquals(withoutTypedLine([...before, ...overlapping, enter], "stop"), before);
  assertEquals(withoutTypedLine([...typed("stop"), enter], "stop"), []);
  for (const other of [[...before, ...typed("quit"), enter], [...typed("op"), enter], []]) {
    assertEquals(withoutTypedLine(other, "stop"), other);
  }
});

/** A clock that is late by `lateness(time)`. */
function lateClock(lateness: (time: number) => number) {
  let time = 1000;
  return {
    now: () => time,
    sleepUntil: (until: number) => {
      time = Math.max(time, until + lateness(until - 1000));
      return Promise.resolve(true);
    },
  };
}

Deno.test("late moves are merged, presses are not, and lateness does not add up", async () => {
  const desktop = new VirtualDesktop();
  const events = [
    move(0, 1, 1),
    move(1, 2, 2),
    move(2, 3, 3),
    button(3, true, 3, 3),
    button(4, false, 3, 3),
    move(500, 9, 9),
  ];
  const steps = schedule({ ...newRecording(SCREEN, new Date()), events }, {}, SCREEN);
  const outcome = await playSteps(desktop, steps, 1, lateClock((at) => at < 10 ? 50 : 0));
  const done = desktop.log as InputAction[];
  assertEquals(done.map(({ type }) => type), ["move", "button", "button", "move"]);
  assertEquals(done[0], { type: "move", x: 3, y: 3 });
  assertEquals([outcome.performed, outcome.stopped, outcome.maxLatenessMs > 40], [6, false, true]);
  assertEquals(outcome.meanLatenessMs < outcome.maxLatenessMs, true);
});

Deno.test("a replay that is stopped, or fails, leaves nothing pressed", async () => {
  const events = [key(0, "ctrl", true), button(1, true), key(2, "a", true), move(3, 9, 9)];
  const steps = schedule({ ...newRecording(SCREEN, new Date()), events }, {}, SCREEN);
  const desktop = new VirtualDesktop();
  const outcome = await playSteps(desktop, steps, 1, {
    now: () => 0,
    sleepUntil: (time) => Promise.resolve(time < 3),
  });
  assertEquals(outcome.stopped, true);
  assertEquals(desktop.log.slice(-3), [
    { type: "key", key: "a", down: false },
    { type: "button", button: "left", down: false, x: 1, y: 1 },
    { type: "key", key: "ctrl", down: false },
  ]);
  const failing = refusingKeys((key, down) =>
    key === "a" && down ? new InputError("no such key") : undefined
  );
  let thrown: unknown;
  await playSteps(failing, steps, 1, { now: () => 0, sleepUntil: () => Promise.resolve(true) }).catch((
    error,
  ) => thrown = error);
  assertEquals((thrown as Error).message, "no such key");
  assertEquals(failing.log.slice(-2), [
    { type: "button", button: "left", down: false, x: 1, y: 1 },
    { type: "key", key: "ctrl", down: false },
  ]);
});

// A replay's lateness, in bounded memory.

Deno.test("the summary of no actions is zero, and that of some is exact", () => {
  assertEquals(Object.values(new Lateness().summary()), [0, 0, 0, 0]);
  const lateness = new Lateness();
  for (const ms of [9, 1, 2, 4]) lateness.add(ms);
  assertEquals(lateness.summary(), {
    meanLatenessMs: 4,
    medianLatenessMs: 4,
    p99LatenessMs: 9,
    maxLatenessMs: 9,
  });
});

Deno.test("a million actions are summarized: mean and maximum exactly, the rest closely", () => {
  let seed = 1; // the same numbers in each run
  const lateness = new Lateness(() => (seed = seed * 16_807 % 2_147_483_647) / 2_147_483_647);
  // Alternately early and late, as presses and releases may be, and later towards the end.
  for (let i = 0; i < 1_000_000; i++) lateness.add(i % 2 ? i : 0);
  const { meanLatenessMs, medianLatenessMs, p99LatenessMs, maxLatenessMs } = lateness.summary();
  assertEquals([meanLatenessMs, maxLatenessMs], [250_000, 999_999]);
  assertEquals(medianLatenessMs < 20_000, true, `${medianLatenessMs}`);
  assertAlmostEquals(p99LatenessMs, 980_000, 3000);
});
