/** The pointer's place, asked for many times at once: XCB sends all requests before it takes the first reply. */

import { bindOnUse } from "../../../core/binding.ts";
import { NoDesktopError } from "../../../core/errors.ts";
import { openLibc, POLLIN, POLLOUT } from "../../linux/libc.ts";
import { XCB } from "../xcb_symbols.ts";
import { big, type XdoSession } from "./session.ts";

/** The library on which libX11 itself is made. */
const XCB_NAME = "libxcb.so.1";
/** QueryPointer, its length in units of 4 bytes, and the size of its reply, which is that of events too (x11protocol). */
const QUERY_POINTER = { opcode: 38, length: 2 }, REPLY_SIZE = 32;
/** The first byte of a reply, and offsets in one of QueryPointer. */
const IS_REPLY = 1, REPLY = { kind: 0, sameScreen: 1, child: 12, rootX: 16, rootY: 18 };
/** The directions of xdo_find_window_client (xdo.h). */
const FIND = { parents: 0, children: 1 } as const;

/** The answer to `getmouselocation`. */
export interface PointerPlace {
  x: number;
  y: number;
  screen: number;
  window: number;
}

/**
 * A second connection to the server of a session. XCB opens it; after that, requests and replies are sent as bytes,
 * many in one call, since each call of a C function costs a microsecond.
 */
export class PointerPlaces {
  readonly #session: XdoSession;
  readonly #xcb = bindOnUse(
    XCB_NAME,
    XCB,
    (symbol, cause) => new NoDesktopError(`${XCB_NAME} lacks ${symbol}`, { cause }),
  ) as Deno.DynamicLibrary<typeof XCB>["symbols"];
  readonly #connection: Deno.PointerObject;
  /** The connection's file descriptor, which does not block. */
  readonly #socket: number;

  constructor(session: XdoSession) {
    this.#session = session;
    this.#connection = this.#xcb.xcb_connect(null, null)!; // never null (xcb_connect(3))
    this.#socket = this.#xcb.xcb_get_file_descriptor(this.#connection);
  }

  /**
   * Asks for the place. All earlier requests of the session are done by then.
   * @param count How often to ask, at least once.
   * @returns At least one place, and at most `count`; the first comes over the session's own connection.
   */
  ask(count: number): PointerPlace[] {
    const session = this.#session, first = session.pointer(), root = session.root(0), places = [first];
    if (first.screen !== session.defaultScreen || this.#xcb.xcb_connection_has_error(this.#connection)) {
      return places;
    }
    const clients = new Map([[0, root]]);
    for (const reply of this.#exchange(root, count - 1)) {
      // Stops at an error or a reply for another screen; the session then asks again.
      if (reply.getUint8(REPLY.kind) !== IS_REPLY || !reply.getUint8(REPLY.sameScreen)) break;
      const child = reply.getUint32(REPLY.child, true);
      if (!clients.has(child)) clients.set(child, this.#clientOf(child));
      places.push({
        x: reply.getInt16(REPLY.rootX, true),
        y: reply.getInt16(REPLY.rootY, true),
        screen: first.screen,
        window: clients.get(child)!,
      });
    }
    return places;
  }

  /** Sends the request some times. @returns The replies; fewer if the connection ends. */
  #exchange(root: number, count: number): DataView[] {
    const c = openLibc(), requests = new Uint32Array(count * QUERY_POINTER.length);
    for (let at = 0; at < requests.length; at += 2) {
      requests[at] = QUERY_POINTER.opcode | QUERY_POINTER.length << 16;
      requests[at + 1] = root;
    }
    const bytes = new Uint8Array(requests.buffer), replies: DataView[] = [];
    for (let at = 0; at < bytes.length;) {
      const sent = Number(c.write(this.#socket, bytes.subarray(at), BigInt(bytes.length - at)));
      if (sent < 0 && !this.#waitFor(POLLOUT)) return replies;
      at += Math.max(0, sent);
    }
    const piece = new Uint8Array(REPLY_SIZE * count);
    for (let held = 0; replies.length < count;) {
      const read = Number(c.read(this.#socket, piece.subarray(held), BigInt(piece.length - held)));
      if (read === 0 || read < 0 && !this.#waitFor(POLLIN)) return replies;
      held += Math.max(0, read);
      const whole = held - held % REPLY_SIZE, taken = piece.slice(0, whole);
      for (let at = 0; at < whole; at += REPLY_SIZE) {
        if (taken[at] <= IS_REPLY) replies.push(new DataView(taken.buffer, at, REPLY_SIZE)); // other messages are events
      }
      piece.copyWithin(0, whole, held);
      held -= whole;
    }
    return replies;
  }

  /** @returns false if the connection has ended. */
  #waitFor(event: typeof POLLIN | typeof POLLOUT): boolean {
    const pollfd = new Int32Array([this.#socket, event]);
    return openLibc().poll(pollfd, 1n, -1) === 1 && (pollfd[1] >> 16 & event) !== 0;
  }

  /** The program's window inside a child of the root window; the child itself if it contains none. */
  #clientOf(child: number): number {
    const { libraries: { xdo }, xdo: handle, out: { word: [window], words } } = this.#session;
    for (const direction of [FIND.parents, FIND.children]) {
      if (!xdo.xdo_find_window_client(handle, big(child), window, direction)) return Number(words[0]);
    }
    return child;
  }

  close(): void {
    this.#xcb.xcb_disconnect(this.#connection);
  }
}
