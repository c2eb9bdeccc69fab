/**
 * A connection for selections (ICCCM section 2): its own window, and a loop that dispatches events. The loop
 * runs on this thread and takes about 0.1 ms per request.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { deadline } from "../../core/until.ts";
import { Poller } from "../linux/libc.ts";
import { openLibraries } from "./libraries.ts";
import {
  createOwnWindow,
  EVENT,
  EVENT_SIZE,
  PROPERTY_CHANGE,
  WINDOW_CLASS,
  XcbConnection,
} from "./xcb_connection.ts";

/** Modes of a PropertyNotify. */
export const PROPERTY = { newValue: 0, deleted: 1 } as const;

/** Atoms for selections. */
const ATOMS = [
  "ATOM",
  "ATOM_PAIR",
  "CLIPBOARD",
  "CLIPBOARD_MANAGER",
  "DESKHAND",
  "INCR",
  "INTEGER",
  "MULTIPLE",
  "PRIMARY",
  "SAVE_TARGETS",
  "STRING",
  "TARGETS",
  "TEXT",
  "TIMESTAMP",
  "UTF8_STRING",
  "image/png",
  "text/plain",
  "text/plain;charset=utf-8",
  "text/plain;charset=UTF-8",
] as const;
/** The numbers of these atoms. */
type SelectionAtoms = Record<typeof ATOMS[number], number>;

/** Checks an event; returns the awaited value, or undefined for another event. */
type Pick<T> = (event: DataView<ArrayBuffer>, type: number) => T | undefined;

/** Maximum time for the server to answer, in milliseconds. */
const SERVER_MS = 2000;

/** A connection with its loop running. */
export class SelectionConnection {
  readonly xcb: XcbConnection;
  readonly atoms: SelectionAtoms;
  /** The window that owns and requests selections. */
  readonly window: number;
  readonly #poller: Poller;
  readonly #listeners = new Set<Pick<unknown>>();

  /**
   * @param display The name of the display, such as `:0`.
   * @throws DesktopUnavailableError if the server is gone.
   */
  constructor(display: string) {
    const xcb = this.xcb = new XcbConnection(display);
    this.atoms = xcb.atoms(ATOMS);
    this.window = createOwnWindow(xcb, WINDOW_CLASS.inputOnly, PROPERTY_CHANGE);
    const fd = xcb.xcb.xcb_get_file_descriptor(xcb.connection);
    this.#poller = new Poller(openLibraries().c, () => [fd]);
    void this.#run();
  }

  /** Whether the connection has ended and can no longer be used. */
  get isBroken(): boolean {
    return this.#poller.isStopped || this.xcb.isBroken;
  }

  /** Passes each event to a function. */
  listen(listener: Pick<unknown>): void {
    this.#listeners.add(listener);
  }

  /**
   * Sends the queued requests, and makes the loop check for events: a wait for a reply may have read some,
   * which poll(2) then does not see.
   */
  flush(): void {
    this.xcb.xcb.xcb_flush(this.xcb.connection);
    this.#poller.wake();
  }

  /**
   * Waits for an event.
   * @param ask Sends the request that causes the event.
   * @returns undefined if the event does not arrive in time.
   * @throws DesktopUnavailableError if the server goes away.
   */
  async event<T>(pick: Pick<T>, ask: () => void, ms: number): Promise<T | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    const listener: Pick<void> = (event, type) => {
      if (type < 0) return reject(this.#gone());
      const found = pick(event, type);
      if (found !== undefined) resolve(found);
    };
    const withdraw = deadline(ms, () => resolve(undefined));
    this.#listeners.add(listener);
    try {
      ask();
      this.flush();
      return await promise;
    } finally {
      withdraw();
      this.#listeners.delete(listener);
    }
  }

  /** The server's time, which selection requests need (ICCCM section 2.1). */
  async timestamp(): Promise<number> {
    const { xcb, window, atoms: { DESKHAND, INTEGER } } = this;
    const time = await this.event(
      (event, type) =>
        type === EVENT.propertyNotify && event.getUint32(4, true) === window &&
          event.getUint32(8, true) === DESKHAND
          ? event.getUint32(12, true)
          : undefined,
      () => xcb.setProperty(window, DESKHAND, INTEGER, 32, new Uint32Array()),
      SERVER_MS,
    );
    if (time === undefined) throw this.#gone();
    return time;
  }

  /** Ends the loop, which then closes the connection. Safe to call twice. */
  close(): void {
    this.#poller.stop();
  }

  async #run(): Promise<void> {
    const { xcb } = this;
    this.#dispatchAll();
    await this.#poller.run(() => this.#dispatchAll());
    for (const listener of this.#listeners) listener(new DataView(new ArrayBuffer(EVENT_SIZE)), -1);
    xcb.close();
  }

  #dispatchAll(): void {
    const { xcb } = this;
    for (let event = xcb.event(); event; event = xcb.event()) {
      this.#dispatch(event, event.getUint8(0));
    }
    if (xcb.isBroken) return this.#poller.stop();
    xcb.xcb.xcb_flush(xcb.connection);
  }

  #dispatch(event: DataView<ArrayBuffer>, type: number): void {
    for (const listener of [...this.#listeners]) listener(event, type);
  }

  #gone(): DesktopUnavailableError {
    return new DesktopUnavailableError(`the X server of display ${this.xcb.display} is gone`);
  }
}
