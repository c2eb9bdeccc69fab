/**
 * Pictures of windows that other windows cover, by the Composite extension: the server draws a redirected window into memory
 * of its own, covered parts too. The person sees no change, and a redirect ends with its connection at the latest.
 */

import type { Frame, Picture, Region, WindowInfo } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError, NotFoundError, UnsupportedError } from "../../core/errors.ts";
import { IdleTimer } from "../../core/until.ts";
import { type Libraries, openXcbComposite, type XcbComposite, type XcbShm } from "./libraries.ts";
import { XcbConnection } from "./xcb_connection.ts";
import { cString } from "../linux/libc.ts";
import { type Cursor, drawCursor, SharedMemory, Z_PIXMAP } from "./capture.ts";

/** XCB_COMPOSITE_REDIRECT_AUTOMATIC: the server goes on to show the window. */
const AUTOMATIC = 0;
/** The version of the extension that has NameWindowPixmap. */
const VERSION = { major: 0, minor: 2 } as const;
/** The most windows that are redirected at once: each takes the memory of its picture. */
const MOST = 8;
/** The time that a window stays redirected without a picture, in milliseconds. */
const KEPT_MS = 15_000;
/** The most levels of windows between a program's window and its frame. */
const LEVELS = 32;

/** A window that is redirected. */
interface Redirected {
  /** The timer that ends it. */
  timer: ReturnType<typeof setTimeout>;
  /** Whether its covered parts have been painted since. */
  isPainted: boolean;
}

/** The content of a window, as a drawable of the server until it is freed. */
interface WindowContent {
  pixmap: number;
  /** The place of the pixmap on the screen. */
  place: Region;
  free(): void;
}

