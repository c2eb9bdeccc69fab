/**
 * The Worker that reads raw XInput 2 events, so that neither the server nor the prompt ever waits for them. The
 * Worker sleeps in poll() until the X server or a stop wakes it, or the pointer is to be sampled.
 */

import type { ObservedAction } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import { clockOf } from "../clock.ts";
import { Poller } from "../linux/poller.ts";
import type { WatchReport, WatchStart } from "../watch.ts";
import { ButtonPlaces } from "./button_places.ts";
import { Connection, EVENT_SIZE } from "./connection.ts";
import { queryDevices } from "./devices.ts";
import { Keymap, readState } from "./keymap.ts";
import { COOKIE, RAW, RAW_EVENT, RawDecoder, type RawEvent } from "./raw_events.ts";
import { selectMapChanges, selectRawEvents } from "./raw_selection.ts";
import { XkbMap } from "./xkb.ts";

/** The time between queries of the pointer's position, in milliseconds: a warp causes no raw event. */
const SAMPLE_MS = 16;
const GENERIC_EVENT = 35;

serveWorker<WatchStart<string>, WatchReport<undefined>, void>(async (start, { report, stopped }) => {
  const connection = Connection.open(start.source);
  if (!connection) throw new DesktopUnavailableError(`display ${start.source} cannot be opened`);
  const { libraries: { c } } = connection;
  const poller = new Poller(c, () => [connection.fd], () => SAMPLE_MS);
  stopped.onabort = () => poller.stop();
  let reader: Reader | undefined;
  try {
    selectMapChanges(connection);
    const opcode = selectRawEvents(connection, Object.values(RAW)), clock = clockOf(start.skew);
    const own = reader = new Reader(connection, opcode, clock);
    const reportBatch = (batch: ObservedAction[]) => {
      if (batch.length) report({ type: "actions", batch });
    };
    report({ type: "ready", ready: undefined });
    await poller.run(() => {
      reportBatch(own.read());
      connection.check();
    });
    reportBatch(own.finish());
  } finally {
    stopped.onabort = null;
    reader?.end();
    connection.close();
  }
});

/** Reads the events that have arrived, and samples the pointer in between. */
class Reader {
  readonly #event = new Uint8Array(EVENT_SIZE);
  readonly #view = new DataView(this.#event.buffer);
  readonly #decoder: RawDecoder;
  /** The keyboard map, whose group and locks are read again for each batch with keys, and after each change of the map. */
  #keymap: Keymap | undefined;
  /** The map of XKB, read again only after a change, whose event comes before the keys; typing other characters causes changes. */
  #map: XkbMap | undefined;
  readonly #places: ButtonPlaces | undefined;
  /** The time at which the pointer was sampled last, on the scale of `now`. */
  #sampledAt: number;

  constructor(readonly connection: Connection, readonly opcode: number, readonly now: () => number) {
    const { xkbcommon } = connection.libraries;
    this.#places = ButtonPlaces.begin(connection.name);
    const devices = queryDevices(connection);
    const keymap = () => this.#keymap ??= this.#readKeymap();
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

  /** The last actions, after a last sample of the pointer's place. */
  finish(): ObservedAction[] {
    this.#sampledAt = -Infinity;
    return this.read();
  }

  /** Queries the pointer. Events before the answer are handled first, since Xlib has read them by then. */
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
      if (this.#view.getInt32(0, true) !== GENERIC_EVENT) {
        this.#keymap = this.#map = undefined; // all other events report changes of the keyboard map
        continue;
      }
      if (this.#view.getInt32(COOKIE.extension, true) !== this.opcode) continue;
      const event = this.#take();
      if (event) batch.push(...this.#decoder.decode(event));
    }
    return batch;
  }

  end(): void {
    this.#places?.end();
  }

  #readKeymap(): Keymap {
    const state = readState(this.connection);
    return new Keymap(this.connection, this.#map ??= XkbMap.read(this.connection), state);
  }

  #take(): RawEvent | undefined {
    const { libraries: { x11 }, display } = this.connection;
    if (!x11.XGetEventData(display, this.#event)) return undefined;
    const data = Deno.UnsafePointer.create(this.#view.getBigUint64(COOKIE.data, true));
    const raw = data && new Deno.UnsafePointerView(data);
    const type = this.#view.getInt32(COOKIE.evtype, true);
    const at = raw && this.#places?.at(type, Number(raw.getBigUint64(RAW_EVENT.time) & 0xffffffffn));
    const event = raw && {
      type,
      ...(at ? { at } : {}),
      source: raw.getInt32(RAW_EVENT.source),
      detail: raw.getInt32(RAW_EVENT.detail),
    };
    x11.XFreeEventData(display, this.#event);
    return event ?? undefined;
  }
}
