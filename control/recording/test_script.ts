/** A recording as a test for Playwright Test or pytest that a person can read, change and keep. */

import { printableJson } from "../../core/printable.ts";
import type { RecordedElement } from "../desktop/input.ts";
import { type Gesture, gestureBatches } from "./gestures.ts";
import type { StoredRecording } from "./stored.ts";
import { inTurns } from "./turns.ts";

/** The runners that tests are written for. */
type Runner = "playwright" | "pytest";

/** The language of a runner. */
interface Language {
  /** The lines before the test's steps. */
  head(recorded: string): string;
  /** The lines after the steps. */
  end: string;
  /** A name for a window, made of the words of its title. */
  variable(words: readonly string[]): string;
  /** Names a window by its title. */
  named(variable: string, title: string): string;
  /** Waits until a window is there. */
  appears(variable: string): string;
  /** Waits for an element and clicks it. */
  clicked(element: RecordedElement, window: string, more: Record<string, unknown>): string[];
  /** Calls an operation; a number of an API's name in this language may differ. */
  call(operation: string, fields: Record<string, unknown>): string;
  comment: string;
}

const json = (value: unknown) => printableJson(JSON.stringify(value));
const capital = (word: string) => word[0].toUpperCase() + word.slice(1);

/** An object as TypeScript writes it. */
function literal(fields: Record<string, unknown>): string {
  const written = Object.entries(fields).map(([name, value]) =>
    `${name}: ${typeof value === "object" ? literal(value as Record<string, unknown>) : json(value)}`
  );
  return `{ ${written.join(", ")} }`;
}

/** A value as Python writes it: its texts are those of JSON. */
function pythonValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return json(value);
  const written = Object.entries(value as object).map(([name, one]) => `${json(name)}: ${pythonValue(one)}`);
  return `{${written.join(", ")}}`;
}

const pythonArguments = (fields: Record<string, unknown>) =>
  Object.entries(fields).map(([name, value]) => `${name}=${pythonValue(value)}`).join(", ");

/** The methods of the client for Python whose names differ. */
const PYTHON_NAMES: Record<string, string> = { press: "press_down" };

const LANGUAGES: Record<Runner, Language> = {
  playwright: {
    head: (recorded) =>
      `import { expect, test } from "@deskhand/client/test";\n\n// ${recorded}\ntest("recorded", async ({ desk }) => {\n`,
    end: "});\n",
    variable: ([first, ...rest]) => `${first}${rest.map(capital).join("")}Window`,
    named: (variable, title) => `  const ${variable} = ${literal({ title })};`,
    appears: (variable) => `  await expect(desk.window(${variable})).toBeVisible();`,
    clicked({ role, name, nth }, window, more) {
      const fields = { role, name, exact: true, ...(nth === undefined ? {} : { nth }) };
      const element = `desk.element(${literal(fields).replace(/ }$/, `, ...${window} }`)})`;
      const options = Object.keys(more).length ? literal(more) : "";
      return [`  await expect(${element}).toBeVisible();`, `  await ${element}.click(${options});`];
    },
    call: (operation, fields) => `  await desk.${operation}(${literal(fields)});`,
    comment: "//",
  },
  pytest: {
    head: (recorded) => `from deskhand import expect\n\n\n# ${recorded}\ndef test_recorded(desk):\n`,
    end: "",
    variable: (words) => `${words.join("_")}_window`,
    named: (variable, title) => `    ${variable} = ${pythonValue({ title })}`,
    appears: (variable) => `    expect(desk.window(**${variable})).to_be_visible()`,
    clicked({ role, name, nth }, window, more) {
      const fields = { role, name, exact: true, ...(nth === undefined ? {} : { nth }) };
      const element = `desk.element(${pythonArguments(fields)}, **${window})`;
      return [`    expect(${element}).to_be_visible()`, `    ${element}.click(${pythonArguments(more)})`];
    },
    call: (operation, fields) =>
      `    desk.${PYTHON_NAMES[operation] ?? operation}(${pythonArguments(fields)})`,
    comment: "#",
  },
};

/**
 * Writes a recording as a test. A click on a noted element waits for the element and clicks it; other clicks go to their
 * places. In place of the person's pauses the test waits for the windows and elements that it uses. Motions without a
 * button are left out.
 * @returns The text in pieces, each some milliseconds of work; a piece may be empty.
 */
export function* testPieces(recording: StoredRecording, runner: Runner): Generator<string, void> {
  const language = LANGUAGES[runner], { started, desktop } = recording.head;
  yield language.head(`Recorded ${started} on a desktop of ${desktop.width}x${desktop.height}.`);
  const windows = windowsOf(recording, language);
  for (const [title, variable] of windows) yield `${language.named(variable, title)}\n`;
  if (windows.size) yield "\n";
  const seen = new Set<string>();
  for (const gestures of gestureBatches(recording.batches())) {
    yield gestures.flatMap((gesture) => linesOf(gesture, language, windows, seen)).map((line) => `${line}\n`)
      .join("");
  }
  yield language.end;
}

/** The bytes of {@linkcode testPieces}, with turns for other work in between. */
export async function* testBytes(
  recording: StoredRecording,
  runner: Runner,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder();
  for await (const piece of inTurns(testPieces(recording, runner))) if (piece) yield encoder.encode(piece);
}

/** The names of the windows that elements were clicked in, by their titles. */
function windowsOf(recording: StoredRecording, { variable }: Language): Map<string, string> {
  const names = new Map<string, string>(), taken = new Set<string>();
  for (const gestures of gestureBatches(recording.batches())) {
    for (const gesture of gestures) {
      const title = gesture.type === "click" ? gesture.element?.title : undefined;
      if (title === undefined || names.has(title)) continue;
      const words = title.toLowerCase().match(/[a-z][a-z0-9]*/g)?.slice(0, 3) ?? ["main"];
      let name = variable(words);
      for (let n = 2; taken.has(name); n++) name = variable([...words, `n${n}`]);
      taken.add(name);
      names.set(title, name);
    }
  }
  return names;
}

function linesOf(
  gesture: Gesture,
  { appears, clicked, call, comment }: Language,
  windows: ReadonlyMap<string, string>,
  seen: Set<string>,
): string[] {
  switch (gesture.type) {
    case "move":
      return [];
    case "click": {
      const { x, y, button, count, element } = gesture;
      const more = { ...(button === "left" ? {} : { button }), ...(count > 1 ? { count } : {}) };
      if (!element) {
        const place = { x, y, button, ...(count > 1 ? { count } : {}) };
        return [`${call("click", place)} ${comment} no element was noted here`.replace(" #", "  #")];
      }
      const window = windows.get(element.title)!, isNew = !seen.has(element.title);
      seen.add(element.title);
      return [...(isNew ? [appears(window)] : []), ...clicked(element, window, more)];
    }
    case "drag": {
      const { start, end, button } = gesture;
      return [call("drag", { from: start, to: end, button }).replace("from=", "from_=")];
    }
    case "scroll": {
      const { direction, amount, x, y } = gesture;
      return [call("scroll", { direction, amount, x, y })];
    }
    case "text":
      return [call("type", { text: gesture.text })];
    case "combination":
      return [call("key", { keys: gesture.keys })];
    default:
      return [call(gesture.type, "button" in gesture ? { button: gesture.button } : { key: gesture.key })];
  }
}