/** The redirected windows of one display, over a connection of their own. */
export class WindowPictures {
  #xcb: XcbConnection | undefined;
  #composite: XcbComposite | undefined;
  /** By the child of the root window; the last used is the last. */
  readonly #redirected = new Map<number, Redirected>();

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * The window with its frame: a child of the root window.
   * @throws NotFoundError if the window is gone; DesktopUnavailableError if the server is.
   */
  frameOf({ id, title }: WindowInfo): number {
    const frame = frameOf(this.#connected(), Number(id));
    if (frame !== undefined) return frame;
    throw new NotFoundError(`the window ${JSON.stringify(title)} is closed`);
  }

  /** Whether the covered parts of a redirected window may not be painted yet. */
  isFresh(frame: number): boolean {
    return !this.#redirected.get(frame)?.isPainted;
  }

  painted(frame: number): void {
    const redirected = this.#redirected.get(frame);
    if (redirected) redirected.isPainted = true;
  }

  /**
   * Gives the content of a window, which is redirected from now on until it is not used for a while.
   * @param frame As {@linkcode frameOf} returns it.
   * @returns undefined if the window is not shown by the server, or gone.
   * @throws UnsupportedError if the server or the library is missing the extension.
   */
  content(frame: number): WindowContent | undefined {
    const xcb = this.#connected(), composite = this.#extension(xcb), { connection } = xcb;
    if (!this.#redirect(xcb, composite, frame)) return undefined;
    const pixmap = xcb.xcb.xcb_generate_id(connection);
    const named = composite.xcb_composite_name_window_pixmap_checked(connection, frame, pixmap);
    const size = xcb.askGeometry(pixmap), inner = xcb.askGeometry(frame), asked = xcb.askOrigin(frame);
    const [{ width, height }, geometry, origin] = [
      xcb.geometry(size) ?? { width: 0, height: 0 },
      xcb.geometry(inner),
      xcb.origin(asked),
    ];
    if (!xcb.isDone(named) || !geometry || !origin) return undefined;
    const free = () => {
      xcb.xcb.xcb_free_pixmap(connection, pixmap);
      xcb.flush();
    };
    const place = { x: origin.x - geometry.border, y: origin.y - geometry.border, width, height };
    return { pixmap, place, free };
  }

  /** Ends all redirects. */
  close(): void {
    for (const { timer } of this.#redirected.values()) clearTimeout(timer);
    this.#redirected.clear();
    this.#xcb?.close();
    this.#xcb = this.#composite = undefined;
  }

  /** @throws DesktopUnavailableError if the server is gone. */
  #connected(): XcbConnection {
    if (this.#xcb?.isBroken) this.close();
    return this.#xcb ??= new XcbConnection(this.display);
  }

  #extension(xcb: XcbConnection): XcbComposite {
    if (this.#composite) return this.#composite;
    const composite = openXcbComposite();
    if (composite) {
      const { connection } = xcb;
      const asked = composite.xcb_composite_query_version(connection, VERSION.major, VERSION.minor);
      const isThere = xcb.isAnswered(
        composite.xcb_composite_query_version_reply(connection, asked, new BigUint64Array(1)),
      );
      if (isThere) return this.#composite = composite;
    }
    throw new UnsupportedError(
      composite
        ? "the X server cannot capture covered windows because it lacks the Composite extension; activate the window first"
        : "capturing covered windows needs libxcb-composite.so.0 (Debian and Ubuntu: libxcb-composite0); activate the window " +
          "first",
    );
  }

  /** Redirects a window for the next while. @returns false if it is gone. */
  #redirect(xcb: XcbConnection, composite: XcbComposite, frame: number): boolean {
    const before = this.#redirected.get(frame);
    clearTimeout(before?.timer);
    this.#redirected.delete(frame);
    if (
      !before &&
      !xcb.isDone(composite.xcb_composite_redirect_window_checked(xcb.connection, frame, AUTOMATIC))
    ) {
      if (xcb.isBroken) throw new DesktopUnavailableError(`the X server of display ${this.display} is gone`);
      return false;
    }
    if (this.#redirected.size >= MOST) this.#end(this.#redirected.keys().next().value!);
    const timer = setTimeout(() => this.#end(frame), KEPT_MS);
    Deno.unrefTimer(timer as unknown as number);
    this.#redirected.set(frame, { timer, isPainted: before?.isPainted ?? false });
    return true;
  }

  #end(frame: number): void {
    const xcb = this.#xcb, redirected = this.#redirected.get(frame);
    clearTimeout(redirected?.timer);
    this.#redirected.delete(frame);
    if (!xcb || xcb.isBroken || !this.#composite) return;
    xcb.isDone(this.#composite.xcb_composite_unredirect_window_checked(xcb.connection, frame, AUTOMATIC));
  }
}

/** The child of the root window that a window is, or is in; undefined if it is gone. */
function frameOf(xcb: XcbConnection, id: number): number | undefined {
  let window = id;
  for (let level = 0; level < LEVELS; level++) {
    const tree = xcb.tree(xcb.askTree(window));
    if (!tree || !tree.parent) return undefined;
    if (tree.parent === xcb.root) return window;
    window = tree.parent;
  }
}

// Pictures in memory of their own, taken in strips from the bottom up: while a strip is sent, the X server
// writes the next. BMPs of 1920x1080 over HTTP, one connection, two idle cores: 163 a second in strips; 146
// if deskhand waits for the whole picture; 127 if it copies a frame. This takes XCB, which does not wait for
// answers, on a connection of its own: Xlib, sharing one with it, reads through a null pointer when the
// server dies at the wrong moment.

/** Strips of a picture: with fewer the first takes longer, more cost more than they save. */
const STRIPS = 8;
/** Pictures that may be kept at once: a bound on the memory shared with the server. */
const KEPT_LIMIT = 16;
/** The number of released pictures whose memory is kept for reuse; the memory of others is freed. */
const FREE_LIMIT = 4;
/** The time without a picture after which this memory is freed, in milliseconds: 8 MB for a picture of a large screen. */
const FREE_MS = 10_000;
const ALL_PLANES = 0xffffffff;
const BYTES_A_PIXEL = 4;

/** Memory that the server writes into. */
interface PictureMemory {
  /** The server's number for the segment (xcb_shm_seg_t). */
  segment: number;
  memory: SharedMemory;
}

/** A strip that the server was asked for: its rows, and the request's cookie. */
interface Strip {
  top: number;
  rows: number;
  cookie: number;
}

/** A connection to the X server for pictures alone. */
export class XcbPictures {
  readonly #free: PictureMemory[] = [];
  readonly #idle = new IdleTimer(FREE_MS, () => this.#free.splice(0).forEach((target) => this.#drop(target)));
  #kept = 0;
  #isRefused = false;
  #isClosed = false;

  private constructor(
    readonly xcb: XcbShm,
    readonly c: Libraries["c"],
    readonly connection: Deno.PointerObject,
    readonly root: number,
  ) {}

  /**
   * Connects to the X server.
   * @param display The name of the display, such as `:0`.
   * @param root The root window, whose pictures have 32 bits a pixel, as frames do.
   * @returns undefined if the server refuses this user.
   */
  static open(xcb: XcbShm, c: Libraries["c"], display: string, root: bigint): XcbPictures | undefined {
    const connection = xcb.xcb.xcb_connect(cString(display), new Int32Array(1))!; // never null (xcb_connect(3))
    const pictures = new XcbPictures(xcb, c, connection, Number(root));
    if (!pictures.isBroken) return pictures;
    pictures.close();
  }

  /** Whether this or the server has closed the connection. */
  get isBroken(): boolean {
    return this.#isClosed || this.xcb.xcb.xcb_connection_has_error(this.connection) !== 0;
  }

  /**
   * Takes a picture.
   * @param region Inside the root window.
   * @param cursor The pointer, to be drawn in.
   * @returns undefined if too many are kept, or the server runs on another machine or in another container, where it
   * cannot write into this memory.
   * @throws DesktopUnavailableError if the server is gone.
   */
  take(region: Region, cursor: Cursor | undefined): Picture | undefined {
    if (this.#isRefused || this.#kept >= KEPT_LIMIT) return undefined;
    const { width, height } = region;
    const target = this.#target(width * height * BYTES_A_PIXEL);
    if (!target) return undefined;
    this.#kept++;
    const strips = this.#ask(target, region);
    const release = () => {
      for (const strip of strips.splice(0)) this.#receive(strip);
      this.#kept--;
      if (this.#isClosed) target.memory.unmap();
      else if (this.#free.length < FREE_LIMIT) {
        this.#free.push(target);
        this.#idle.touch();
      } else this.#drop(target);
    };
    const first = strips.shift()!;
    if (!this.#receive(first)) {
      release();
      this.#check();
      return undefined;
    }
    const parts = this.#parts(first, strips, target, region, cursor);
    return { width, height, parts, release };
  }

  /** Disconnects. Pictures stay unchanged until they are released. */
  close(): void {
    this.#isClosed = true;
    this.#idle.cancel();
    this.xcb.xcb.xcb_disconnect(this.connection);
    for (const { memory } of this.#free.splice(0)) memory.unmap();
  }

  #check() {
    if (this.isBroken) throw new DesktopUnavailableError("the X server is gone");
  }

  /** Memory of at least a size; undefined if the system has none. */
  #target(size: number): PictureMemory | undefined {
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
    this.#isRefused = true;
  }

  #drop({ segment, memory }: PictureMemory) {
    this.xcb.xcbShm.xcb_shm_detach(this.connection, segment);
    this.xcb.xcb.xcb_flush(this.connection);
    memory.unmap();
  }

  /** Asks for all strips at once, with the server grabbed: no client draws in between, so all are of one moment. */
  #ask({ segment }: PictureMemory, { x, y, width, height }: Region): Strip[] {
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

  /** The strips as frames, each when the server has written it. */
  *#parts(
    first: Strip,
    others: Strip[],
    { memory: { bytes } }: PictureMemory,
    { x, y, width }: Region,
    cursor: Cursor | undefined,
  ): Generator<Frame> {
    const stride = width * BYTES_A_PIXEL;
    for (let strip: Strip | undefined = first; strip; strip = others.shift()) {
      if (strip !== first && !this.#receive(strip)) {
        this.#check();
        throw new DesktopUnavailableError("the X server refused to take a screenshot");
      }
      const { top, rows } = strip;
      const pixels = bytes.subarray(top * stride, (top + rows) * stride);
      const frame = { width, height: rows, stride, pixels };
      drawCursor(cursor, frame, { x, y: y + top });
      yield frame;
    }
  }

  /** Waits for a strip. @returns Whether the server wrote it. */
  #receive({ cookie }: Strip): boolean {
    if (this.#isClosed) return false;
    const error = new BigUint64Array(1);
    const reply = this.xcb.xcbShm.xcb_shm_get_image_reply(this.connection, cookie, error);
    this.c.free(reply ?? Deno.UnsafePointer.create(error[0]));
    return reply !== null;
  }
}
