/**
 * Waits for an X server that may hang or be grabbed by a program: a wait blocks the serving thread for at
 * most 20 ms, and then continues without blocking until 5 s have passed. Xlib's own waits are unbounded, so
 * the serving thread sends requests whose replies it awaits over the XCB connection below Xlib's.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { type Libc, POLLIN } from "../linux/libc.ts";
import { SERVER_WAITS } from "../reconnecting.ts";
import { type Libraries, openOptional } from "./libraries.ts";
import { REPLY_DATA } from "./xcb_connection.ts";

/** Maximum time for one poll in the background, in milliseconds. */
const SLICE_MS = 50;
/** Offset of the end of the request buffer in Xlib's Display: `private14` of _XPrivDisplay (X11/Xlib.h). */
export const DISPLAY = { bufmax: 184 } as const;

/** The reply to QueryPointer (X11 protocol): the position, and whether the pointer is on this screen. */
export interface PointerReply {
  x: number;
  y: number;
  sameScreen: boolean;
}

/** Reads a reply's bytes. */
type Read<T> = (reply: Deno.UnsafePointerView) => T;

/** The replies of one connection. */
export class Patience {
  readonly #xcb: Libraries["xcb"];
  readonly #x11: Libraries["x11"];
  readonly #c: Libc;
  readonly #display: Deno.PointerObject;
  /** Xlib's pointer to the end of its request buffer. */
  readonly #bufmax: BigUint64Array;
  readonly #realBufmax: bigint;
  readonly #connection: Deno.PointerObject;
  readonly #pollfd: Int32Array<ArrayBuffer>;
  readonly #reply = new BigUint64Array(1);
  readonly #error = new BigUint64Array(1);
  /** The wait for a server that does not answer, shared by all callers. */
  #silent: Promise<void> | undefined;
  #answeredAt = -Infinity;

  private constructor(
    { xcb, x11, c }: Libraries,
    display: Deno.PointerObject,
    connection: Deno.PointerObject,
    fd: number,
    readonly isOpen: () => boolean,
  ) {
    this.#xcb = xcb;
    this.#x11 = x11;
    this.#c = c;
    this.#display = display;
    x11.XFlush(display); // Xlib now owns the socket, and thus has a buffer
    this.#bufmax = new BigUint64Array(Deno.UnsafePointerView.getArrayBuffer(display, 8, DISPLAY.bufmax));
    this.#realBufmax = this.#bufmax[0];
    this.#connection = connection;
    this.#pollfd = Int32Array.of(fd, POLLIN);
  }

  /**
   * Creates the waits for an Xlib connection.
   * @param isOpen Whether the connection is open.
   * @returns undefined if libX11-xcb is missing.
   */
  static of(
    libraries: Libraries,
    display: Deno.PointerObject,
    fd: number,
    isOpen: () => boolean,
  ): Patience | undefined {
    const connection = openOptional("x11Xcb")?.XGetXCBConnection(display);
    return connection ? new Patience(libraries, display, connection, fd, isOpen) : undefined;
  }

