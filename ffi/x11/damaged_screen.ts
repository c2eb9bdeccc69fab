/** The screen of an X server that reports changed regions, for the live picture. */

import { intersection, type Point, type Region, united } from "../../control/desktop/desktop.ts";
import type { JpegEncoder, LiveScreen, PointerImage, ScreenChange } from "../../control/desktop/screen.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { POLLIN, silence } from "../linux/libc.ts";
import { type Cursor, isNative, readCursor, rootLayout, SharedMemory } from "./capture.ts";
import { Connection } from "./connection.ts";
import { openLibraries, openOptional, type OptionalLibraries } from "./libraries.ts";
import { RAW, selectRawEvents } from "./raw_selection.ts";
import { queryLayout } from "./screen.ts";
import { XcbSegment } from "./window_pictures.ts";
import { EVENT, XcbConnection } from "./xcb_connection.ts";

// Screen damage (DAMAGE extension), and screen captures in shared memory, over a dedicated connection. The
// extension's BoundingBox level reports the bounding box of all changes without a request, so that a picture
// takes one round trip: while programs draw continuously, each takes 4 to 5 ms.

/** XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX. */
const BOUNDING_BOX = 2;
/** The version of the extension that deskhand requests; later versions are not needed. */
const VERSION = { major: 1, minor: 1 } as const;
/** Offsets in a DamageNotify event (damageproto.h). */
export const AREA = { x: 16, y: 18, width: 20, height: 22 } as const;

type Functions = Pick<OptionalLibraries, "xcbShm" | "xcbDamage">;

/** A connection with a damage object for the root window. */
export class DamageConnection {
  readonly #xcb: XcbConnection;
  readonly #functions: Functions;
  readonly #damage: number;
  readonly #eventType: number;
  #target: XcbSegment | undefined;
  #box: Region | undefined;

  private constructor(xcb: XcbConnection, functions: Functions, eventType: number) {
    this.#xcb = xcb;
    this.#functions = functions;
    this.#eventType = eventType;
    this.#damage = xcb.xcb.xcb_generate_id(xcb.connection);
  }

  /**
   * Connects to the X server.
   * @param display The name of the display, such as `:0`.
   * @param eventType The extension's event, by the server's number.
   * @returns undefined if a library is missing, or the server refuses.
   * @throws DesktopUnavailableError if the server is gone.
   */
  static open(display: string, eventType: number): DamageConnection | undefined {
    const xcbShm = openOptional("xcbShm"), xcbDamage = openOptional("xcbDamage");
    if (!xcbShm || !xcbDamage) return undefined;
    const connection = new DamageConnection(new XcbConnection(display), { xcbShm, xcbDamage }, eventType);
    if (connection.#create()) return connection;
    connection.close();
  }

  /** The connection's file descriptor, for poll(2). */
  get fd(): number {
    return this.#xcb.xcb.xcb_get_file_descriptor(this.#xcb.connection);
  }

  /**
   * Allocates memory for pictures of a given size.
   * @returns false if the server cannot write into the memory because it runs on another machine or in
   * another container.
   */
  allocate(width: number, height: number): boolean {
    this.#target?.free();
    const memory = SharedMemory.make(openLibraries().c, width * height * 4);
    this.#target = memory && XcbSegment.attach(this.#xcb, this.#functions.xcbShm, memory);
    this.#check();
    return this.#target !== undefined;
  }

  /** The memory for pictures: rows of the whole screen without gaps. */
  get pixels(): Uint8Array<ArrayBuffer> {
    return this.#target!.memory.bytes;
  }

  /** Reads the events that have arrived. @returns Whether there is drawing that has not been fetched. */
  drain(): boolean {
    for (let event = this.#xcb.event(); event; event = this.#xcb.event()) {
      if (event.getUint8(0) !== this.#eventType) continue;
      const x = event.getInt16(AREA.x, true), y = event.getInt16(AREA.y, true);
      const width = event.getUint16(AREA.width, true), height = event.getUint16(AREA.height, true);
      // X.Org also reports empty areas, when a program draws outside the visible part.
      if (width && height) this.#box = united(this.#box, { x, y, width, height });
    }
    return this.#box !== undefined;
  }

  /**
   * Fetches the changed part of the screen, or all of it, in whole rows, so that the memory has the screen's
   * layout.
   * @param size The size of the screen, in pixels.
   * @param wanted Whether to fetch the whole screen, and whether to query the pointer's position.
   * @throws DesktopUnavailableError if the server is gone or refuses.
   */
  fetch(
    size: { width: number; height: number },
    wanted: { whole?: boolean; pointer?: boolean } = {},
  ): { box?: Region; pointer?: Point } {
    const { xcb, connection, root } = this.#xcb;
    this.drain();
    const all = { x: 0, y: 0, width: size.width, height: size.height };
    const box = wanted.whole ? all : this.#box && intersection(this.#box, all);
    const pointer = wanted.pointer ? xcb.xcb_query_pointer(connection, root) : undefined;
    this.#box = undefined;
    if (!box) return this.#pointer(pointer);
    // Subtracts the damage before reading, so that later drawing is reported again.
    this.#functions.xcbDamage.xcb_damage_subtract(connection, this.#damage, 0, 0);
    const target = this.#target!, rows = { x: 0, y: box.y, width: size.width, height: box.height };
    const isFetched = target.isWritten(target.ask(rows, box.y * size.width * 4));
    const at = this.#pointer(pointer);
    // Nothing is fetched if the screen has since become smaller, which the next update detects.
    return isFetched ? { box, ...at } : at;
  }

  /** Closes the connection. */
  close(): void {
    this.#target?.free();
    this.#target = undefined;
    this.#xcb.close();
  }

  #create(): boolean {
    const { xcbDamage } = this.#functions, { connection, root } = this.#xcb;
    const version = xcbDamage.xcb_damage_query_version(connection, VERSION.major, VERSION.minor);
    const isThere = this.#xcb.isAnswered((error) =>
      xcbDamage.xcb_damage_query_version_reply(connection, version, error)
    );
    return isThere &&
      this.#xcb.isDone(xcbDamage.xcb_damage_create_checked(connection, this.#damage, root, BOUNDING_BOX));
  }

