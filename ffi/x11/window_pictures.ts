/**
 * Pictures of covered windows, through the Composite extension: the server draws a redirected window into its
 * own memory, including covered parts. The user sees no change, and a redirect ends with its connection at
 * the latest.
 */

import type { Frame, Picture, Region, WindowInfo } from "../../control/desktop/desktop.ts";
import { attempt, DesktopUnavailableError, NotFoundError, UnsupportedError } from "../../core/errors.ts";
import { IdleTimer } from "../../core/until.ts";
import { openLibraries, openOptional, type OptionalLibraries } from "./libraries.ts";
import { XcbConnection } from "./xcb_connection.ts";
import { type Cursor, drawCursor, SharedMemory, Z_PIXMAP } from "./capture.ts";

type XcbComposite = OptionalLibraries["xcbComposite"];
/** XCB_COMPOSITE_REDIRECT_AUTOMATIC: the server continues to show the window. */
const AUTOMATIC = 0;
/** The version of the extension that introduced NameWindowPixmap. */
const VERSION = { major: 0, minor: 2 } as const;
/** Maximum number of windows redirected at the same time: each takes the memory of its picture. */
const MOST = 8;
/** How long a window stays redirected without a picture, in milliseconds. */
const KEPT_MS = 15_000;

/** A redirected window. */
interface Redirected {
  /** The timer that ends it. */
  timer: ReturnType<typeof setTimeout>;
  /** Whether its covered parts have been painted since. */
  isPainted: boolean;
}

/** A window's content, as a server drawable until it is freed. */
interface WindowContent {
  pixmap: number;
  /** The pixmap's region on the screen. */
  place: Region;
  free(): void;
}

/** The redirected windows of one display, over their own connection. */
export class WindowPictures {
  #xcb: XcbConnection | undefined;
  #composite: XcbComposite | undefined;
  /** By the root window's child, the most recently used one last. */
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

  /** Whether a redirected window's covered parts may not be painted yet. */
  isFresh(frame: number): boolean {
    return !this.#redirected.get(frame)?.isPainted;
  }

  painted(frame: number): void {
    const redirected = this.#redirected.get(frame);
    if (redirected) redirected.isPainted = true;
  }

  /**
   * Returns a window's content; the window stays redirected until it has not been used for a while.
   * @param frame As returned by {@linkcode frameOf}.
   * @returns undefined if the server does not show the window, or it is gone.
   * @throws UnsupportedError if the extension or its library is missing.
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
    if (!xcb.isDone(named)) return undefined;
    const free = () => {
      if (xcb.isBroken) return;
      xcb.xcb.xcb_free_pixmap(xcb.connection, pixmap);
      xcb.flush();
    };
    if (!geometry || !origin) return void free();
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
    const composite = openOptional("xcbComposite");
    if (composite) {
      const { connection } = xcb;
      const asked = composite.xcb_composite_query_version(connection, VERSION.major, VERSION.minor);
      const isThere = xcb.isAnswered((error) =>
        composite.xcb_composite_query_version_reply(connection, asked, error)
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

  /** Redirects a window for a while. @returns false if it is gone. */
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

/** The root window's child that is, or contains, a window; undefined if it is gone. */
function frameOf(xcb: XcbConnection, id: number): number | undefined {
  for (const { window, parent } of xcb.around(id)) if (parent === xcb.root) return window;
}

// Pictures in their own memory, captured in strips from the bottom up: while a strip is sent, the X server
// writes the next. BMPs of 1920x1080 over HTTP, one connection, two idle cores: 163 a second in strips; 146
// if deskhand waits for the whole picture; 127 if it copies a frame. This requires XCB, which does not wait
// for replies, on its own connection: Xlib, sharing one with it, reads through a null pointer when the server
// dies at the wrong moment.

/** Number of strips in a picture: with fewer, the first takes longer; more cost more than they save. */
const STRIPS = 8;
/** Maximum number of pictures in use at the same time, to bound the memory shared with the server. */
const KEPT_LIMIT = 16;
/** Maximum number of released pictures whose memory is kept for reuse; further memory is freed. */
const FREE_LIMIT = 4;
/** Time without a picture after which this memory is freed, in milliseconds: a large screen takes 8 MB. */
const FREE_MS = 10_000;
const ALL_PLANES = 0xffffffff;
const BYTES_A_PIXEL = 4;

/** Memory that the server writes pictures into. */
export class XcbSegment {
  /** @param segment The server's number for the segment (xcb_shm_seg_t). */
  private constructor(
    readonly xcb: XcbConnection,
    readonly shm: OptionalLibraries["xcbShm"],
    readonly segment: number,
    readonly memory: SharedMemory,
  ) {}

  /**
   * Has the server attach memory, which is freed with the segment.
   * @returns undefined if the server runs on another machine or in another container, where it cannot write
   * into this memory.
   */
  static attach(
    xcb: XcbConnection,
    shm: OptionalLibraries["xcbShm"],
    memory: SharedMemory,
  ): XcbSegment | undefined {
    const segment = xcb.xcb.xcb_generate_id(xcb.connection);
    const isAttached = xcb.isDone(shm.xcb_shm_attach_checked(xcb.connection, segment, memory.id, 0));
    memory.abandon();
    if (isAttached && !xcb.isBroken) return new XcbSegment(xcb, shm, segment, memory);
    memory.unmap();
  }

