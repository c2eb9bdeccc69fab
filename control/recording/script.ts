/** A recording as a shell script of curl commands that a person can read and edit. */

import type { Bytes } from "../../core/bytes.ts";
import { printableJson } from "../../core/printable.ts";
import { describeRecorded } from "../elements/query.ts";
import { type Gesture, gestureBatches, targetOf } from "./gestures.ts";
import type { StoredRecording } from "./stored.ts";
import { inTurns } from "../../core/until.ts";
import type { RecordedWindows } from "./format.ts";

/** Minimum length of a pause that is kept, in milliseconds; curl itself takes some milliseconds. */
const LONGEST_PAUSE_MS = 50;

/**
 * Maximum wait for a recorded element, or a text, to appear, in milliseconds: a first reading takes a few
 * seconds.
 */
const WAIT_MS = { element: 1000, text: 5000 } as const;

/** The address that a script calls if no control API is running: the default port. */
const USUAL_URL = "http://127.0.0.1:4000";

/** The lines before the steps. */
const head = (url: string) =>
  `#!/bin/sh
# Replays a recording of deskhand, step by step. Each line can be changed, moved or left out.
#
# DESKHAND_URL     where deskhand listens (${url})
# DESKHAND_TOKEN   its token, if it asks for one
set -e
url=\${DESKHAND_URL:-${url}}
set -- -sSf -o /dev/null
[ -z "$DESKHAND_TOKEN" ] || set -- "$@" -H "Authorization: Bearer $DESKHAND_TOKEN"
`;

/** Written before the first click that may use a replacement. */
const TOLD = `
# Clicks an element or text; if another one took its place, the line "healed: ..." says so.
told() {
  curl -sSf -H 'Accept: text/plain' \${DESKHAND_TOKEN:+-H "Authorization: Bearer $DESKHAND_TOKEN"} "$@" >&2
}

`;

/**
 * Writes a recording as a script. The script repeats the input at the same times, except for pauses below 50
 * ms, pointer paths without a drag, and clicks and key presses shorter than half a second. A click on a
 * recorded element or text clicks that one, or its replacement by the rules of healing, which it reports; if
 * there is neither, the script ends.
 * @param url The address that the script calls unless the variable DESKHAND_URL gives another; without a
 * trailing slash.
 * @returns The text in pieces, each a few milliseconds of work; a piece may be empty.
 */
export function* scriptPieces(recording: StoredRecording, url = USUAL_URL): Generator<string, void> {
  const { started, desktop } = recording.head;
  yield `${head(url)}\n# Recorded ${started} on a desktop of ${desktop.width}x${desktop.height}.\n`;
  let time = 0, isTold = false;
  for (const gestures of gestureBatches(recording.batches())) {
    let text = "";
    for (const gesture of gestures) {
      const pause = gesture.from - time;
      if (pause >= LONGEST_PAUSE_MS) text += `sleep ${(pause / 1000).toFixed(2)}\n`;
      time = gesture.from;
      const isOn = gesture.type === "click" && targetOf(gesture) !== undefined;
      if (isOn && !isTold) text += TOLD;
      isTold ||= isOn;
      text += `${linesOf(gesture)}\n`;
    }
    yield text;
  }
}

/** The bytes of {@linkcode scriptPieces}, yielding to other work in between. */
export function scriptBytes(recording: StoredRecording, url?: string): AsyncGenerator<Bytes, void> {
  return encoded(scriptPieces(recording, url));
}

async function* encoded(pieces: Iterable<string>): AsyncGenerator<Bytes, void> {
  const encoder = new TextEncoder();
  for await (const piece of inTurns(pieces)) {
    if (piece) yield encoder.encode(piece);
  }
}

function curl(path: string, body: object): string {
  return `curl "$@" "$url/api/${path}" -d ${shellQuoted(printableJson(JSON.stringify(body)))}`;
}