  /** Takes the pointer's position, if it was queried. */
  #pointer(cookie: number | undefined): { pointer?: Point } {
    const pointer = cookie === undefined ? undefined : this.#xcb.pointer(cookie);
    if (!pointer) this.#check();
    if (!pointer && cookie !== undefined) {
      throw new DesktopUnavailableError("the X server did not report the pointer position");
    }
    return pointer ? { pointer } : {};
  }

  #check() {
    if (this.#xcb.isBroken) throw new DesktopUnavailableError("the X server is gone");
  }
}

/** XFixesDisplayCursorNotifyMask, and the event of XFixes that it selects. */
const CURSOR_NOTIFY_MASK = 1n, CURSOR_NOTIFY = 1;

/** Fetches changed parts of the screen. The pointer is not in the picture, but reported separately. */
export class DamagedScreen implements LiveScreen {
  place: Region;
  readonly isWoken: boolean;
  #isPointerFollowed = false;
  #image: PointerImage | undefined;
  #at: Point = { x: 0, y: 0 };
  /** Event number for the pointer's picture. */
  readonly #cursorEvent: number;
  readonly #fds: Int32Array<ArrayBuffer>;

  private constructor(
    readonly connection: Connection,
    readonly damage: DamageConnection,
    place: Region,
    readonly jpeg: JpegEncoder | undefined,
    readonly alarm: number | undefined,
  ) {
    this.place = place;
    this.#cursorEvent = (connection.extension("XFIXES")?.firstEvent ?? -CURSOR_NOTIFY) + CURSOR_NOTIFY;
    this.followPointer(true);
    const alarms = alarm === undefined ? [] : [alarm, POLLIN];
    this.#fds = Int32Array.of(connection.fd, POLLIN, damage.fd, POLLIN, ...alarms);
    this.isWoken = alarm !== undefined;
    this.#fetch(true);
  }

