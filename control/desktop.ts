/**
 * A desktop as everything above the operating system sees it. `control/` knows this interface and no backend;
 * the folders of `ffi/` implement it and import from here, never the other way round.
 *
 * All coordinates are whole pixels of the whole desktop (all displays together); they may be negative where a
 * display stands left of or above the primary one. Calls other than {@linkcode Desktop.type} and
 * {@linkcode Desktop.watch} are synchronous and short (about 0.1 ms), and the desktop has taken note of the
 * input when they return. Every one of them throws `DesktopUnavailableError` when the desktop is gone; a backend
 * reconnects by itself on a later call.
 */

/** The pointer buttons, in the names of the API. */
export const BUTTONS = ["left", "middle", "right", "back", "forward"] as const;
/** One of {@linkcode BUTTONS}. */
export type Button = typeof BUTTONS[number];

/** The ways a wheel turns. */
export const DIRECTIONS = ["up", "down", "left", "right"] as const;
/** One of {@linkcode DIRECTIONS}. */
export type Direction = typeof DIRECTIONS[number];

/** A place on the desktop, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** A rectangle of the desktop, in pixels; width and height are at least 1. */
export interface Region extends Point {
  width: number;
  height: number;
}

/** One monitor. */
export interface Display extends Region {
  /** The system's name for it, e.g. `HDMI-1`. */
  name: string;
  /** Whether the system calls it the primary one; exactly one display is. */
  primary: boolean;
}

/** What there is to control. The region covers all displays. */
export interface Screen extends Region {
  displays: Display[];
}

/** A picture of a region. */
export interface Frame {
  width: number;
  height: number;
  /** Bytes from one row to the next; at least `4 * width`, a multiple of 4. */
  stride: number;
  /**
   * Rows from the top down, 4 bytes a pixel: blue, green, red, and one byte that means nothing.
   * The memory belongs to the desktop and is valid until its next call of `capture`, `close` or any `await`:
   * copy what is to be kept, or take a {@linkcode Picture}.
   */
  pixels: Uint8Array<ArrayBuffer>;
}

/** A picture that stays as it is, whatever happens to the desktop, until it is released. */
export interface Picture {
  width: number;
  height: number;
  /**
   * Its parts from the bottom up, all of one moment, each as soon as it is there.
   * @throws DesktopUnavailableError, from the iterator, if the desktop ends before all of it is there.
   */
  parts: Iterable<Frame>;
  /** To be called once, when nobody reads it any more. */
  release(): void;
}

/** One thing that happened to the pointer or keyboard. `key` is a name as in `control/keys.ts`. */
export type InputAction =
  | { type: "move"; x: number; y: number }
  | { type: "button"; button: Button; down: boolean; x: number; y: number }
  | { type: "scroll"; direction: Direction; amount: number; x: number; y: number }
  | { type: "key"; key: string; down: boolean };

/** An action that was seen on the desktop. */
export interface ObservedAction {
  action: InputAction;
  /** When, in ms of the watching thread's `performance.timeOrigin + performance.now()`; never before an earlier one's. */
  at: number;
  /** Whether a program (deskhand itself, another) made it rather than a person's device. */
  injected: boolean;
}

/** What a watcher is told. Called on the thread that asked for the watch, in order, in batches. */
export interface WatchListener {
  actions(batch: ObservedAction[]): void;
  /** Watching ended by itself (the desktop is gone), or events were lost (`gap`, watching goes on). */
  problem(kind: "ended" | "gap", message: string): void;
}

/** A running observation of input, ended by `close`. */
export interface Watch {
  /** Ends the observation; resolves when the last batch was delivered. Safe to call twice. */
  close(): Promise<void>;
}

/** What a desktop that keeps a history was told; text stands as one entry a call. */
export type LoggedAction = InputAction | { type: "text"; text: string };

/** Which backend a desktop is. */
export type DesktopKind = "x11" | "windows" | "virtual";

/** The pointer, keyboard and screen of one desktop. */
export interface Desktop {
  readonly kind: DesktopKind;

  /** Size and displays as they are now. */
  screen(): Screen;

  /** Where the pointer is. */
  position(): Point;

  /**
   * Puts the pointer at a place.
   * @param point A place inside {@linkcode screen}; the caller has checked it.
   */
  move(point: Point): void;

  /** Presses (`down`) or lets go of a button, where the pointer is. */
  button(button: Button, down: boolean): void;

  /**
   * Turns the wheel where the pointer is.
   * @param amount Notches, 1 or more.
   */
  scroll(direction: Direction, amount: number): void;

  /**
   * Presses or lets go of a key. For a character that needs modifiers on this keyboard (`?` needs Shift on
   * many), pressing it presses them too, and letting go lets go of them.
   * @param key A name of `control/keys.ts`, or one character.
   * @throws InputError if this keyboard has no such key.
   */
  key(key: string, down: boolean): void;

  /**
   * Types text as a person would, right with any Unicode and whatever modifiers are held; those are let go
   * meanwhile and are down again afterwards. Yields to the event loop at least every few milliseconds.
   * @param text Line feeds are Enter, tabs are Tab.
   * @param signal Stops after the character under way; the promise then rejects with the signal's reason.
   * @throws InputError before anything is typed, naming the character that cannot be typed.
   */
  type(text: string, signal?: AbortSignal): Promise<void>;

  /**
   * Gives back at once what {@linkcode type} and {@linkcode key} keep for a while of the keyboard, so that a replay on a
   * connection of its own finds it as it was. Left out where they keep nothing.
   */
  settle?(): Promise<void>;

  /**
   * Takes a picture.
   * @param region Inside {@linkcode screen}; the caller has checked it.
   * @param cursor Whether the pointer's picture is drawn in.
   */
  capture(region: Region, cursor: boolean): Frame;

  /**
   * Takes a picture that is kept for a while. Left out where {@linkcode capture} and a copy have to do.
   * @returns undefined where it cannot be had, now or ever.
   */
  picture?(region: Region, cursor: boolean): Picture | undefined;

  /** Observes all input on the desktop, deskhand's own included, without slowing the calling thread. */
  watch(listener: WatchListener): Promise<Watch>;

  /** What it was told, oldest first, where there is no real desktop to look at instead; bounded in number. */
  history?(): readonly LoggedAction[];

  /** Frees everything. Nothing may be called afterwards. Safe to call twice. */
  close(): void;
}

/**
 * Whether a point lies in a region.
 * @returns true on the left and top edge, false on the right and bottom edge, which belong to the next region.
 */
export function contains(region: Region, point: Point): boolean {
  return point.x >= region.x && point.x < region.x + region.width &&
    point.y >= region.y && point.y < region.y + region.height;
}
