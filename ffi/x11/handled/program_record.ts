/** Requests of programs to the X server, as its RECORD extension shows them. */

import { CATEGORY, RECORD_RANGE, ServerRecord } from "../server_record.ts";

/** Core request and event codes (X11 protocol, appendix B). */
const SEND_EVENT = 25, GET_KEYBOARD_MAPPING = 101, GET_MODIFIER_MAPPING = 119, CLIENT_MESSAGE = 33;
/** The offsets in SendEvent of the window that gets the event, and of the event, which begins with its type. */
const SENT_TO = 4, SENT_EVENT = 12;

/** Records a program's requests until it is closed. */
export class ProgramRecord {
  /**
   * The number of changes of the keyboard map that the program has come to: for each, Xlib asks for the modifiers and
   * then for the keys (_XRefreshKeyboardMapping), behind the X Toolkit, which asks the other way round.
   */
  mappings = 0;
  /** The time of the last unanswered question, by `performance.now`. */
  mappedAt = 0;
  /** The number of changes, and of questions that look like one. */
  changes = 0;
  questions = 0;
  /**
   * The number of messages that the program has sent to windows, as input methods do. Answers to pings go to the root window.
   */
  messages = 0;
  /** The last request for the map. */
  #last = 0;
  #record: ServerRecord | undefined;

  /**
   * Begins to record.
   * @param display The name of the display, such as `:0`.
   * @param windows The windows of the programs.
   * @returns undefined if the server lacks RECORD, or a program is gone.
   */
  static begin(display: string, windows: readonly number[]): ProgramRecord | undefined {
    const record = new ProgramRecord();
    record.#record = ServerRecord.begin(display, {
      clients: windows.map(BigInt),
      ranges: [SEND_EVENT, GET_KEYBOARD_MAPPING, GET_MODIFIER_MAPPING].map((request) => ({
        [RECORD_RANGE.firstRequest]: request,
        [RECORD_RANGE.lastRequest]: request,
      })),
      take: (request, category) => {
        if (category === CATEGORY.fromClient) record.#note(request);
      },
    });
    return record.#record && record;
  }

  /** Reads the requests recorded so far. */
  read(): void {
    this.#record!.read();
  }

  end(): void {
    this.#record!.end();
  }

  #note(request: Deno.UnsafePointerView): void {
    const code = request.getUint8(0);
    if (code === SEND_EVENT) {
      const isForRoot = BigInt(request.getUint32(SENT_TO)) === this.#record!.data.root;
      if (request.getUint8(SENT_EVENT) === CLIENT_MESSAGE && !isForRoot) this.messages++;
      return;
    }
    if (code === GET_KEYBOARD_MAPPING && this.#last === GET_MODIFIER_MAPPING) {
      this.mappings++;
      this.mappedAt = performance.now();
    }
    this.#last = code;
  }
}