/** The script lines of a gesture. A click on a recorded element waits for it and clicks its current place. */
function linesOf(gesture: Gesture): string {
  const target = gesture.type === "click" ? targetOf(gesture) : undefined;
  if (gesture.type !== "click" || !target) return curl(...callOf(gesture));
  const { button, count, x, y } = gesture, { title, nth } = target;
  const window = title === undefined ? {} : { window: { title } };
  // Something else may be at the recorded place now.
  const missing = (what: string) =>
    `  { echo ${shellQuoted(`${what} was not clicked; it was at ${x},${y}`)} >&2; exit 1; }`;
  if ("text" in target) {
    const which = { text: target.text, ...window, ...(nth === undefined ? {} : { nth, source: "screen" }) };
    const click = { ...which, click: button, count, timeout_ms: WAIT_MS.text, heal: true };
    return `${told("find", click)} ||\n${missing(`the text ${JSON.stringify(target.text)}`)}`;
  }
  const { role, name } = target, which = { role, name, exact: true, ...(nth === undefined ? {} : { nth }) };
  return [
    `${curl("wait", { element: { ...which, ...window }, timeout_ms: WAIT_MS.element })} 2>/dev/null || true`,
    `${told("element/click", { ...which, title, button, count, heal: true })} ||`,
    missing(describeRecorded(target)),
  ].join("\n");
}

function told(path: string, body: object): string {
  return `told "$url/api/${path}" -d ${shellQuoted(printableJson(JSON.stringify(body)))}`;
}

/** The endpoint and the body for a gesture. */
function callOf(gesture: Gesture): [path: string, body: Record<string, unknown>] {
  switch (gesture.type) {
    case "move":
      return ["move", { x: gesture.x, y: gesture.y }];
    case "click": {
      const { x, y, button, count } = gesture;
      return ["click", count > 1 ? { x, y, button, count } : { x, y, button }];
    }
    case "drag":
      return ["drag", { from: gesture.start, to: gesture.end, button: gesture.button }];
    case "scroll":
      return ["scroll", { direction: gesture.direction, amount: gesture.amount, x: gesture.x, y: gesture.y }];
    case "text":
      return ["type", { text: gesture.text }];
    case "combination":
      return ["key", { keys: gesture.keys }];
    default:
      return [gesture.type, "button" in gesture ? { button: gesture.button } : { key: gesture.key }];
  }
}

/** Quotes a word so that the shell takes it literally. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

// A recording as a Playwright Test or pytest test that a person can read, change and keep.

/** The test runners supported. */
type Runner = "playwright" | "pytest";

/** The language of a runner. */
interface Language {
  /** The lines before the test's steps. */
  head(name: string, recorded: string): string;
  /** The lines after the steps. */
  end: string;
  indent: string;
  /** Joins words into a variable name. */
  name(words: readonly string[]): string;
  /** Declares a variable. */
  declared(variable: string, value: string): string;
  /** A window by its title. */
  window(title: string): string;
  /** The arguments that choose an element that words cannot describe. */
  fields(fields: Record<string, unknown>): string;
  /** An awaited call of `desk` or of an element. */
  call(method: string, fields?: Record<string, unknown>): string;
  /** A click on a text in a window. */
  clickText(window: string, text: string, options: Record<string, unknown>): string;
  /** An assertion. */
  expected(shown: string, isThere: boolean): string;
  /** The option for a click with a longer timeout, in milliseconds. */
  timeout(ms: number): Record<string, unknown>;
  comment: string;
}

const json = (value: unknown) => printableJson(JSON.stringify(value));
const capital = (word: string) => word[0].toUpperCase() + word.slice(1);

/** An object as a TypeScript literal. */
function literal(fields: Record<string, unknown>): string {
  const written = Object.entries(fields).map(([name, value]) =>
    `${name}: ${typeof value === "object" ? literal(value as Record<string, unknown>) : json(value)}`
  );
  return `{ ${written.join(", ")} }`;
}

/** A text in the quotes that need fewer escapes, as people write it. */
function quoted(text: string): string {
  const written = json(text);
  return written.includes('\\"') && !/'|\\[^"]/.test(written)
    ? `'${written.slice(1, -1).replaceAll('\\"', '"')}'`
    : written;
}

/** A value as a Python literal: its strings are those of JSON. */
function pythonValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return json(value);
  const written = Object.entries(value as object).map(([name, one]) => `${json(name)}: ${pythonValue(one)}`);
  return `{${written.join(", ")}}`;
}

/** Names that differ in the Python client: methods, and fields that are keywords. */
const PYTHON_NAMES: Record<string, string> = {
  "desk.press": "desk.press_down",
  "desk.waitStill": "desk.wait_still",
  from: "from_",
};

