/** A recording as a shell script of curl lines that a person can read and edit. */

import { printableJson } from "../../core/printable.ts";
import type { Gesture } from "./gesture.ts";
import { gestureBatches } from "./gestures.ts";
import type { StoredRecording } from "./stored.ts";
import { inTurns } from "./turns.ts";

/** Shorter pauses are left out; curl itself takes some milliseconds. */
const PAUSE_MS = 50;

/** The address that a script calls where no control API runs: that of its default port. */
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
 * Writes a recording as a script. Running it does the same at the same times, but for pauses of less than 50 ms, the
 * way of a pointer that drags nothing, and how long what is clicked or typed is down if that is less than half a second.
 * A click on a noted element is one on that element, or at the recorded place if it is not there.
 * @param url The address that it calls where the variable DESKHAND_URL names no other; without a final slash.
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
      text += `${elementLine(gesture)}${curl(...callOf(gesture))}\n`;
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

/**
 * The line that clicks an element, wherever it is now; the next one clicks at its recorded place if there is none. Empty for
 * a gesture without an element that its words tell from all others.
 */
function elementLine(gesture: Gesture): string {
  if (gesture.type !== "click" || !gesture.element) return "";
  const { button, count, element: { role, name, title, nth } } = gesture;
  const which = { role, name, exact: true, ...(nth === undefined ? {} : { nth }), title };
  return `${curl("element/click", { ...which, button, count })} 2>/dev/null ||\n  `;
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
