/** A recording as a shell script of curl lines that a person can read and edit. */

import { printableJson } from "../../core/printable.ts";
import { describeRecorded } from "../elements/query.ts";
import { type Gesture, gestureBatches, targetOf } from "./gestures.ts";
import type { StoredRecording } from "./stored.ts";
import { inTurns } from "./turns.ts";

/** Shorter pauses are left out; curl itself takes some milliseconds. */
const PAUSE_MS = 50;

/** The time that a noted element, or a text, may take to appear, in milliseconds: a first reading takes some seconds. */
const WAIT_MS = { element: 1000, text: 5000 } as const;

/** The address that a script calls if no control API runs: the default port. */
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

/** Written before the first click that may heal. */
const TOLD = `
# Clicks an element or text; if another one took its place, the line "healed: ..." says so.
told() {
  curl -sSf -H 'Accept: text/plain' \${DESKHAND_TOKEN:+-H "Authorization: Bearer $DESKHAND_TOKEN"} "$@" >&2
}

`;

/**
 * Writes a recording as a script. The script repeats the input at the same times, except pauses below 50 ms, the path
 * of a pointer that drags nothing, and the durations of clicks and key presses below half a second. A click on a
 * noted element or text clicks that one, or the one that takes its place by the rules of healing, and says so; if there is
 * none, the script ends.
 * @param url The address that the script calls unless the variable DESKHAND_URL names another; without a final slash.
 * @returns The text in pieces, each some milliseconds of work; a piece may be empty.
 */
export function* scriptPieces(recording: StoredRecording, url = USUAL_URL): Generator<string, void> {
  const { started, desktop } = recording.head;
  yield `${head(url)}\n# Recorded ${started} on a desktop of ${desktop.width}x${desktop.height}.\n`;
  let time = 0, isTold = false;
  for (const gestures of gestureBatches(recording.batches())) {
    let text = "";
    for (const gesture of gestures) {
      const pause = gesture.from - time;
      if (pause >= PAUSE_MS) text += `sleep ${(pause / 1000).toFixed(2)}\n`;
      time = gesture.from;
      const isOn = gesture.type === "click" && targetOf(gesture) !== undefined;
      if (isOn && !isTold) text += TOLD;
      isTold ||= isOn;
      text += `${linesOf(gesture)}\n`;
    }
    yield text;
  }
}

/** The bytes of {@linkcode scriptPieces}, with turns for other work in between. */
export async function* scriptBytes(
  recording: StoredRecording,
  url?: string,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder();
  for await (const piece of inTurns(scriptPieces(recording, url))) {
    if (piece) yield encoder.encode(piece);
  }
}

function curl(path: string, body: object): string {
  return `curl "$@" "$url/api/${path}" -d ${quoted(printableJson(JSON.stringify(body)))}`;
}

/** The script's lines of a gesture. A click on a noted element waits for the element and goes to its present place. */
function linesOf(gesture: Gesture): string {
  const target = gesture.type === "click" ? targetOf(gesture) : undefined;
  if (gesture.type !== "click" || !target) return curl(...callOf(gesture));
  const { button, count, x, y } = gesture, { title, nth } = target;
  const window = title === undefined ? {} : { window: { title } };
  // At the recorded place may be something else now.
  const missing = (what: string) =>
    `  { echo ${quoted(`${what} was not clicked; it was at ${x},${y}`)} >&2; exit 1; }`;
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
  return `told "$url/api/${path}" -d ${quoted(printableJson(JSON.stringify(body)))}`;
}

/** The endpoint of a gesture and its body. */
function callOf(gesture: Gesture): [path: string, body: object] {
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

/** A word as the shell takes it literally. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
