/**
 * A question to programs that know no `_NET_WM_PING`, such as xterm. When a program of the X Toolkit handles a
 * MappingNotify event, it asks the server for the keyboard map at once (libXt, _XtRefreshMapping), which the RECORD
 * extension shows. The event is sent to that program alone, and the map stays as it is.
 */

import { MAPPING_NOTIFY } from "../connection.ts";
import type { XcbConnection } from "../xcb_connection.ts";
import type { ProgramRecord } from "./program_record.ts";
import type { Question } from "./question.ts";

/** MappingNotify's request (X.h). */
const MAPPING_KEYBOARD = 1;
const LAST_KEYCODE = 255;
/** The time that a change of the keyboard map may wait among a program's events, in milliseconds. */
const CHANGE_MS = 30_000;
/** The pause after which a program that has begun to handle such events counts as finished, in milliseconds. */
const PAUSE_MS = 500;

/** Known facts of a window's program. */
interface Asked {
  /** The time of the last question that was answered, by `performance.now`. */
  at: number;
  /** The number of events that a client gets for a change of the map; undefined if that is not known yet. */
  perChange: number | undefined;
}

/** Asks one program at a time. */
export class MappingQuestions {
  /** The times at which the keyboard map changed, by `performance.now`. */
  readonly #changes: number[] = [];
  /** Programs by window. */
  readonly #asked = new Map<number, Asked>();

  constructor(readonly xcb: XcbConnection) {}

  /** Notes that programs were told of a change of the map. */
  noteChange(): void {
    const now = performance.now();
    while (this.#changes[0] < now - CHANGE_MS) this.#changes.shift();
    this.#changes.push(now);
  }

  /** Forgets a window that was destroyed. */
  forget(window: number): void {
    this.#asked.delete(window);
  }

  /**
   * Asks the program of a window. Other changes of the map may be among the program's events. Their number is learnt
   * from the first answer, which therefore takes longer.
   * @param record The record of the program.
   */
  ask(window: number, record: ProgramRecord): Question {
    const at = performance.now(), known = this.#asked.get(window);
    const from = Math.max(known?.at ?? 0, at - CHANGE_MS);
    record.changes += this.#changes.filter((change) => change >= from).length;
    record.questions++;
    this.#tell(window);
    const others = record.changes && (known?.perChange ?? Infinity) * record.changes;
    return {
      isAnswered: () => {
        record.read();
        const left = record.questions + others - record.mappings;
        const pauses = record.mappings >= record.questions &&
          performance.now() - Math.max(at, record.mappedAt) > PAUSE_MS;
        if (left > 0 && !pauses) return false;
        const perChange = record.changes
          ? (record.mappings - record.questions) / record.changes
          : known?.perChange;
        this.#asked.set(window, { at, perChange });
        return true;
      },
      end: () => {},
    };
  }

  #tell(window: number): void {
    const { xcb, connection } = this.xcb, event = new Uint8Array(32);
    event.set([MAPPING_NOTIFY, 0, 0, 0, MAPPING_KEYBOARD, LAST_KEYCODE, 1]);
    xcb.xcb_send_event(connection, 0, window, 0, event);
    xcb.xcb_flush(connection);
  }
}