const pythonArguments = (fields: Record<string, unknown>) =>
  Object.entries(fields).map(([name, value]) => `${PYTHON_NAMES[name] ?? name}=${pythonValue(value)}`).join(
    ", ",
  );

const LANGUAGES: Record<Runner, Language> = {
  playwright: {
    head: (name, recorded) =>
      `import { expect, test } from "@deskhand/client/test";\n\ntest.use({ deskHeal: true });\n\n// ${recorded}\ntest(${
        json(name)
      }, async ({ desk }) => {\n`,
    end: "});\n",
    indent: "  ",
    name: ([first, ...rest]) => first + rest.map(capital).join(""),
    declared: (variable, value) => `const ${variable} = ${value};`,
    window: (title) => `desk.window(${literal({ title })})`,
    fields: literal,
    call: (method, fields = {}) => `await ${method}(${Object.keys(fields).length ? literal(fields) : ""});`,
    clickText: (window, text, options) =>
      `await ${window === "desk.window()" ? "desk.window({})" : window}.clickText(${
        [json(text), ...Object.keys(options).length ? [literal(options)] : []].join(", ")
      });`,
    expected: (shown, isThere) => `await expect(${shown}).${isThere ? "toBeVisible" : "toBeHidden"}();`,
    timeout: (ms) => ({ timeout: ms }),
    comment: " //",
  },
  pytest: {
    head: (name, recorded) =>
      `import pytest\nfrom deskhand import expect\n\npytestmark = pytest.mark.desk_heal\n\n\n# ${recorded}\ndef test_${
        wordsOf(name).join("_") || "recorded"
      }(desk):\n`,
    end: "",
    indent: "    ",
    name: (words) => words.join("_"),
    declared: (variable, value) => `${variable} = ${value}`,
    window: (title) => `desk.window(${json(title)})`,
    fields: pythonArguments,
    call: (method, fields = {}) => `${PYTHON_NAMES[method] ?? method}(${pythonArguments(fields)})`,
    clickText: (window, text, options) =>
      `${window}.click_text(${
        [json(text), ...Object.keys(options).length ? [pythonArguments(options)] : []].join(", ")
      })`,
    expected: (shown, isThere) => `expect(${shown}).${isThere ? "to_be_visible" : "to_be_hidden"}()`,
    timeout: (ms) => ({ timeout: ms / 1000 }),
    comment: "  #",
  },
};

/**
 * Length of a person's pause from which the test waits for whatever the person waited for, in milliseconds.
 */
const PAUSE_MS = 2500;
/** Such waits are rounded up to a multiple of this, in milliseconds. */
const ROUND_MS = 10_000;
/**
 * Length of a pause before a place without an element from which the test waits until the screen is still, in
 * milliseconds.
 */
const STILL_PAUSE_MS = 1000;

/**
 * Writes a recording as a test. A click on a recorded element or text clicks it wherever it is; other clicks
 * go to their recorded places. The clients' clicks wait for their elements; after a long pause by the person,
 * the test waits longer. Motions without a button are left out. The test ends by checking what the recording
 * changed: windows that opened or closed.
 * @param name The test's name.
 * @returns The text in pieces, each a few milliseconds of work; a piece may be empty.
 */
function* testPieces(
  recording: StoredRecording,
  runner: Runner,
  name: string,
): Generator<string, void> {
  const language = LANGUAGES[runner],
    { started, desktop, windows: around } = recording.head,
    { indent } = language;
  const lines = (all: string[]) => all.map((line) => `${indent}${line}\n`).join("");
  yield language.head(name, `Recorded ${started} on a desktop of ${desktop.width}x${desktop.height}.`);
  const windows = windowsOf(recording, language), ends = around ? endsOf(around, [...windows.keys()]) : [];
  for (const { title } of ends) if (!windows.has(title)) addWindow(windows, title, language);
  yield lines(
    Array.from(windows, ([title, variable]) => language.declared(variable, language.window(title))),
  );
  if (windows.size) yield "\n";
  let last = 0;
  for (const gestures of gestureBatches(recording.batches())) {
    let text = "";
    for (const gesture of gestures) {
      if (gesture.type === "move") continue;
      text += lines(stepsOf(gesture, language, windows, gesture.from - last));
      last = gesture.to;
    }
    yield text;
  }
  if (ends.length) yield "\n";
  yield lines(ends.map(({ title, isThere }) => language.expected(windows.get(title)!, isThere)));
  yield language.end;
}

