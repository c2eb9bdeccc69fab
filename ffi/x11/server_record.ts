/** Program requests or device events, as recorded by the X server's RECORD extension. */

import { closedOnFailure } from "../reconnecting.ts";
import { Connection } from "./connection.ts";

/** Offsets in XRecordRange and XRecordInterceptData, and categories of the latter (X11/extensions/record.h). */
export const RECORD_RANGE = {
  size: 32,
  firstRequest: 0,
  lastRequest: 1,
  firstDeviceEvent: 18,
  lastDeviceEvent: 19,
} as const;
export const INTERCEPTED = { category: 24, data: 32 } as const;
export const CATEGORY = { fromServer: 0, fromClient: 1 } as const;
/** The client id for all clients (XRecordAllClients). */
export const ALL_CLIENTS = 3n;

const INTERCEPT = { parameters: ["pointer", "pointer"], result: "void" } as const;

/** Receives a recorded request or event. */
type TakeRecorded = (data: Deno.UnsafePointerView, category: number) => void;

/** The events and clients to record, and the receiver. */
interface RecordSelection {
  /** Windows or other resources of the programs, or {@linkcode ALL_CLIENTS}. */
  clients: readonly bigint[];
  /** Numbers to write into each range, by their offsets in {@linkcode RECORD_RANGE}. */
  ranges: readonly Readonly<Record<number, number>>[];
  take: TakeRecorded;
}

/** Records until it is closed, over two connections of its own, since RECORD needs a dedicated connection. */
export class ServerRecord {
  readonly #callback: Deno.UnsafeCallback<typeof INTERCEPT>;
  #context = 0n;
  #isOn = false;

  private constructor(readonly control: Connection, readonly data: Connection, take: TakeRecorded) {
    const { xtst } = data.libraries;
    this.#callback = new Deno.UnsafeCallback(INTERCEPT, (_, intercepted) => {
      const view = new Deno.UnsafePointerView(intercepted!), content = view.getPointer(INTERCEPTED.data);
      if (content) take(new Deno.UnsafePointerView(content), view.getInt32(INTERCEPTED.category));
      xtst.XRecordFreeData(intercepted);
    });
  }

  /** @returns Whether the server records. @throws DesktopUnavailableError if it is gone. */
  #enable({ clients, ranges }: RecordSelection): boolean {
    const { control, data, data: { libraries: { xtst } } } = this;
    if (!data.extension("RECORD")) return false;
    // Arrays with their own buffers, since the memory of other small arrays may move.
    const written = ranges.map((fields) => {
      const range = new Uint8Array(new ArrayBuffer(RECORD_RANGE.size));
      for (const [offset, value] of Object.entries(fields)) range[Number(offset)] = value;
      return range;
    });
    this.#context = xtst.XRecordCreateContext(
      control.display,
      0,
      BigUint64Array.from(clients),
      clients.length,
      BigUint64Array.from(written, (range) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(range))),
      written.length,
    );
    control.sync();
    written.length = 0; // keeps the arrays alive until here
    return this.#isOn = this.#context !== 0n &&
      xtst.XRecordEnableContextAsync(data.display, this.#context, this.#callback.pointer, null) !== 0;
  }

  /**
   * Begins to record.
   * @param display The name of the display, such as `:0`.
   * @returns undefined if the server does not support RECORD, or a program is gone.
   */
  static begin(display: string, selection: RecordSelection): ServerRecord | undefined {
    const control = Connection.open(display), data = control && Connection.open(display);
    if (!data) {
      control?.close();
      return undefined;
    }
    const record = new ServerRecord(control!, data, selection.take);
    if (closedOnFailure(record, () => record.#enable(selection))) return record;
    record.close();
    return undefined;
  }

  /** Delivers what has been recorded so far. */
  read(): void {
    this.data.check();
    this.data.libraries.xtst.XRecordProcessReplies(this.data.display);
  }

  /** Stops recording. */
  close(): void {
    const { control, data } = this, { xtst } = data.libraries;
    if (this.#isOn) {
      xtst.XRecordDisableContext(control.display, this.#context);
      xtst.XRecordFreeContext(control.display, this.#context);
    }
    control.close();
    data.close();
    this.#callback.close();
  }
}
