/**
 * Pictures that are kept, taken in strips from the bottom up: while one is used the X server writes the next. A BMP of
 * 1920x1080 is ready in 0.9 ms so, and in 1.7 when all of it is waited for first.
 *
 * This is done by XCB, which does not wait for answers, on a connection of its own: Xlib, sharing one with it, reads
 * through a null pointer when the server dies at the wrong moment.
 */

import type { Frame, Picture, Region } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { type Cursor, drawCursor } from "./cursor.ts";
import { cString, type Libraries, type Xcb } from "./libraries.ts";
import { Z_PIXMAP } from "./pixels.ts";
import { SharedMemory } from "./shared_memory.ts";

/** Strips of a picture: fewer wait longer for the first, more cost more than they save. */
const STRIPS = 8;
/** Pictures that may be kept at once, each in memory of its own: a bound on what is shared with the server. */
const KEPT_LIMIT = 16;
/** Memory of so many is used again; what was needed beyond that is given back. */
const FREE_LIMIT = 4;
const ALL_PLANES = 0xffffffff;
const BYTES_A_PIXEL = 4;

/** Memory that the server writes into, by the server's number for it. */
interface Target {
  segment: number;
  memory: SharedMemory;
}

/** A strip that the server was asked for: its rows, and the number of the request. */
interface Strip {
  top: number;
  rows: number;
  cookie: number;
}

/** A connection to the X server for pictures alone. */
export class Pictures {
  readonly #free: Target[] = [];
  #taken = 0;
  #refused = false;
  #closed = false;

  private constructor(
    readonly xcb: Xcb,
    readonly c: Libraries["c"],
    readonly connection: Deno.PointerObject,
    readonly root: number,
  ) {}

  /**
   * Connects.
   * @param display Its name, such as `:0`.
   * @param root The root window, whose pictures have 32 bits a pixel as frames have them.
   * @returns undefined if the server does not let us in.
   */
  static open(xcb: Xcb, c: Libraries["c"], display: string, root: bigint): Pictures | undefined {
    const connection = xcb.xcb.xcb_connect(cString(display), null)!; // never null (xcb_connect(3))
    const pictures = new Pictures(xcb, c, connection, Number(root));
    if (!pictures.isBroken) return pictures;
    pictures.close();
  }

  /** Whether it was closed, or the server has. */
  get isBroken(): boolean {
    return this.#closed || this.xcb.xcb.xcb_connection_has_error(this.connection) !== 0;
  }

  /**
   * Takes a picture.
   * @param region Inside the root window.
   * @param cursor The pointer, to be drawn in.
   * @returns undefined if too many are kept, or the server is in another machine or container and cannot write here.
   * @throws DesktopUnavailableError if the server is gone.
   */
  take(region: Region, cursor: Cursor | undefined): Picture | undefined {
    if (this.#refused || this.#taken >= KEPT_LIMIT) return undefined;
    const { x, y, width, height } = region;
    const target = this.#target(width * height * BYTES_A_PIXEL);
    if (!target) return undefined;
    this.#taken++;
    const strips = this.#ask(target, region);
    const release = () => {
      if (!this.#closed) { for (const strip of strips.splice(0)) this.#receive(strip); }
      this.#taken--;
      if (this.#closed) target.memory.unmap();
      else if (this.#free.length < FREE_LIMIT) this.#free.push(target);
      else this.#drop(target);
    };
    const first = strips.shift()!;
    if (!this.#receive(first)) {
      release();
      this.#check();
      return undefined;
    }
    const stride = width * BYTES_A_PIXEL, { bytes } = target.memory;
    const parts = function* (this: Pictures): Generator<Frame> {
      for (let strip: Strip | undefined = first; strip; strip = strips.shift()) {
        if (strip !== first && !this.#receive(strip)) {
          this.#check();
          throw new DesktopUnavailableError("the X server refuses to give a picture of the screen");
        }
        const { top, rows } = strip;
        const frame = {
          width,
          height: rows,
          stride,
          pixels: bytes.subarray(top * stride, (top + rows) * stride),
        };
        drawCursor(cursor, frame, { x, y: y + top });
        yield frame;
      }
    };
    return { width, height, parts: parts.call(this), release };
  }

  /** Disconnects. Pictures that are kept stay as they are until they are released. */
  close(): void {
    this.#closed = true;
    this.xcb.xcb.xcb_disconnect(this.connection);
    for (const { memory } of this.#free.splice(0)) memory.unmap();
  }

  #check() {
    if (this.isBroken) throw new DesktopUnavailableError("the X server is gone");
  }

  /** Memory of a size at least; undefined if the system has none. */
  #target(size: number): Target | undefined {
    const { xcb, xcbShm } = this.xcb;
    if ((this.#free.at(-1)?.memory.size ?? size) < size) {
      this.#free.splice(0).forEach((target) => this.#drop(target));
    }
    const free = this.#free.pop();
    if (free) return free;
    const memory = SharedMemory.make(this.c, size);
    if (!memory) return undefined;
    const segment = xcb.xcb_generate_id(this.connection);
    const cookie = xcbShm.xcb_shm_attach_checked(this.connection, segment, memory.id, 0);
    const error = xcb.xcb_request_check(this.connection, cookie);
    memory.abandon();
    if (!error && !this.isBroken) return { segment, memory };
    this.c.free(error);
    memory.unmap();
    this.#check();
    this.#refused = true;
  }

  #drop({ segment, memory }: Target) {
    this.xcb.xcbShm.xcb_shm_detach(this.connection, segment);
    this.xcb.xcb.xcb_flush(this.connection);
    memory.unmap();
  }

  /** Asks for all strips at once. Nobody draws in between, so that all are of one moment. */
  #ask({ segment }: Target, { x, y, width, height }: Region): Strip[] {
    const { xcb, xcbShm } = this.xcb;
    const rowsAtOnce = Math.ceil(height / STRIPS);
    const strips: Strip[] = [];
    xcb.xcb_grab_server(this.connection);
    for (let bottom = height; bottom > 0; bottom -= rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, bottom), top = bottom - rows;
      const cookie = xcbShm.xcb_shm_get_image(
        this.connection,
        this.root,
        x,
        y + top,
        width,
        rows,
        ALL_PLANES,
        Z_PIXMAP,
        segment,
        top * width * BYTES_A_PIXEL,
      );
      strips.push({ top, rows, cookie });
    }
    xcb.xcb_ungrab_server(this.connection);
    xcb.xcb_flush(this.connection);
    return strips;
  }

  /** Waits for a strip; tells whether it came. */
  #receive({ cookie }: Strip): boolean {
    if (this.#closed) return false;
    const error = new BigUint64Array(1);
    const reply = this.xcb.xcbShm.xcb_shm_get_image_reply(this.connection, cookie, error);
    this.c.free(reply ?? Deno.UnsafePointer.create(error[0]));
    return reply !== null;
  }
}
