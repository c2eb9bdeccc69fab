/**
 * The Worker that reads raw XInput 2 events, so that neither the server nor the prompt ever waits for them. It sleeps
 * in poll() until the X server or a stop wakes it, or the pointer is to be sampled.
 */

import type { ObservedAction } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import { clockOf } from "../clock.ts";
import type { WatchReport, WatchStart } from "../watch.ts";
import { Connection, EVENT_SIZE } from "./connection.ts";
import { queryDevices } from "./devices.ts";
import { Keymap } from "./keymap.ts";
import { COOKIE, RAW, RAW_EVENT, RawDecoder, type RawEvent } from "./raw_events.ts";

const POLLIN = 1;
/** How often the pointer's position is queried, in milliseconds: a warp causes no raw event. */
const SAMPLE_MS = 16;
/** With XIAllDevices every event would come twice: from the device and from its master. */
const ALL_MASTER_DEVICES = 1;
const GENERIC_EVENT = 35;

serveWorker<WatchStart<string>, WatchReport<undefined>, void>(async (start, { report, stopped }) => {
  const connection = Connection.open(start.source);
  if (!connection) throw new DesktopUnavailableError(`display ${start.source} cannot be opened`);
  const { libraries: { c } } = connection;
  const wakeFd = c.eventfd(0, 0);
  stopped.onabort = () => c.write(wakeFd, new BigUint64Array([1n]), 8n);
  try {
    const reader = new Reader(connection, selectRawEvents(connection), clockOf(start.skew));
    const reportBatch = (batch: ObservedAction[]) => {
      if (batch.length) report({ type: "actions", batch });
    };
    report({ type: "ready", ready: undefined });
    const fds = new Int32Array([connection.fd, POLLIN, wakeFd, POLLIN]);
    while (!stopped.aborted) {
      await c.poll_waiting(fds, 2n, SAMPLE_MS);
      reportBatch(reader.read());
      connection.check();
    }
    reportBatch(reader.finish());
  } finally {
    stopped.onabort = null;
    connection.close();
    c.close(wakeFd);
  }
});

/**
 * Selects raw events of all devices.
 * @returns The extension's opcode.
 * @throws DesktopUnavailableError if the server's XInput is older than 2.1, which reports no raw events during grabs.
 */
function selectRawEvents({ libraries: { x11, xi }, display, root }: Connection): number {
  const name = new TextEncoder().encode("XInputExtension\0");
  const [opcode, event, error] = [new Int32Array(1), new Int32Array(1), new Int32Array(1)];
  const major = new Int32Array([2]), minor = new Int32Array([2]);
  if (
    !x11.XQueryExtension(display, name, opcode, event, error) ||
    xi.XIQueryVersion(display, major, minor) !== 0 || major[0] === 2 && minor[0] < 1
  ) {
    throw new DesktopUnavailableError("the X server lacks XInput 2.1");
  }
  const bits = new Uint8Array(4);
  for (const type of Object.values(RAW)) bits[type >> 3] |= 1 << (type & 7);
  const mask = new BigUint64Array(2); // XIEventMask: deviceid 0, mask_len 4, mask 8
  new Int32Array(mask.buffer).set([ALL_MASTER_DEVICES, bits.length]);
  mask[1] = Deno.UnsafePointer.value(Deno.UnsafePointer.of(bits));
  xi.XISelectEvents(display, root, mask, 1);
  x11.XSync(display, 0);
  return opcode[0];
}

/** Reads the events that have arrived, and samples the pointer in between. */
class Reader {
  readonly #event = new Uint8Array(EVENT_SIZE);
  readonly #view = new DataView(this.#event.buffer);
  readonly #decoder: RawDecoder;
  /** Read anew for each batch with keys in it: text beyond the keyboard's characters changes the map. */
  #keymap: Keymap | undefined;
  /** When the pointer was sampled last, on the scale of `now`. */
  #sampledAt: number;

  constructor(readonly connection: Connection, readonly opcode: number, readonly now: () => number) {
    const { xkbcommon } = connection.libraries;
    const devices = queryDevices(connection);
    const keymap = () => this.#keymap ??= Keymap.read(connection);
    this.#decoder = new RawDecoder({
      position: () => connection.queryPointer(),
      symbol: (keycode) => keymap().plainSymbol(keycode),
      typedSymbol: (keycode, down) => keymap().typedSymbol(keycode, down),
      codePoint: (keysym) => xkbcommon.xkb_keysym_to_utf32(keysym),
      injectors: new Set(devices.filter(({ name }) => /XTEST/.test(name)).map(({ id }) => id)),
      now,
    });
    this.#decoder.sample(connection.queryPointer());
    this.#sampledAt = now();
  }

  /** The actions since the last call. */
  read(): ObservedAction[] {
    this.#keymap = undefined;
    const batch = this.#events();
    if (this.now() - this.#sampledAt >= SAMPLE_MS) batch.push(...this.#sample());
    return batch;
  }

  /** The last actions, with a sample whenever the one before was. */
  finish(): ObservedAction[] {
    this.#sampledAt = -Infinity;
    return this.read();
  }

  /** Queries the pointer. Events that precede the answer come first: Xlib has read them by then. */
  #sample(): ObservedAction[] {
    const position = this.connection.queryPointer();
    this.#sampledAt = this.now();
    const before = this.#events();
    return before.length ? before : this.#decoder.sample(position);
  }

  #events(): ObservedAction[] {
    const { libraries: { x11 }, display } = this.connection;
    const batch: ObservedAction[] = [];
    while (x11.XPending(display) > 0) {
      x11.XNextEvent(display, this.#event);
      if (this.#view.getInt32(0, true) !== GENERIC_EVENT) continue;
      if (this.#view.getInt32(COOKIE.extension, true) !== this.opcode) continue;
      const event = this.#take();
      if (event) batch.push(...this.#decoder.decode(event));
    }
    return batch;
  }

  #take(): RawEvent | undefined {
    const { libraries: { x11 }, display } = this.connection;
    if (!x11.XGetEventData(display, this.#event)) return undefined;
    const data = Deno.UnsafePointer.create(this.#view.getBigUint64(COOKIE.data, true));
    const raw = data && new Deno.UnsafePointerView(data);
    const event = raw && {
      type: this.#view.getInt32(COOKIE.evtype, true),
      source: raw.getInt32(RAW_EVENT.source),
      detail: raw.getInt32(RAW_EVENT.detail),
    };
    x11.XFreeEventData(display, this.#event);
    return event ?? undefined;
  }
}
