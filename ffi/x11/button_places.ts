/**
 * The pointer's positions at button presses and releases. Raw events do not contain them, and by the time they
 * are read the pointer may have moved on; the X server's RECORD extension shows the same events with positions.
 */

import type { Point } from "../../control/desktop/desktop.ts";
import { POLLIN } from "../linux/libc.ts";
import { RAW } from "./raw_selection.ts";
import { ALL_CLIENTS, CATEGORY, RECORD_RANGE, ServerRecord } from "./server_record.ts";

/** Core button events, by raw event type (X11 protocol, appendix B). */
const CORE = new Map<number, number>([[RAW.buttonPress, 4], [RAW.buttonRelease, 5]]);
/** Offsets in such an event. */
const EVENT = { type: 0, time: 4, x: 20, y: 22 } as const;
/** Maximum number of events stored while their raw events are unread; 100,000 take some 10 MB. */
const KEPT = 100_000;
/**
 * Maximum delay of an event behind its raw event, in milliseconds: at first, and after one has not arrived.
 */
const LATE_MS = { first: 1000, again: 2 } as const;

/** A button event. */
interface Seen extends Point {
  type: number;
  /** The server's time in milliseconds, which the raw event also has. */
  time: number;
}

/** Follows button events until it is closed. */
export class ButtonPlaces {
  /** Events, in the server's order; those from {@linkcode #next} on have not been queried. */
  #seen: Seen[] = [];
  #next = 0;
  #patience: number = LATE_MS.first;
  #record: ServerRecord | undefined;

  /**
   * Begins to follow.
   * @param display The name of the display, such as `:0`.
   * @returns undefined if the server does not support RECORD.
   */
  static begin(display: string): ButtonPlaces | undefined {
    const places = new ButtonPlaces(), [first, last] = CORE.values();
    places.#record = ServerRecord.begin(display, {
      clients: [ALL_CLIENTS],
      ranges: [{ [RECORD_RANGE.firstDeviceEvent]: first, [RECORD_RANGE.lastDeviceEvent]: last }],
      take: (event, category) => {
        if (category === CATEGORY.fromServer) places.#note(event);
      },
    });
    return places.#record && places;
  }

  /**
   * The pointer's positions at the raw events of one server time. The server drops recorded events while
   * another connection does not read its own, so incomplete sets of events have no positions.
   * @param types The types of all button events at that time, in order, from {@linkcode RAW}.
   * @param time The server's time.
   * @returns Empty if the server has not recorded all of them.
   */
  at(types: readonly number[], time: number): Point[] {
    const wanted = types.map((type) => CORE.get(type)), { data } = this.#record!;
    this.#record!.read();
    for (const end = performance.now() + this.#patience;;) {
      while (this.#next < this.#seen.length && isBefore(this.#seen[this.#next].time, time)) this.#next++;
      const later = this.#seen.findIndex((seen, i) => i >= this.#next && seen.time !== time);
      const found = this.#seen.slice(this.#next, later < 0 ? undefined : later),
        left = end - performance.now();
      if (later >= 0 || found.length >= wanted.length || left <= 0) {
        if (left <= 0) this.#patience = LATE_MS.again;
        this.#forget(found.length);
        const isWhole = found.length === wanted.length && found.every(({ type }, i) => type === wanted[i]);
        return isWhole ? found.map(({ x, y }) => ({ x, y })) : [];
      }
      data.libraries.c.poll(Int32Array.of(data.fd, POLLIN), 1n, Math.ceil(left));
      this.#record!.read();
    }
  }

  /** Stops following. */
  end(): void {
    this.#record!.close();
  }

  #forget(count: number): void {
    this.#next += count;
    if (this.#next < this.#seen.length) return;
    this.#seen = [];
    this.#next = 0;
  }

  #note(event: Deno.UnsafePointerView): void {
    this.#patience = LATE_MS.first;
    if (this.#seen.length - this.#next >= KEPT) return; // raw events without a position reveal this
    this.#seen.push({
      type: event.getUint8(EVENT.type),
      time: event.getUint32(EVENT.time),
      x: event.getInt16(EVENT.x),
      y: event.getInt16(EVENT.y),
    });
  }
}

/** Whether a server time is before another one; the server's clock wraps around after 49 days. */
function isBefore(time: number, other: number): boolean {
  return (time - other | 0) < 0;
}
