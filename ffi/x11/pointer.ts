/** The pointer of one connection. */

import type { Button, Direction, Point, Pointer } from "../../control/desktop/desktop.ts";
import { StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { until } from "../../core/until.ts";
import type { Connection } from "./connection.ts";
import { EVENT } from "./xcb_connection.ts";

// Buttons and the wheel as the X11 protocol numbers them: a wheel notch is a press and release of a button.

/** Button numbers; 8 and 9 by convention (X.Org's evdev and libinput drivers). */
const BUTTON_NUMBERS: Readonly<Record<Button, number>> = {
  left: 1,
  middle: 2,
  right: 3,
  back: 8,
  forward: 9,
};

/** Button numbers of wheel directions. */
const WHEEL_NUMBERS: Readonly<Record<Direction, number>> = { up: 4, down: 5, left: 6, right: 7 };

/** Buttons by number. */
export const BUTTONS_BY_NUMBER: ReadonlyMap<number, Button> = inverted(BUTTON_NUMBERS);

/** Wheel directions by number. */
export const DIRECTIONS_BY_NUMBER: ReadonlyMap<number, Direction> = inverted(WHEEL_NUMBERS);

function inverted<Name extends string>(numbers: Readonly<Record<Name, number>>): Map<number, Name> {
  return new Map((Object.keys(numbers) as Name[]).map((name) => [numbers[name], name]));
}

/** Tolerance for the pointer's position, in pixels: KWin keeps it out of the screen's corners. */
const NEAR = 1;

/**
 * Maximum time for which a pointer that does not move at all counts as frozen by a window manager that has yet
 * to handle the last press, and the polling interval, in milliseconds; the former is longer on a busy machine.
 */
const FROZEN_MS = 500, THAW_MS = 10;

function isSame(one: Point, other: Point | undefined): boolean {
  return one.x === other?.x && one.y === other.y;
}

/**
 * Runs a function with a reply, synchronously if the reply has arrived, so that nothing happens in between.
 */
function then<T, R>(reply: T | Promise<T>, run: (reply: T) => R | Promise<R>): R | Promise<R> {
  return reply instanceof Promise ? reply.then(run) : run(reply);
}

/** Moves through XTEST; buttons and wheel through libxdo. */
export class X11Pointer implements Pointer {
  /** The pointer's position after the last move. */
  #place: Point | undefined;
  /** Where the pointer stayed in spite of moves for as long as it may be frozen: something confines it. */
  #confinedAt: Point | undefined;
  /** The pressed buttons, by the numbers that programs received. */
  readonly #down = new Map<number, number>();
  /** The button numbers as of the last change that the server reported. */
  #map: { buttons: Uint8Array; changes: number } | undefined;

  constructor(readonly connection: Connection, readonly xdo: Xdo) {}

  position(): Promise<Point> {
    return Promise.try(() => this.#placeHere());
  }

  /**
   * Moves with XTEST rather than libxdo's warp: a warp causes no device motion, so programs that listen to
   * devices (games, recorders, deskhand itself) would not see it.
   */
  move({ x, y }: Point): Promise<void> {
    return Promise.try(() => {
      const { libraries: { xtst }, display, screen } = this.connection;
      xtst.XTestFakeMotionEvent(display, screen, x, y, 0n);
      return then(this.connection.pointer(), (place) => this.#moved({ x, y }, place));
    });
  }

  /** Moves in another way if the pointer is not where it should be. */
  #moved(point: Point, place: Point): void | Promise<void> {
    const before = this.#place;
    this.#place = place;
    // XTEST stays on the screen with the pointer, and on the first of several screens that Xinerama joins.
    if (!this.elsewhere(point) && this.connection.isPointerHere) return this.connection.check();
    const { libraries: { x11 }, display, root } = this.connection;
    x11.XWarpPointer(display, 0n, root, 0, 0, 0, 0, point.x, point.y);
    return then(this.#placeHere(), (place) => {
      this.#place = place;
      const isStuck = this.elsewhere(point) && isSame(place, before);
      if (isStuck && !isSame(place, this.#confinedAt)) return this.#thaw(point);
    });
  }

  /** Waits for a frozen pointer to reach a place, whose move the server handles as soon as it can. */
  async #thaw(point: Point): Promise<void> {
    const isThere = async () => {
      this.#place = await this.#placeHere();
      return !this.elsewhere(point);
    };
    const isThawed = await until(isThere, { ms: timeByLoad(FROZEN_MS), every: THAW_MS });
    this.#confinedAt = isThawed ? undefined : this.#place;
  }

  /** The position query of {@linkcode move} takes 60 us, a motion 3 us. */
  moveThrough(points: readonly Point[]): Promise<void> {
    const { libraries: { xtst }, display, screen } = this.connection;
    for (const { x, y } of points.slice(0, -1)) xtst.XTestFakeMotionEvent(display, screen, x, y, 0n);
    return this.move(points.at(-1)!);
  }

  elsewhere(point: Point): Point | undefined {
    const place = this.#place;
    if (!place) return undefined;
    const distance = Math.max(Math.abs(place.x - point.x), Math.abs(place.y - point.y));
    return distance > NEAR ? place : undefined;
  }

  button(button: Button, down: boolean, isFollowed = false): Promise<void> {
    return Promise.try(() => {
      const number = BUTTON_NUMBERS[button];
      if (down) {
        return this.#withPressed(number, `button ${button}`, (pressed) => {
          this.connection.sender("pointer", () => this.xdo.button(pressed, true));
          this.#down.set(number, pressed);
          return isFollowed ? this.connection.check() : this.connection.handled();
        });
      }
      this.xdo.button(this.#down.get(number) ?? number, false);
      this.#down.delete(number);
      return isFollowed ? this.connection.check() : this.connection.handled();
    });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    return Promise.try(() =>
      this.#withPressed(WHEEL_NUMBERS[direction], `wheel's direction ${direction}`, (pressed) => {
        this.connection.sender("pointer", () => {
          for (let i = 0; i < amount; i++) {
            this.xdo.button(pressed, true);
            this.xdo.button(pressed, false);
          }
        });
        return this.connection.handled();
      })
    );
  }

  /**
   * Runs a function with the button to press so that programs receive a given number.
   * @throws StateError if no button produces it, or the pointer is on another screen.
   */
  #withPressed(
    number: number,
    name: string,
    press: (pressed: number) => void | Promise<void>,
  ): void | Promise<void> {
    return then(this.#buttons(), (map) => {
      const at = map.indexOf(number);
      if (at < 0 && map.length >= number) {
        throw new StateError(
          `the ${name} is disabled on this X server (xmodmap -pp shows the button map)`,
        );
      }
      const pressed = at < 0 ? number : at + 1;
      return this.connection.isPointerHere ? press(pressed) : then(this.#placeHere(), () => press(pressed));
    });
  }

  /** The button numbers: the server notifies every client of a change (X11 protocol, SetPointerMapping). */
  #buttons(): Uint8Array | Promise<Uint8Array> {
    this.connection.drainEvents();
    const changes = this.connection.eventCount(EVENT.mappingNotify);
    if (this.#map?.changes === changes) return this.#map.buttons;
    return then(this.connection.buttonNumbers(), (buttons) => (this.#map = { buttons, changes }).buttons);
  }

  /** The pointer's position. @throws StateError if the pointer is on another screen of the server. */
  #placeHere(): Point | Promise<Point> {
    return then(this.connection.pointer(), (place) => this.#checked(place));
  }

  #checked(place: Point): Point {
    if (this.connection.isPointerHere) return place;
    throw new StateError("the pointer is on another screen of the X server; move it first");
  }
}

