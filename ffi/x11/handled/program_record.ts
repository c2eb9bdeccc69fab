/** Requests of programs to the X server, as its RECORD extension shows them. */

import { Connection } from "../connection.ts";

/** Core request and event codes (X11 protocol, appendix B). */
const SEND_EVENT = 25, GET_KEYBOARD_MAPPING = 101, GET_MODIFIER_MAPPING = 119, CLIENT_MESSAGE = 33;
/** Offsets in XRecordRange and XRecordInterceptData, and a category of the latter (X11/extensions/record.h). */
export const RECORD_RANGE = { size: 32, firstRequest: 0, lastRequest: 1 } as const;
export const INTERCEPTED = { category: 24, data: 32 } as const;
const FROM_CLIENT = 1;
/** The offsets in SendEvent of the window that gets the event, and of the event, which begins with its type. */
const SENT_TO = 4, SENT_EVENT = 12;

const INTERCEPT = { parameters: ["pointer", "pointer"], result: "void" } as const;

/**
 * Records a program's requests until it is closed, over two connections of its own, since RECORD needs a connection
 * that does nothing else.
 */
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
  readonly #callback: Deno.UnsafeCallback<typeof INTERCEPT>;
  readonly #context: bigint;
  readonly #isOn: boolean;

  /** @param windows The windows of the programs. */
  private constructor(readonly control: Connection, readonly data: Connection, windows: readonly number[]) {
    const { xtst } = data.libraries;
    this.#callback = new Deno.UnsafeCallback(INTERCEPT, (_, intercepted) => this.#note(intercepted!));
    // Arrays with a buffer of their own, since the memory of other small arrays may move.
    const ranges = [SEND_EVENT, GET_KEYBOARD_MAPPING, GET_MODIFIER_MAPPING].map((request) => {
      const range = new Uint8Array(new ArrayBuffer(RECORD_RANGE.size));
      range[RECORD_RANGE.firstRequest] = range[RECORD_RANGE.lastRequest] = request;
      return range;
    });
    this.#context = xtst.XRecordCreateContext(
      control.display,
      0,
      BigUint64Array.from(windows, BigInt),
      windows.length,
      BigUint64Array.from(ranges, (range) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(range))),
      ranges.length,
    );
    control.sync();
    ranges.length = 0; // keeps the arrays alive until here
    this.#isOn = this.#context !== 0n &&
      xtst.XRecordEnableContextAsync(data.display, this.#context, this.#callback.pointer, null) !== 0;
  }

  /**
   * Begins to record.
   * @param display The name of the display, such as `:0`.
   * @returns undefined if the server lacks RECORD, or a program is gone.
   */
  static begin(display: string, windows: readonly number[]): ProgramRecord | undefined {
    const control = Connection.open(display), data = control && Connection.open(display);
    if (!data?.extension("RECORD")) {
      control?.close();
      data?.close();
      return undefined;
    }
    const record = new ProgramRecord(control!, data, windows);
    if (record.#isOn) return record;
    record.end();
    return undefined;
  }

  /** Reads the requests recorded so far. */
  read(): void {
    this.data.check();
    this.data.libraries.xtst.XRecordProcessReplies(this.data.display);
  }

  end(): void {
    const { control, data } = this, { xtst } = data.libraries;
    if (this.#isOn) {
      xtst.XRecordDisableContext(control.display, this.#context);
      xtst.XRecordFreeContext(control.display, this.#context);
    }
    control.close();
    data.close();
    this.#callback.close();
  }

  #note(intercepted: Deno.PointerObject): void {
    const view = new Deno.UnsafePointerView(intercepted), data = view.getPointer(INTERCEPTED.data);
    if (view.getInt32(INTERCEPTED.category) === FROM_CLIENT && data) {
      const request = new Deno.UnsafePointerView(data), code = request.getUint8(0);
      if (code === SEND_EVENT) {
        const isForRoot = BigInt(request.getUint32(SENT_TO)) === this.data.root;
        if (request.getUint8(SENT_EVENT) === CLIENT_MESSAGE && !isForRoot) this.messages++;
      } else {
        if (code === GET_KEYBOARD_MAPPING && this.#last === GET_MODIFIER_MAPPING) {
          this.mappings++;
          this.mappedAt = performance.now();
        }
        this.#last = code;
      }
    }
    this.data.libraries.xtst.XRecordFreeData(intercepted);
  }
}
