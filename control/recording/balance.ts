/** Makes a recording whole: what it presses it also releases. */

import { pressName } from "../held.ts";
import type { RecordedEvent } from "./format.ts";

/**
 * Leaves out the end of a press that came before the start, and ends at the last event what is still down.
 * @returns Events that leave nothing pressed.
 */
export function balanced(events: readonly RecordedEvent[]): RecordedEvent[] {
  const down = new Map<string, RecordedEvent>();
  const kept = events.filter((event) => {
    const name = pressName(event);
    if (name === undefined) return true;
    if ((event as { down: boolean }).down) down.set(name, event);
    else return down.delete(name);
    return true;
  });
  const end = events.at(-1)?.t ?? 0;
  for (const event of [...down.values()].reverse()) {
    kept.push({ ...event, t: end, down: false } as RecordedEvent);
  }
  return kept;
}

/**
 * Leaves out the keys at the end by which a person typed a line in a terminal to stop the recording.
 * @param line What was typed before Enter.
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
        // Keys overlap when typed fast: the next may go down before this one is up.
        if (event.key === keys.at(-1)) keys.pop();
        else break;
      }
      kept.splice(index, 1);
    } else if (event.type !== "move") break;
    index--;
  }
  return keys.length ? [...events] : kept;
}