  /**
   * Opens the screen.
   * @param display The name of the display, such as `:0`.
   * @param alarm A file descriptor that ends waits when it becomes readable.
   * @returns undefined if the server or a library lacks a required feature, or there is no server.
   */
  static open(display: string, jpeg: JpegEncoder | undefined, alarm?: number): DamagedScreen | undefined {
    using opened = new DisposableStack();
    const connection = opened.use(Connection.open(display));
    if (!connection) return undefined;
    const layout = rootLayout(connection), event = connection.extension("DAMAGE")?.firstEvent;
    const { x, y, width, height } = queryLayout(connection);
    const hasAll = event !== undefined && layout && isNative(layout) && !connection.hasPalette &&
      connection.libraries.xext.XShmQueryExtension(connection.display);
    const damage = hasAll ? DamageConnection.open(display, event) : undefined;
    if (!damage) return undefined;
    opened.defer(() => damage.close());
    if (!damage.allocate(width, height)) return undefined;
    const screen = new DamagedScreen(connection, damage, { x, y, width, height }, jpeg, alarm);
    opened.move();
    return screen;
  }

  get pixels(): Uint8Array<ArrayBuffer> {
    return this.damage.pixels;
  }

  get pointer(): { image: PointerImage; at: Point } | undefined {
    return this.#image && { image: this.#image, at: this.#at };
  }

  update(): ScreenChange {
    if (this.#drain()) {
      const { x, y, width, height } = queryLayout(this.connection);
      if (width !== this.place.width || height !== this.place.height) {
        if (!this.damage.allocate(width, height)) {
          throw new DesktopUnavailableError(`no shared memory for a screen of ${width}x${height} pixels`);
        }
        this.place = { x, y, width, height };
        return this.#fetch(true);
      }
    }
    return this.#fetch(false);
  }

  followPointer(isFollowed: boolean): void {
    if (isFollowed === this.#isPointerFollowed) return;
    this.#isPointerFollowed = isFollowed;
    const { libraries: { xfixes }, display, root } = this.connection;
    xfixes.XFixesSelectCursorInput(display, root, isFollowed ? CURSOR_NOTIFY_MASK : 0n);
    selectMotion(this.connection, isFollowed);
    if (isFollowed) this.#image = imageOf(readCursor(this.connection)) ?? this.#image;
  }

  wait(ms: number): void {
    // Earlier waits for replies may have read events as well, which poll(2) then does not see.
    const { libraries: { c, x11 }, display } = this.connection;
    if (this.damage.drain() || x11.XPending(display) > 0) return;
    c.poll(this.#fds, BigInt(this.#fds.length / 2), ms);
    if (this.alarm !== undefined && this.#fds[5] >> 16) silence(c, this.alarm);
    if (this.#fds[1] >> 16 & ~POLLIN) this.connection.check(); // the server may be gone
  }

  close(): void {
    this.damage.close();
    this.connection.close();
  }

  #fetch(whole: boolean): ScreenChange {
    const { box, pointer } = this.damage.fetch(this.place, { whole, pointer: this.#isPointerFollowed });
    this.#at = pointer ?? this.#at;
    return { box };
  }

  /** Reads the events that have arrived. @returns Whether the screen's size may have changed. */
  #drain(): boolean {
    const { connection } = this;
    const resizes = connection.eventCount(EVENT.configureNotify),
      cursors = connection.eventCount(this.#cursorEvent);
    connection.drainEvents();
    if (connection.eventCount(this.#cursorEvent) !== cursors) {
      this.#image = imageOf(readCursor(connection)) ?? this.#image;
    }
    return connection.eventCount(EVENT.configureNotify) !== resizes;
  }
}

/**
 * Makes the server report pointer motion, which then ends a sleep; without XInput 2, motion is noticed later.
 */
function selectMotion(connection: Connection, isReported: boolean): void {
  try {
    selectRawEvents(connection, isReported ? [RAW.motion] : []);
  } catch {
    connection.check(); // throws if the server is gone; otherwise the extension is missing
  }
}

/** Converts a picture from the longs of XFixes to bytes. */
function imageOf(cursor: Cursor | undefined): PointerImage | undefined {
  if (!cursor) return undefined;
  const { width, height, hot, argb } = cursor, rgba = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [blue, green, red, alpha] = argb.subarray(pixel * 8, pixel * 8 + 4);
    rgba.set([red, green, blue, alpha], pixel * 4);
  }
  return { width, height, hot, rgba };
}
