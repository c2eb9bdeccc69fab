/** The Wayland desktop of each way of controlling compositors: parts that share one connection and end with it. */

import type { Keyboard, LivePicture, Point, Pointer, Screen } from "../../control/desktop.ts";
import type { Link } from "./wire/link.ts";

/** The pointer of one connection. */
export interface ConnectedPointer extends Pointer {
  /** The last known place of the pointer; the first display's corner if there is none. */
  readonly lastPlace: Point;
}

/** The keyboard of one connection. */
export interface ConnectedKeyboard extends Keyboard {
  /**
   * Types text as {@linkcode Keyboard.type} says.
   * @param typed Called with each character's code point when it has been typed.
   */
  type(text: string, signal?: AbortSignal, typed?: (codePoint: number) => void): Promise<void>;
}

/** Shows where the pointer is, also while a person moves it. */
export interface PointerTracker {
  /**
   * Yields the pointer's place now and whenever it may have changed, in pixels of the desktop; undefined while the
   * pointer is not visible. The streams stay open while it is hidden.
   * @param signal Ends the iteration.
   * @throws DesktopUnavailableError when the desktop no longer shows the pointer.
   */
  places(signal: AbortSignal): AsyncIterable<Point | undefined>;

  /**
   * Lists the places at which the pointer may be seen after a move of deskhand's own, in this order.
   * @param point Where it is moved to.
   */
  expectedPlaces(point: Point): Point[];
}

/** Pointer, keyboard and screen over one connection. */
export interface ConnectedDesktop {
  /**
   * A state that becomes lost when the compositor, or another service that this way needs, ends; the desktop is then
   * opened again.
   */
  readonly connection: { readonly isLost: boolean };
  /**
   * The connection to the compositor, where other parts of the desktop use it too: in a brief process (`Session.brief`),
   * if the compositor takes long for each connection.
   */
  readonly link?: Link;
  /** The compositor (`DesktopIdentity.server`). */
  readonly server?: string;
  readonly pointer: ConnectedPointer;
  readonly keyboard: ConnectedKeyboard;
  readonly screen: Screen;
  /** The tracker of the pointer; left out if the desktop does not report the pointer by itself. */
  readonly pointerTracker?: PointerTracker;
  /**
   * The live picture; left out where a Worker opens the desktop for it (`Way.openScreen`).
   */
  readonly live?: LivePicture;
  /** Frees everything, whether the compositor is still there or not. */
  close(): void;
}
