/** A connection to an X server whose errors and death never end the process. */

import type { InputKind, Point, Region } from "../../control/desktop/desktop.ts";
import { attempt, DesktopUnavailableError } from "../../core/errors.ts";
import { deadline } from "../../core/until.ts";
import { cString } from "../linux/libc.ts";
import { type Libraries, openLibraries } from "./libraries.ts";
import { Patience, type PointerReply } from "./patience.ts";
import { STRUCTURE_NOTIFY } from "./xcb_connection.ts";

const SHUT_RDWR = 2;
const POLLERR = 0x8, POLLHUP = 0x10;
/** Number of event types in the protocol: 7 bits of a byte, whose eighth bit marks sent events. */
const EVENT_TYPES = 128;
/** Offset of the class in Visual (X11/Xlib.h), and the TrueColor class (X11/X.h). */
export const VISUAL_CLASS = { offset: 16, trueColor: 4 } as const;
/** Maximum number of pointer buttons (X11 protocol, GetPointerMapping). */
const MOST_BUTTONS = 255;
/** sizeof(XEvent). */
export const EVENT_SIZE = 192;

/** Maximum time for a server to accept a connection, in milliseconds. */
export const ANSWER_MS = 5000;
/** The error message for a server that exceeds it. */
const notResponding = (name: string) => `the X server of display ${name} is not responding`;
/** Connections being opened: each blocks a thread for as long as the server hangs. */
const opening = new Map<string, Promise<Deno.PointerValue>>();

/** Opens the libraries, and disables Xlib's default error handling, which prints errors and exits. */
function preparedLibraries(): Libraries {
  const libraries = openLibraries(), { x11 } = libraries;
  x11.XInitThreads();
  x11.XSetErrorHandler(nothing(libraries));
  x11.XSetIOErrorHandler(nothing(libraries));
  return libraries;
}

/**
 * A C function without effect that works on every thread; a JavaScript function could run only on the thread
 * that created it.
 */
const nothing = ({ c }: Libraries) => c.dlsym(null, cString("getpid"));

/** Sends presses: `send` must send them before it returns, without waiting. */
export type Sender = (kind: InputKind, send: () => void) => void;

/** An open display, its root window, and the scratch memory that its calls fill. */
export class Connection {
  readonly libraries: Libraries;
  readonly #display: Deno.PointerObject;
  readonly root: bigint;
  readonly screen: number;
  /** Whether pixels are indices into a color table that programs change, as on 8-bit screens. */
  readonly hasPalette: boolean;
  readonly fd: number;
  /** Sends all presses of this connection; replaced where their target windows are looked up. */
  sender: Sender = (_, send) => send();
  readonly #ints = new Int32Array(5);
  readonly #event = new Uint8Array(EVENT_SIZE);
  readonly #eventType = new Int32Array(this.#event.buffer, 0, 1);
  readonly #counts = new Uint32Array(EVENT_TYPES);
  /** Buffers that queries fill, allocated once: numbers in {@linkcode #ints}, and windows. */
  readonly #out = [0, 1, 2, 3, 4].map((i) => this.#ints.subarray(i, i + 1));
  readonly #depth = new Int32Array(1);
  readonly #windows = [new BigUint64Array(1), new BigUint64Array(1)];
  /** The file descriptor and its events for poll(2). */
  readonly #pollfd: Int32Array<ArrayBuffer>;
  #isPointerHere = true;
  /** Waits that do not block other work; undefined if Xlib waits itself. */
  readonly #patience: Patience | undefined;
  #closed = false;
  #lost = false;
  /** Whether the server hangs, so that the connection was cut. */
  #isCut = false;

  private constructor(libraries: Libraries, display: Deno.PointerObject, readonly name: string) {
    const { x11 } = libraries;
    this.libraries = libraries;
    this.#display = display;
    this.screen = x11.XDefaultScreen(display);
    this.root = x11.XDefaultRootWindow(display);
    this.fd = x11.XConnectionNumber(display);
    const visual = new Deno.UnsafePointerView(x11.XDefaultVisual(display, this.screen)!);
    this.hasPalette = visual.getInt32(VISUAL_CLASS.offset) !== VISUAL_CLASS.trueColor;
    this.#pollfd = Int32Array.of(this.fd, 0);
    this.#patience = Patience.of(libraries, display, this.fd, () => !this.#closed && !this.#lost);
    // The server then reports each new size of the root window, which saves a query on every move.
    x11.XSelectInput(display, this.root, BigInt(STRUCTURE_NOTIFY));
  }