  /**
   * Waits until the server answers.
   * @returns undefined if it answers immediately, or has just answered.
   * @throws DesktopUnavailableError, through the promise, if it does not answer in time, or is gone.
   */
  answering(): Promise<void> | undefined {
    if (this.#silent) return this.#silent;
    if (performance.now() - this.#answeredAt < SERVER_WAITS.fresh) return undefined;
    return this.handled() || undefined;
  }

  /** Waits until the server has handled everything sent before. @throws As {@linkcode answering}. */
  handled(): void | Promise<void> {
    return this.#take(this.#xcb.xcb_get_input_focus(this.#connection), () => {});
  }

  /** The pointer's position, in pixels of the root window, with the wait of {@linkcode handled}. */
  pointer(root: bigint): PointerReply | Promise<PointerReply> {
    const cookie = this.#xcb.xcb_query_pointer(this.#connection, Number(root));
    return this.#take(cookie, (reply) => ({
      x: reply.getInt16(16),
      y: reply.getInt16(18),
      sameScreen: reply.getUint8(1) !== 0,
    }));
  }

  /** The button numbers, as in `Connection.queryButtonNumbers`, with the wait of {@linkcode handled}. */
  buttonNumbers(): Uint8Array | Promise<Uint8Array> {
    return this.#take(this.#xcb.xcb_get_pointer_mapping(this.#connection), (reply) => {
      const numbers = new Uint8Array(reply.getUint8(1));
      if (numbers.length) reply.copyInto(numbers, REPLY_DATA);
      return numbers;
    });
  }

  /** Blocks during cleanup until a server that may be busy or hang answers. @returns Whether it does. */
  answersAtEnd(): boolean {
    const cookie = this.#xcb.xcb_get_input_focus(this.#connection),
      end = performance.now() + SERVER_WAITS.end;
    return this.#takeBy(end, cookie, () => {}) !== undefined;
  }

  #take<T>(cookie: number, read: Read<T>): T | Promise<T> {
    const start = performance.now(), taken = this.#takeBy(start + SERVER_WAITS.quick, cookie, read);
    if (taken) return taken.value;
    const slow = this.#takeAside(cookie, read, start + SERVER_WAITS.answer);
    const silent = slow.then(() => {}).finally(() => {
      if (this.#silent === silent) this.#silent = undefined;
    });
    silent.catch(() => {});
    this.#silent ??= silent;
    return slow;
  }

  /**
   * Takes a reply as soon as it arrives; undefined if it does not arrive by the deadline. Blocks the thread.
   */
  #takeBy<T>(end: number, cookie: number, read: Read<T>): { value: T } | undefined {
    this.#xcb.xcb_flush(this.#connection);
    this.#returnSocket();
    for (let left = end - performance.now(); left > 0; left = end - performance.now()) {
      const taken = this.#taken(cookie, read);
      if (taken) return taken;
      this.#c.poll(this.#pollfd, 1n, Math.ceil(left));
    }
    return undefined;
  }

  /**
   * Returns the socket to Xlib. An XCB request takes it and leaves Xlib without a buffer until Xlib's next
   * request, which crashes the process if the server is gone by then (return_socket, require_socket and
   * _XGetRequest of libX11).
   */
  #returnSocket(): void {
    this.#x11.XFlush(this.#display);
    // XCB does not hand over the socket of a server that is gone. With its buffer restored, Xlib fails at the
    // next request instead.
    this.#bufmax[0] = this.#realBufmax;
  }

  async #takeAside<T>(cookie: number, read: Read<T>, end: number): Promise<T> {
    const pollfd = this.#pollfd.slice();
    for (;;) {
      const left = end - performance.now();
      if (left <= 0) break;
      await this.#c.poll_waiting(pollfd, 1n, Math.min(SLICE_MS, Math.ceil(left)));
      if (!this.isOpen()) throw gone();
      const taken = this.#taken(cookie, read);
      if (taken) return taken.value;
    }
    this.#xcb.xcb_discard_reply(this.#connection, cookie);
    throw new DesktopUnavailableError(
      `the X server has not answered for ${
        SERVER_WAITS.answer / 1000
      } s: it hangs, or a program has grabbed it`,
    );
  }

  /**
   * Takes a reply that has arrived; undefined if it has not.
   * @throws DesktopUnavailableError if the server is gone.
   */
  #taken<T>(cookie: number, read: Read<T>): { value: T } | undefined {
    this.#reply[0] = this.#error[0] = 0n;
    const has = this.#xcb.xcb_poll_for_reply(this.#connection, cookie, this.#reply, this.#error);
    if (!has) {
      if (this.#xcb.xcb_connection_has_error(this.#connection)) throw gone();
      return undefined;
    }
    const reply = Deno.UnsafePointer.create(this.#reply[0]),
      error = Deno.UnsafePointer.create(this.#error[0]);
    if (error) this.#c.free(error);
    if (!reply) throw gone();
    try {
      this.#answeredAt = performance.now();
      return { value: read(new Deno.UnsafePointerView(reply)) };
    } finally {
      this.#c.free(reply);
    }
  }
}

function gone(): DesktopUnavailableError {
  return new DesktopUnavailableError("the X server is gone");
}
