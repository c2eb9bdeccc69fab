/** Completes a recording: keys and buttons that it presses are also released. */

import { pressName } from "../held.ts";
import type { RecordedEvent } from "./format.ts";
import { inTurns } from "./turns.ts";

/** Events of a piece: some milliseconds of work. */
const PIECE_EVENTS = 10_000;

/**
 * Leaves out releases of keys and buttons that were pressed before the start, and releases the rest at the last event.
 * @returns Events that leave nothing pressed.
 */
export function balanced(events: readonly RecordedEvent[]): RecordedEvent[] {
  return [...balancedPieces(events)].flat();
}

/** Does the same as {@linkcode balanced}, with turns for other work in between. */
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
 * Leaves out the keys at the end by which a person typed a line in a terminal to stop the recording.
 * @param line The text that was typed before Enter.
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
        // Keys overlap in fast typing: the next key may go down before this key is up.
        if (event.key === keys.at(-1)) keys.pop();
        else break;
      }
      kept.splice(index, 1);
    } else if (event.type !== "move") break;
    index--;
  }
  return keys.length ? [...events] : kept;
}
