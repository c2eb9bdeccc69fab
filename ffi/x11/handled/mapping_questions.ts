/**
 * A question to programs that know no `_NET_WM_PING`, such as xterm. A program of the X Toolkit that comes to a
 * MappingNotify among its events asks the server for the keyboard map at once (libXt, _XtRefreshMapping), which the RECORD
 * extension shows. The event is sent to that program alone, and the map stays as it is.
 */

import type { XcbConnection } from "../xcb_connection.ts";
import type { ProgramRecord } from "./program_record.ts";
import type { Question } from "./question.ts";

export const MAPPING_NOTIFY = 34;
/** MappingNotify's request (X.h). */
const MAPPING_KEYBOARD = 1;
const LAST_KEYCODE = 255;
/** How often such a program asks for the map after an event: once or twice, by the toolkit and by Xlib. */
const REQUESTS = { least: 1, most: 2 } as const;
/** For how long a change of the keyboard map may wait among a program's events, in milliseconds. */
const CHANGE_MS = 30_000;
/** How long a program takes at most between two of its requests for events that follow each other, in milliseconds. */
const PAUSE_MS = 10;

/** Asks one program at a time. */
export class MappingQuestions {
  /** When the keyboard map changed, by `performance.now`. */
  readonly #changes: number[] = [];
  /** When the last question that a program has answered was asked, by window. */
  readonly #askedAt = new Map<number, number>();

  constructor(readonly xcb: XcbConnection) {}

  /** Notes that programs were told of a change of the map. */
  noteChange(): void {
    const now = performance.now();
    while (this.#changes[0] < now - CHANGE_MS) this.#changes.shift();
    this.#changes.push(now);
  }

  /**
   * Asks the program of a window. The program may have changes of the map before it that are none of the question's: it
   * is sent more events than those can account for.
   * @param record Of the program.
   */
  ask(window: number, record: ProgramRecord): Question {
    const at = performance.now(), from = Math.max(this.#askedAt.get(window) ?? 0, at - CHANGE_MS);
    const changes = this.#changes.filter((change) => change >= from).length;
    const others = REQUESTS.most * changes + (this.#askedAt.has(window) ? 0 : REQUESTS.most);
    const begin = record.mappings;
    this.#tell(window, Math.floor(others / REQUESTS.least) + 1);
    let answers = 0, newAt = at;
    return {
      isAnswered: () => {
        record.read();
        if (record.mappings - begin > answers) newAt = performance.now();
        answers = record.mappings - begin;
        // The rest must not be taken for answers to the next question.
        const isAnswered = answers > others && performance.now() - newAt > PAUSE_MS;
        if (isAnswered) this.#askedAt.set(window, at);
        return isAnswered;
      },
      end: () => {},
    };
  }

  #tell(window: number, times: number): void {
    const { xcb, connection } = this.xcb, event = new Uint8Array(32);
    event.set([MAPPING_NOTIFY, 0, 0, 0, MAPPING_KEYBOARD, LAST_KEYCODE, 1]);
    for (let i = 0; i < times; i++) xcb.xcb_send_event(connection, 0, window, 0, event);
    xcb.xcb_flush(connection);
  }
}
