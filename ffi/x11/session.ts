/** Everything that belongs to one connection and goes with it when the server does. */

import type { Button, Direction, Frame, Picture, Point, Region, Screen } from "../../control/desktop.ts";
import { NoDesktopError } from "../../core/errors.ts";
import { Capturer } from "./capture.ts";
import { Connection } from "./connection.ts";
import { drawCursor, readCursor } from "./cursor.ts";
import { queryScreen } from "./geometry.ts";
import { Keyboard } from "./keyboard.ts";
import { openXcb } from "./libraries.ts";
import { Pictures } from "./pictures.ts";
import { isNative } from "./pixels.ts";
import { rootLayout } from "./segment.ts";

/** libxdo's name for "whatever is there": events go through XTEST. */
const CURRENT_WINDOW = 0n;
/** More than sizeof(xdo_t), which is 80. */
const XDO_SIZE = 128;
/** Numbers of buttons (X11 protocol; 8 and 9 by convention). */
const BUTTON_NUMBERS: Record<Button, number> = { left: 1, middle: 2, right: 3, back: 8, forward: 9 };
/** A notch of the wheel is a press and release of a button. */
const WHEEL_NUMBERS: Record<Direction, number> = { up: 4, down: 5, left: 6, right: 7 };

/** Pointer, keyboard and screen over one connection. */
export class Session {
  readonly keyboard: Keyboard;
  readonly #capturer: Capturer;
  /** null where there are none. */
  #pictures: Pictures | null | undefined;
  /**
   * An `xdo_t`, a public structure (xdo.h), with nothing but its display, which is its first field. The function of
   * libxdo that makes one also reads the keyboard map, which nothing here needs, and crashes if the server dies then.
   */
  readonly #xdoMemory = new Uint8Array(XDO_SIZE);
  readonly #xdo: Deno.PointerObject;
  #screen: Screen | undefined;

  private constructor(readonly connection: Connection, readonly name: string) {
    const { libraries: { xtst }, display } = connection;
    const [a, b, c, d] = [0, 0, 0, 0].map(() => new Int32Array(1));
    if (!xtst.XTestQueryExtension(display, a, b, c, d)) {
      throw new NoDesktopError(
        "the X server lacks the XTEST extension, by which input is sent; start it without disabling XTEST",
      );
    }
    new BigUint64Array(this.#xdoMemory.buffer)[0] = Deno.UnsafePointer.value(display);
    this.#xdo = Deno.UnsafePointer.of(this.#xdoMemory)!;
    this.#capturer = new Capturer(connection);
    this.keyboard = new Keyboard(connection, this.#xdo);
  }

  /**
   * Opens a session.
   * @param display Its name, such as `:0`.
   * @returns undefined if there is no server there, or it does not let us in.
   * @throws NoDesktopError if a library or an extension of the server is missing.
   */
  static open(display: string): Session | undefined {
    const connection = Connection.open(display);
    try {
      return connection && new Session(connection, display);
    } catch (error) {
      connection!.close();
      throw error;
    }
  }

  screen(): Screen {
    if (this.connection.drainEvents()) this.#screen = undefined;
    return this.#screen ??= queryScreen(this.connection);
  }

  position(): Point {
    return this.connection.queryPointer();
  }

  /**
   * By XTEST rather than libxdo's warp: a warp makes no motion of a device, so that programs that listen to
   * devices (games, recorders, this one's too) would not see it.
   */
  move({ x, y }: Point): void {
    const { libraries: { xtst }, display, screen } = this.connection;
    xtst.XTestFakeMotionEvent(display, screen, x, y, 0n);
    this.connection.sync();
  }

  button(button: Button, down: boolean): void {
    this.#press(BUTTON_NUMBERS[button], down);
    this.connection.sync();
  }

  scroll(direction: Direction, amount: number): void {
    for (let i = 0; i < amount; i++) {
      this.#press(WHEEL_NUMBERS[direction], true);
      this.#press(WHEEL_NUMBERS[direction], false);
    }
    this.connection.sync();
  }

  capture(region: Region, cursor: boolean): Frame {
    const frame = this.#capturer.capture(region);
    if (cursor) drawCursor(readCursor(this.connection), frame, region);
    return frame;
  }

  picture(region: Region, cursor: boolean): Picture | undefined {
    if (this.#pictures?.isBroken) {
      this.#pictures.close();
      this.#pictures = undefined;
    }
    if (this.#pictures === undefined) this.#pictures = this.#openPictures() ?? null;
    return this.#pictures?.take(region, cursor ? readCursor(this.connection) : undefined);
  }

  /** Where pictures have to be converted, or XCB is missing, there are none. */
  #openPictures(): Pictures | undefined {
    const layout = rootLayout(this.connection), xcb = openXcb();
    if (!xcb || !layout || !isNative(layout)) return undefined;
    return Pictures.open(xcb, this.connection.libraries.c, this.name, this.connection.root);
  }

  /** Frees everything, whether the server is still there or not. */
  close(): void {
    this.keyboard.close();
    this.#capturer.close();
    this.#pictures?.close();
    this.connection.close();
  }

  #press(number: number, down: boolean) {
    const { xdo } = this.connection.libraries;
    if (down) xdo.xdo_mouse_down(this.#xdo, CURRENT_WINDOW, number);
    else xdo.xdo_mouse_up(this.#xdo, CURRENT_WINDOW, number);
  }
}