  /**
   * Requests a part of the root window.
   * @param offset Where to put it in the memory, in bytes.
   * @returns The request's cookie.
   */
  ask({ x, y, width, height }: Region, offset: number): number {
    const { connection, root } = this.xcb;
    return this.shm.xcb_shm_get_image(
      connection,
      root,
      x,
      y,
      width,
      height,
      ALL_PLANES,
      Z_PIXMAP,
      this.segment,
      offset,
    );
  }

  /** Waits until the server has written what {@linkcode ask} requested. @returns Whether it has. */
  isWritten(cookie: number): boolean {
    const { xcb, shm } = this;
    return xcb.isAnswered((error) => shm.xcb_shm_get_image_reply(xcb.connection, cookie, error));
  }

  /** Frees the memory, whether or not the connection is open. */
  free(): void {
    if (!this.xcb.isBroken) {
      this.shm.xcb_shm_detach(this.xcb.connection, this.segment);
      this.xcb.flush();
    }
    this.memory.unmap();
  }
}

/** A strip requested from the server: its rows, and the request's cookie. */
interface Strip {
  top: number;
  rows: number;
  cookie: number;
}

/** A connection to the X server only for pictures. */
export class XcbPictures {
  readonly #free: XcbSegment[] = [];
  readonly #idle = new IdleTimer(FREE_MS, () => this.#freeAll());
  #kept = 0;
  #isRefused = false;

  private constructor(readonly xcb: XcbConnection, readonly shm: OptionalLibraries["xcbShm"]) {}

  /**
   * Connects to the X server.
   * @param display The name of the display, such as `:0`, whose pictures have 32 bits per pixel, as frames
   * do.
   * @returns undefined if the server refuses this user.
   */
  static open(shm: OptionalLibraries["xcbShm"], display: string): XcbPictures | undefined {
    const xcb = attempt(() => new XcbConnection(display), undefined, DesktopUnavailableError);
    return xcb && new XcbPictures(xcb, shm);
  }

  /** Whether this or the server has closed the connection. */
  get isBroken(): boolean {
    return this.xcb.isBroken;
  }

  /**
   * Captures a picture.
   * @param region Inside the root window.
   * @param cursor The pointer to draw in.
   * @returns undefined if too many are in use, or the server cannot write into this memory.
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
      for (const strip of strips.splice(0)) this.#receive(target, strip);
      this.#kept--;
      if (this.isBroken || this.#free.length >= FREE_LIMIT) return target.free();
      this.#free.push(target);
      this.#idle.touch();
    };
    const first = strips.shift()!;
    if (!this.#receive(target, first)) {
      release();
      this.#check();
      return undefined;
    }
    const parts = this.#parts(first, strips, target, region, cursor);
    return { width, height, parts, release };
  }

  /** Disconnects. Pictures stay unchanged until they are released. */
  close(): void {
    this.xcb.close();
    this.#idle.cancel();
    this.#freeAll();
  }

  #check() {
    if (this.isBroken) throw new DesktopUnavailableError("the X server is gone");
  }

  #freeAll(): void {
    for (const target of this.#free.splice(0)) target.free();
  }

  /** Memory of at least the given size; undefined if the system has none. */
  #target(size: number): XcbSegment | undefined {
    if ((this.#free.at(-1)?.memory.size ?? size) < size) this.#freeAll();
    const free = this.#free.pop();
    if (free) return free;
    const memory = SharedMemory.make(openLibraries().c, size);
    const target = memory && XcbSegment.attach(this.xcb, this.shm, memory);
    this.#check();
    if (memory && !target) this.#isRefused = true;
    return target;
  }

  /** Requests all strips together, with the server grabbed: no client draws in between. */
  #ask(target: XcbSegment, { x, y, width, height }: Region): Strip[] {
    const { xcb, connection } = this.xcb;
    const rowsAtOnce = Math.ceil(height / STRIPS);
    const strips: Strip[] = [];
    xcb.xcb_grab_server(connection);
    for (let bottom = height; bottom > 0; bottom -= rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, bottom), top = bottom - rows;
      const cookie = target.ask({ x, y: y + top, width, height: rows }, top * width * BYTES_A_PIXEL);
      strips.push({ top, rows, cookie });
    }
    xcb.xcb_ungrab_server(connection);
    xcb.xcb_flush(connection);
    return strips;
  }

  /** The strips as frames, each as soon as the server has written it. */
  *#parts(
    first: Strip,
    others: Strip[],
    target: XcbSegment,
    { x, y, width }: Region,
    cursor: Cursor | undefined,
  ): Generator<Frame> {
    const stride = width * BYTES_A_PIXEL;
    for (let strip: Strip | undefined = first; strip; strip = others.shift()) {
      if (strip !== first && !this.#receive(target, strip)) {
        this.#check();
        throw new DesktopUnavailableError("the X server refused to take a screenshot");
      }
      const { top, rows } = strip;
      const pixels = target.memory.bytes.subarray(top * stride, (top + rows) * stride);
      const frame = { width, height: rows, stride, pixels };
      drawCursor(cursor, frame, { x, y: y + top });
      yield frame;
    }
  }

  /** Waits for a strip. @returns Whether the server wrote it. */
  #receive(target: XcbSegment, { cookie }: Strip): boolean {
    return !this.isBroken && target.isWritten(cookie);
  }
}