  /**
   * Connects to the X server.
   * @param name Such as `:0`.
   * @returns undefined if there is no server, or it refuses this user.
   * @throws NoDesktopError if a library is missing.
   */
  static open(name: string): Connection | undefined {
    const libraries = preparedLibraries();
    return Connection.#over(libraries, libraries.x11.XOpenDisplay(cString(name)), name);
  }

  /**
   * Connects as {@linkcode open} does, but waits without blocking other work.
   * @throws DesktopUnavailableError if the server accepts the connection but does not answer within 5 s.
   */
  static async openAside(name: string): Promise<Connection | undefined> {
    const libraries = preparedLibraries(), { promise: late, reject } = Promise.withResolvers<never>();
    const withdraw = deadline(ANSWER_MS, () => reject(new DesktopUnavailableError(notResponding(name))));
    const display = opening.get(name) ?? libraries.x11.XOpenDisplay_aside(cString(name));
    opening.set(name, display);
    const opened = await Promise.race([display, late]).finally(withdraw);
    opening.delete(name);
    return Connection.#over(libraries, opened, name);
  }

  static #over(libraries: Libraries, display: Deno.PointerValue, name: string): Connection | undefined {
    if (!display) return undefined;
    libraries.x11.XSetIOErrorExitHandler?.(display, nothing(libraries), null);
    return new Connection(libraries, display, name);
  }

  /**
   * The pointer's position, in pixels of the root window. When this returns, the server has handled
   * everything sent before.
   * @throws DesktopUnavailableError if the server is gone.
   */
  queryPointer(): Point {
    const [root, child] = this.#windows;
    const [rootX, rootY, x, y, mask] = this.#out;
    const sameScreen = this.libraries.x11.XQueryPointer(
      this.display,
      this.root,
      root,
      child,
      rootX,
      rootY,
      x,
      y,
      mask,
    );
    // XQueryPointer also returns False when the pointer is on another screen (Xlib manual).
    if (!sameScreen) this.check();
    this.#isPointerHere = sameScreen !== 0;
    return { x: this.#ints[0], y: this.#ints[1] };
  }

  /** The root window's child that contains the pointer; 0 if there is none. */
  childBelowPointer(): bigint {
    this.queryPointer();
    return this.#windows[1][0];
  }

  /** A window's position on the root window, and its size, without its border; undefined if it is gone. */
  placeOf(window: bigint): Region | undefined {
    const [root, child] = this.#windows, [x, y, width, height, border] = this.#out;
    const { display, libraries: { x11 } } = this;
    const isThere = x11.XGetGeometry(display, window, root, x, y, width, height, border, this.#depth) &&
      x11.XTranslateCoordinates(display, window, this.root, 0, 0, x, y, child);
    if (!isThere) {
      this.check();
      return undefined;
    }
    const [left, top, across, down] = this.#ints;
    return { x: left, y: top, width: across, height: down };
  }

  /** The focused window; 0 for none, 1 (PointerRoot) for the one below the pointer. */
  focus(): bigint {
    const [window] = this.#windows;
    this.libraries.x11.XGetInputFocus(this.display, window, this.#out[0]);
    return window[0];
  }

  /** Whether the pointer was on this screen of the server at the last {@linkcode queryPointer}. */
  get isPointerHere(): boolean {
    return this.#isPointerHere;
  }

  /**
   * Waits until the server has handled everything sent before.
   * @throws DesktopUnavailableError if the server is gone.
   */
  sync(): void {
    this.libraries.x11.XSync(this.display, 0);
    this.check();
  }

  /**
   * Waits as {@linkcode sync} does, but blocks other work for at most 20 ms.
   * @throws DesktopUnavailableError if the server is gone or does not answer for 5 s.
   */
  handled(): void | Promise<void> {
    return this.#patience ? this.#checked(() => this.#patience!.handled()) : this.sync();
  }

  /** The pointer's position, as from {@linkcode queryPointer}, with the wait of {@linkcode handled}. */
  pointer(): Point | Promise<Point> {
    if (!this.#patience) return this.queryPointer();
    const found = this.#checked(() => this.#patience!.pointer(this.root));
    return found instanceof Promise ? found.then((found) => this.#seen(found)) : this.#seen(found);
  }

  /**
   * The button numbers that programs receive, by the physical button numbers, from 1: the user may have
   * swapped the buttons for the left hand, or reversed the wheel. A button with the number 0 is disabled.
   */
  queryButtonNumbers(): Uint8Array {
    const map = new Uint8Array(MOST_BUTTONS), { x11 } = this.libraries;
    return map.subarray(0, Math.max(0, x11.XGetPointerMapping(this.display, map, map.length)));
  }

  /** The button numbers of {@linkcode queryButtonNumbers}, with the wait of {@linkcode handled}. */
  buttonNumbers(): Uint8Array | Promise<Uint8Array> {
    return this.#patience ? this.#checked(() => this.#patience!.buttonNumbers()) : this.queryButtonNumbers();
  }

  /** Waits until the server answers, as defined by `Desktop.answering`. */
  answering(): Promise<void> | undefined {
    return this.#patience && this.#checked(() => this.#patience!.answering());
  }

  #seen({ x, y, sameScreen }: PointerReply): Point {
    this.#isPointerHere = sameScreen;
    return { x, y };
  }

  #checked<T>(ask: () => T): T {
    this.check();
    return ask();
  }

  /** Reads the events that have arrived, and counts them by type. */
  drainEvents(): void {
    const { x11 } = this.libraries;
    while (x11.XPending(this.display) > 0) {
      x11.XNextEvent(this.display, this.#event);
      this.#counts[this.#eventType[0]]++;
    }
  }

  /**
   * The number of events of a type that {@linkcode drainEvents} has read, whichever part of the desktop
   * called it. Each part compares the number with the one that it last saw.
   */
  eventCount(type: number): number {
    return this.#counts[type];
  }

  /**
   * The numbers that the server assigned to an extension's requests and first event (XQueryExtension).
   * @param name Such as `XFIXES`.
   * @returns undefined if the server does not have it.
   */
  extension(name: string): { opcode: number; firstEvent: number } | undefined {
    const [opcode, event, error] = this.#out, { x11 } = this.libraries;
    if (!x11.XQueryExtension(this.display, cString(name), opcode, event, error)) return undefined;
    return { opcode: opcode[0], firstEvent: event[0] };
  }

  /** An atom's name; undefined if there is no such atom. */
  atomName(atom: number | bigint): string | undefined {
    const { x11 } = this.libraries, name = x11.XGetAtomName(this.display, BigInt(atom));
    if (!name) return undefined;
    const text = new Deno.UnsafePointerView(name).getCString();
    x11.XFree(name);
    return text;
  }

  /**
   * The `Display *`.
   * @throws DesktopUnavailableError after {@linkcode close}, which frees its memory: a caller may have waited
   * meanwhile.
   */
  get display(): Deno.PointerObject {
    if (this.#closed) throw new DesktopUnavailableError("the X server is gone");
    return this.#display;
  }

  /** Whether calls are allowed; the memory of a closed connection is freed. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Whether {@linkcode check} has found that the server is gone. */
  get isLost(): boolean {
    return this.#lost;
  }

  /**
   * Checks that the server still holds the connection; costs one system call.
   * @throws DesktopUnavailableError if it does not, or if the connection was closed while the caller waited.
   */
  check(): void {
    if (!this.#closed) {
      const pollfd = this.#pollfd;
      pollfd[1] = 0;
      this.libraries.c.poll(pollfd, 1n, 0);
      this.#lost ||= ((pollfd[1] >> 16) & (POLLERR | POLLHUP)) !== 0;
    }
    if (this.#closed || this.#lost) throw new DesktopUnavailableError("the X server is gone");
  }

  /**
   * Cuts a connection whose server does not answer, so that cleanup does not wait for the server: Xlib calls
   * fail from then on.
   */
  cutIfSilent(): void {
    if (this.#closed || this.#lost || !this.#patience) return;
    const answers = attempt(() => this.#patience!.answersAtEnd()); // fails if the server is gone
    if (answers) return;
    this.#isCut = answers === false;
    this.libraries.c.shutdown(this.fd, SHUT_RDWR);
    this.#lost = true;
  }

  /** Closes the connection, whether or not the server is still there. Safe to call twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const { x11 } = this.libraries;
    // XCloseDisplay waits for Xlib's global lock, which a Worker holds while a hung server has not answered
    // it.
    if (this.#isCut) x11.XCloseDisplay_aside(this.#display);
    else x11.XCloseDisplay(this.#display);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
