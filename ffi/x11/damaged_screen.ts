/** The screen of an X server that reports changed regions, for the live picture. */

import type { Point, Region } from "../../control/desktop.ts";
import type { JpegEncoder, LiveScreen, PointerImage, ScreenChange } from "../../control/live/screen.ts";
import { silence } from "../linux/alarm.ts";
import { CONFIGURE_NOTIFY, Connection } from "./connection.ts";
import { type Cursor, readCursor } from "./cursor.ts";
import { DamageConnection } from "./damage.ts";
import { queryLayout } from "./displays.ts";
import { isNative } from "./pixels.ts";
import { RAW } from "./raw_events.ts";
import { selectRawEvents } from "./raw_selection.ts";
import { rootLayout } from "./segment.ts";

const POLLIN = 1;
/** XFixesDisplayCursorNotifyMask, and the event of XFixes that it selects. */
const CURSOR_NOTIFY_MASK = 1n, CURSOR_NOTIFY = 1;

/** Fetches changed parts of the screen. The pointer is not in the picture, but reported separately. */
export class DamagedScreen implements LiveScreen {
  place: Region;
  readonly isWoken: boolean;
  #isPointerFollowed = false;
  #image: PointerImage | undefined;
  #at: Point = { x: 0, y: 0 };
  /** Event of the pointer's picture. */
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
   * @param alarm A descriptor that ends waits when it can be read.
   * @returns undefined if the server or a library lacks a required feature, or there is no server.
   */
  static open(display: string, jpeg: JpegEncoder | undefined, alarm?: number): DamagedScreen | undefined {
    const connection = Connection.open(display);
    if (!connection) return undefined;
    let damage: DamageConnection | undefined;
    try {
      const layout = rootLayout(connection), event = connection.extension("DAMAGE")?.firstEvent;
      const { x, y, width, height } = queryLayout(connection);
      const hasAll = event !== undefined && layout && isNative(layout) &&
        connection.libraries.xext.XShmQueryExtension(connection.display);
      damage = hasAll ? DamageConnection.open(display, event) : undefined;
      if (damage?.allocate(width, height)) {
        return new DamagedScreen(connection, damage, { x, y, width, height }, jpeg, alarm);
      }
    } catch (error) {
      damage?.close();
      connection.close();
      throw error;
    }
    damage?.close();
    connection.close();
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
        this.damage.allocate(width, height);
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
    // Earlier waits for answers may have read events as well, which poll(2) then does not see.
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

  /** Reads the events that have arrived. @returns Whether the screen may have another size. */
  #drain(): boolean {
    const { connection } = this;
    const resizes = connection.eventCount(CONFIGURE_NOTIFY),
      cursors = connection.eventCount(this.#cursorEvent);
    connection.drainEvents();
    if (connection.eventCount(this.#cursorEvent) !== cursors) {
      this.#image = imageOf(readCursor(connection)) ?? this.#image;
    }
    return connection.eventCount(CONFIGURE_NOTIFY) !== resizes;
  }
}

/**
 * Makes the server report motion of the pointer, which then ends a sleep; without XInput 2 the motion is noticed
 * later.
 */
function selectMotion(connection: Connection, isReported: boolean): void {
  try {
    selectRawEvents(connection, isReported ? [RAW.motion] : []);
  } catch {
    connection.check(); // throws if the server is gone; otherwise the extension is missing
  }
}

/** Converts a picture from the long numbers of XFixes to bytes. */
function imageOf(cursor: Cursor | undefined): PointerImage | undefined {
  if (!cursor) return undefined;
  const { width, height, hot, argb } = cursor, rgba = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const [blue, green, red, alpha] = argb.subarray(pixel * 8, pixel * 8 + 4);
    rgba.set([red, green, blue, alpha], pixel * 4);
  }
  return { width, height, hot, rgba };
}