// libxdo's functions for buttons and keys, which it sends through XTEST to the window that receives input.

/** CURRENTWINDOW (xdo.h): no particular window, so events go through XTEST. */
const CURRENT_WINDOW = 0n;
/** Number of bytes allocated for an xdo_t, whose size is 80. */
export const XDO_SIZE = 128;
/** Offsets in charcodemap_t (xdo.h); also wchar_t key 0, KeySym symbol 8, modmask 20, needs_binding 24. */
export const CHAR_CODE_MAP = { size: 32, code: 4, group: 16 } as const;

/** An `xdo_t` on a connection. */
export class Xdo {
  /**
   * A public structure (xdo.h), of which only the first field, the display, is set. libxdo's own constructor
   * also reads the keyboard map, which deskhand does not need, and crashes if the server dies meanwhile.
   */
  readonly #memory = new Uint8Array(XDO_SIZE);
  readonly #xdo: Deno.PointerObject;

  constructor(readonly connection: Connection) {
    new BigUint64Array(this.#memory.buffer)[0] = Deno.UnsafePointer.value(connection.display);
    this.#xdo = Deno.UnsafePointer.of(this.#memory)!;
  }

  /**
   * Presses or releases a button.
   * @param number As in the X11 protocol, including wheel directions.
   */
  button(number: number, down: boolean): void {
    const { xdo } = this.connection.libraries;
    if (down) xdo.xdo_mouse_down(this.#xdo, CURRENT_WINDOW, number);
    else xdo.xdo_mouse_up(this.#xdo, CURRENT_WINDOW, number);
  }

  /**
   * Presses or releases a key.
   * @param group The key's keyboard group, counted from 0.
   */
  key(keycode: number, down: boolean, group: number): void {
    const keys = new Uint8Array(CHAR_CODE_MAP.size);
    const view = new DataView(keys.buffer);
    view.setUint8(CHAR_CODE_MAP.code, keycode);
    view.setInt32(CHAR_CODE_MAP.group, group, true);
    // libxdo presses the modifiers that an earlier call left in this argument, so each call gets a new one.
    const modifiers = new Int32Array(1);
    const { xdo } = this.connection.libraries;
    xdo.xdo_send_keysequence_window_list_do(
      this.#xdo,
      CURRENT_WINDOW,
      keys,
      1,
      Number(down),
      modifiers,
      0,
    );
  }
}
