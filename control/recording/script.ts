/** A recording as a shell script of curl lines that a person can read and edit. */

import { printableJson } from "../../core/printable.ts";
import { describeRecorded } from "../elements/query.ts";
import { type Gesture, gestureBatches } from "./gestures.ts";
import type { StoredRecording } from "./stored.ts";
import { inTurns } from "./turns.ts";

/** Shorter pauses are left out; curl itself takes some milliseconds. */
const PAUSE_MS = 50;

/** The time that a noted element may take to appear, in milliseconds. */
const WAIT_MS = 1000;

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

/**
 * Writes a recording as a script. The script repeats the input at the same times, except pauses below 50 ms, the path
 * of a pointer that drags nothing, and the durations of clicks and key presses below half a second. A click on a
 * noted element clicks that element; if the element is missing, the script ends.
 * @param url The address that the script calls unless the variable DESKHAND_URL names another; without a final slash.
 * @returns The text in pieces, each some milliseconds of work; a piece may be empty.
 */
export function* scriptPieces(recording: StoredRecording, url = USUAL_URL): Generator<string, void> {
  const { started, desktop } = recording.head;
  yield `${head(url)}\n# Recorded ${started} on a desktop of ${desktop.width}x${desktop.height}.\n`;
  let time = 0;
  for (const gestures of gestureBatches(recording.batches())) {
    let text = "";
    for (const gesture of gestures) {
      const pause = gesture.from - time;
      if (pause >= PAUSE_MS) text += `sleep ${(pause / 1000).toFixed(2)}\n`;
      time = gesture.from;
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
  if (gesture.type !== "click" || !gesture.element) return curl(...callOf(gesture));
  const { button, count, x, y, element } = gesture, { role, name, title, nth } = element;
  const which = { role, name, exact: true, ...(nth === undefined ? {} : { nth }) };
  const wait = { element: { ...which, window: { title } }, timeout_ms: WAIT_MS };
  // At the recorded place may be another element now.
  const words = quoted(`${describeRecorded(element)} was not clicked; it was at ${x},${y}`);
  return [
    `${curl("wait", wait)} &&`,
    `  ${curl("element/click", { ...which, title, button, count })} ||`,
    `  { echo ${words} >&2; exit 1; }`,
  ].join("\n");
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