/** The bytes of {@linkcode testPieces}, yielding to other work in between. */
export function testBytes(
  recording: StoredRecording,
  runner: Runner,
  name = "recorded",
): AsyncGenerator<Bytes, void> {
  return encoded(testPieces(recording, runner, name));
}

/** The variables of the windows with clicked elements, by title. */
function windowsOf(recording: StoredRecording, language: Language): Map<string, string> {
  const variables = new Map<string, string>();
  for (const gestures of gestureBatches(recording.batches())) {
    for (const gesture of gestures) {
      const title = gesture.type === "click" ? targetOf(gesture)?.title : undefined;
      if (title !== undefined && !variables.has(title)) addWindow(variables, title, language);
    }
  }
  return variables;
}

/** Adds a variable named after the first words of a window's title. */
function addWindow(variables: Map<string, string>, title: string, { name }: Language): void {
  const words = wordsOf(title).slice(0, 3), taken = new Set(variables.values());
  if (!words.length) words.push("main");
  let variable = name([...words, "window"]);
  for (let n = 2; taken.has(variable); n++) variable = name([...words, "window", `n${n}`]);
  variables.set(title, variable);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z][a-z0-9]*/g) ?? [];

/** The effect of a recording: the last window that it opened, and the clicked windows that it closed. */
function endsOf(
  { before, after }: RecordedWindows,
  used: readonly string[],
): { title: string; isThere: boolean }[] {
  const opened = after.find((title) => !before.includes(title));
  const closed = used.filter((title) => !after.includes(title)).map((title) => ({ title, isThere: false }));
  const shown = opened ?? (closed.length ? undefined : used.findLast((title) => after.includes(title)));
  return [...closed, ...(shown === undefined ? [] : [{ title: shown, isThere: true }])];
}

/** Gestures at a place; after a pause, they wait until the screen is still. */
const AT_PLACES: readonly string[] = ["click", "drag", "scroll"];

/**
 * The steps of a gesture.
 * @param pause Time since the previous gesture, in milliseconds.
 */
function stepsOf(
  gesture: Exclude<Gesture, { type: "move" }>,
  language: Language,
  windows: ReadonlyMap<string, string>,
  pause: number,
): string[] {
  const { call, comment } = language, isClick = gesture.type === "click";
  const target = isClick ? targetOf(gesture) : undefined;
  if (isClick && target) return [clickOn(target, gesture, language, windows, pause)];
  const isLate = pause >= STILL_PAUSE_MS && AT_PLACES.includes(gesture.type);
  const [method, body] = callOf(gesture);
  const why = isClick ? `${comment} neither an element nor a text was noted` : "";
  return [...isLate ? [call("desk.waitStill")] : [], call(`desk.${method}`, body) + why];
}

/** The click on a recorded element or text. */
function clickOn(
  target: NonNullable<ReturnType<typeof targetOf>>,
  { button, count }: Extract<Gesture, { type: "click" }>,
  { call, clickText, fields, timeout }: Language,
  windows: ReadonlyMap<string, string>,
  pause: number,
): string {
  const options = {
    ...(button === "left" ? {} : { button }),
    ...(count > 1 ? { count } : {}),
    ...(pause >= PAUSE_MS ? timeout(Math.ceil(2 * pause / ROUND_MS) * ROUND_MS) : {}),
  };
  if ("text" in target) {
    const { text, title, nth } = target, which = nth === undefined ? {} : { nth, source: "screen" };
    const window = title === undefined ? "desk.window()" : windows.get(title)!;
    return clickText(window, text, { ...which, ...options });
  }
  const { role, name, nth, title } = target, isPlain = name !== "" && nth === undefined;
  const given = isPlain
    ? quoted(`${role} ${JSON.stringify(name)}`)
    : fields({ role, name, exact: true, ...(nth === undefined ? {} : { nth }) });
  return call(`${windows.get(title)}.element(${given}).click`, options);
}
