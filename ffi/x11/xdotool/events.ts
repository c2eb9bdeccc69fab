/** Events that chains wait for. */

import { cString, openLibc } from "../../linux/libc.ts";
import { EVENT_SIZE } from "../connection.ts";
import { big, type XdoSession } from "./session.ts";

/** Types of events and masks that select them (X.h). */
const TYPE = { buttonRelease: 5, motion: 6, enter: 7, leave: 8, focusIn: 9, focusOut: 10, create: 16 };
const MASK = {
  "mouse-enter": 1n << 4n,
  "mouse-leave": 1n << 5n,
  "mouse-click": 1n << 3n,
  "focus": 1n << 21n,
  "blur": 1n << 21n,
} as const;
/** PointerMotionMask | SubstructureNotifyMask. */
const MOTION = 1n << 6n | 1n << 19n;
/** Types that are no news when an edge is watched: DestroyNotify to ConfigureNotify, and ClientMessage. */
const QUIET = [17, 18, 19, 20, 21, 22, 33];
/** Offsets in XEvent (Xlib.h): the window; that of XCreateWindowEvent; the root and the place of XMotionEvent. */
const AT = { window: 32, created: 40, root: 40, rootX: 72, rootY: 76 };
/** The time that the pointer has to leave a window before the search for the window below it, in milliseconds. */
const LEAVING_MS = 100;

/** An event of a window. */
export type WindowEvent = keyof typeof MASK;

/** Waits for events of windows, without end. */
export async function watchWindows(
  session: XdoSession,
  windows: readonly number[],
  event: WindowEvent,
  happened: (window: number) => void | Promise<void>,
  unexpected: (type: number) => void,
): Promise<never> {
  const { x11 } = session.libraries, bytes = new Uint8Array(EVENT_SIZE), view = new DataView(bytes.buffer);
  for (const window of windows) x11.XSelectInput(session.display, big(window), MASK[event]);
  for (;;) {
    x11.XNextEvent(session.display, bytes);
    const type = view.getInt32(0, true), window = Number(view.getBigUint64(AT.window, true));
    if (type === TYPE.leave) {
      // The X server also sends these events when the pointer enters a window at an edge of the screen.
      await new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
      if (session.pointer().window === window) continue;
    } else if (![TYPE.enter, TYPE.focusIn, TYPE.focusOut, TYPE.buttonRelease].includes(type)) {
      unexpected(type);
      continue;
    }
    await happened(window);
  }
}

/** A place of the screen that is watched. */
export interface EdgeWatch {
  /** Tells whether a place is at the edge. */
  isAt(x: number, y: number, size: { width: number; height: number }): boolean;
  /** The time that the pointer must stay, in milliseconds. */
  delay: number;
  /** The pause after a run, in milliseconds, during which further events are ignored. */
  quiesce: number;
  happened(): void | Promise<void>;
  /** A wait has ended without an event. */
  timedOut(): void;
  unexpected(type: number): void;
}

/** Waits for the pointer at an edge, without end. */
export async function watchEdge(session: XdoSession, watch: EdgeWatch): Promise<never> {
  const { x11 } = session.libraries, bytes = new Uint8Array(EVENT_SIZE), view = new DataView(bytes.buffer);
  selectMotion(session);
  let isInside = false, due: number | undefined, quietUntil = 0;
  for (;;) {
    const isEvent = waitForEvent(session, due ?? (quietUntil || undefined));
    let isDue = false;
    if (isEvent) {
      x11.XNextEvent(session.display, bytes);
      const type = view.getInt32(0, true);
      if (type === TYPE.create) select(session, Number(view.getBigUint64(AT.created, true)));
      else if (type === TYPE.motion) {
        const size = session.size(Number(view.getBigUint64(AT.root, true)));
        const isAt = watch.isAt(view.getInt32(AT.rootX, true), view.getInt32(AT.rootY, true), size);
        if (isAt && !isInside) {
          if (watch.delay > 0) due = performance.now() + watch.delay;
          else isDue = true;
        }
        if (!isAt) due = undefined;
        isInside = isAt;
      } else if (!QUIET.includes(type)) watch.unexpected(type);
    } else {
      watch.timedOut();
      quietUntil = due === undefined ? 0 : quietUntil;
    }
    if (due !== undefined && performance.now() >= due) [isDue, due] = [true, undefined];
    if (!isDue || performance.now() < quietUntil) continue;
    await watch.happened();
    quietUntil = watch.quiesce > 0 ? performance.now() + watch.quiesce : 0;
  }
}

/** @param until A time of the clock, in milliseconds; for ever if left out. */
function waitForEvent({ libraries: { x11 }, display }: XdoSession, until: number | undefined): boolean {
  if (x11.XPending(display) > 0) return true;
  const pollfd = new Int32Array([x11.XConnectionNumber(display), 1 /* POLLIN */]);
  const ms = until === undefined ? -1 : Math.max(0, Math.ceil(until - performance.now()));
  return openLibc().poll(pollfd, 1n, ms) > 0;
}

/** Asks for the pointer's moves over all windows. */
function selectMotion(session: XdoSession): void {
  const root = session.root(0), { out: { word: [top, parent, list], words, int: [count], ints } } = session;
  const { x11 } = session.libraries, waiting = [root];
  for (let window = waiting.pop(); window !== undefined; window = waiting.pop()) {
    select(session, window);
    if (!x11.XQueryTree(session.display, big(window), top, parent, list, count)) continue;
    const pointer = Deno.UnsafePointer.create(words[2]);
    if (!pointer) continue;
    const bytes = new Deno.UnsafePointerView(pointer).getArrayBuffer(ints[0] * 8);
    waiting.push(...Array.from(new BigUint64Array(bytes), Number));
    x11.XFree(pointer);
  }
}

/** Selects events of a window; errors are ignored, since the window may have vanished. */
function select({ libraries: { x11 }, display }: XdoSession, window: number): void {
  const before = x11.XSetErrorHandler(openLibc().dlsym(null, cString("getpid")));
  x11.XSelectInput(display, big(window), MOTION);
  x11.XSync(display, 0);
  x11.XSetErrorHandler(before);
}
