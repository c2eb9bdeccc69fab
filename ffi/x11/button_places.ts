/**
 * Where the pointer was at presses and releases of buttons. Raw events do not tell, and when they are read the pointer may
 * have gone on; the X server's RECORD extension shows the same events with their places.
 */

import type { Point } from "../../control/desktop.ts";
import { POLLIN } from "../linux/libc.ts";
import { RAW } from "./raw_events.ts";
import { ALL_CLIENTS, CATEGORY, RECORD_RANGE, ServerRecord } from "./server_record.ts";

/** Core events of buttons, by the types of raw events (X11 protocol, appendix B). */
const CORE = new Map<number, number>([[RAW.buttonPress, 4], [RAW.buttonRelease, 5]]);
/** Offsets in such an event. */
const EVENT = { type: 0, time: 4, x: 20, y: 22 } as const;
/** Events that are kept: a raw event is read before many later ones come. */
const KEPT = 256;
/** The time that an event may take to come here after the raw event, in milliseconds. */
const LATE_MS = 2;

/** An event of a button. */
interface Seen extends Point {
  type: number;
  /** The server's time in milliseconds, which the raw event has too. */
  time: number;
}

/** Follows the events of buttons until it is closed. */
export class ButtonPlaces {
  readonly #seen: Seen[] = [];
  #record: ServerRecord | undefined;

  /**
   * Begins to follow.
   * @param display The name of the display, such as `:0`.
   * @returns undefined if the server lacks RECORD.
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
   * The place of the pointer at a raw event.
   * @param type One of {@linkcode RAW}.
   * @param time The event's time.
   * @returns undefined if the event is not of a button, or its place is not known.
   */
  at(type: number, time: number): Point | undefined {
    const core = CORE.get(type);
    if (core === undefined) return undefined;
    const { data } = this.#record!;
    for (const end = performance.now() + LATE_MS;;) {
      this.#record!.read();
      const index = this.#seen.findIndex((seen) => seen.type === core && seen.time === time);
      if (index >= 0) {
        const [{ x, y }] = this.#seen.splice(0, index + 1).slice(-1);
        return { x, y };
      }
      const left = end - performance.now();
      if (left <= 0) return undefined;
      data.libraries.c.poll(Int32Array.of(data.fd, POLLIN), 1n, Math.ceil(left));
    }
  }

  end(): void {
    this.#record!.end();
  }

  #note(event: Deno.UnsafePointerView): void {
    this.#seen.push({
      type: event.getUint8(EVENT.type),
      time: event.getUint32(EVENT.time),
      x: event.getInt16(EVENT.x),
      y: event.getInt16(EVENT.y),
    });
    if (this.#seen.length > KEPT) this.#seen.shift();
  }
}
