/**
 * The windows that presses go to, looked up while no other program can change them: the server handles the
 * look-up and the press of one connection together, between XGrabServer and XUngrabServer, with no waiting
 * call in between.
 */

import { ChangedError } from "../../core/errors.ts";
import {
  contains,
  type InputKind,
  type Judge,
  type Point,
  type Popup,
  type Receiver,
  type Region,
  type Target,
  type Targets,
  UnsentError,
  type WindowInfo,
} from "../../control/desktop/desktop.ts";
import type { Connection, Sender } from "./connection.ts";
import { openOptional } from "./libraries.ts";
import type { X11Windows } from "./windows.ts";

/**
 * Maximum number of look-ups before the windows count as changing too fast: an unknown window is described
 * between two grabs.
 */
const LOOKS = 4;
/** Maximum number of cached windows; servers reuse a window's number only after millions of others. */
const KNOWN_LIMIT = 1000;
/** XGetInputFocus's answer for "the window below the pointer" (X11 protocol, SetInputFocus). */
const POINTER_ROOT = 1n;
/**
 * Sizes in bytes of XResClientIdSpec and XResClientIdValue (X11/extensions/XRes.h), and the mask for a local
 * client's process.
 */
export const CLIENT_ID = { specSize: 16, maskAt: 8, pidMask: 2 } as const;

/** The press targets of one display. */
export class X11Targets implements Targets {
  judge?: () => Judge | undefined;
  expected?: readonly Receiver[] | undefined;
  /** Targets by the root window's child or the focused window; a focused child has its own entry. */
  readonly #known = new Map<bigint, KnownWindow>();

  /** @param connection Returns the connection that sends input. */
  constructor(readonly connection: () => Connection, readonly windows: X11Windows) {}

  /** Creates the sender of a connection's presses. */
  senderOf(connection: Connection): Sender {
    return (kind, send) => {
      const judge = this.judge?.(), expected = kind === "pointer" ? this.expected : undefined;
      if (!judge && !expected) return send();
      const isPast = kind === "pointer" && this.isPastManager;
      this.#sendJudged(connection, kind, ({ target, client }) => {
        const receiver = expected && receiverOf(connection, client);
        if (expected && (!receiver || !expected.includes(receiver))) {
          throw new ChangedError(
            "the window moved or was covered by another one just before the press",
          );
        }
        judge?.(target, true);
        if (kind === "pointer") this.expected = undefined; // for a double click whose first press opened it
      }, ({ client }) => isPast ? sendPastManager(connection, client, send) : send());
    };
  }

  receiver(window: WindowInfo): Receiver | undefined {
    const place = this.windows.ownPart(window);
    return place && receiverText(BigInt(window.id), place);
  }

  popups(): Promise<Popup[]> {
    return Promise.try(() =>
      this.windows.popups().map(({ window, ...place }) => ({
        ...place,
        receiver: receiverText(BigInt(window), place),
      }))
    );
  }

  menuAt(point: Point): Promise<"there" | "elsewhere" | undefined> {
    return Promise.try(() => {
      const popups = this.windows.popups();
      if (!popups.length || !isGrabbed(this.connection())) return undefined;
      const child = this.windows.childAt(point);
      return popups.some(({ window }) => window === child) ? "there" : "elsewhere";
    });
  }

  get isPastManager(): boolean {
    return this.windows.isManaged;
  }

  activate(window: WindowInfo): Promise<void> {
    return this.windows.change(window, { to: "active" });
  }

  check(kind: InputKind, point?: Point): Promise<void> {
    return Promise.try(() => {
      const judge = this.judge?.();
      if (!judge) return;
      const connection = this.connection();
      if (!point) return this.#sendJudged(connection, kind, ({ target }) => judge(target, false), () => {});
      const child = this.windows.childAt(point);
      judge(child ? this.#described(connection, BigInt(child)).target : DESKTOP.target, false);
    });
  }

  /** @throws UnsentError if the windows change too fast; whatever the judge throws. */
  #sendJudged(
    connection: Connection,
    kind: InputKind,
    judge: (found: KnownWindow) => void,
    send: (found: KnownWindow) => void,
  ): void {
    for (let look = 0; look < LOOKS; look++) {
      const window = this.#sendIfKnown(connection, kind, judge, send);
      if (window === undefined) return;
      this.#described(connection, window);
    }
    throw new UnsentError(
      "the windows changed too fast to determine which one would receive the input; nothing was pressed",
    );
  }

  /** @returns The window if it is unknown, in which case nothing was sent. */
  #sendIfKnown(
    connection: Connection,
    kind: InputKind,
    judge: (found: KnownWindow) => void,
    send: (found: KnownWindow) => void,
  ): bigint | undefined {
    const { libraries: { x11 }, display } = connection;
    x11.XGrabServer(display);
    try {
      const window = inputWindow(connection, kind);
      const found = window ? this.#known.get(window) : DESKTOP;
      if (!found) return window;
      judge(found);
      send(found);
    } finally {
      x11.XUngrabServer(display);
      x11.XFlush(display);
      connection.check();
    }
  }

  #described(connection: Connection, window: bigint): KnownWindow {
    const known = this.#known.get(window);
    if (known) return known;
    if (this.#known.size >= KNOWN_LIMIT) this.#known.clear();
    const { window: client, ...described } = this.windows.describe(Number(window));
    const pid = clientPid(connection, client) ?? described.pid;
    const target = { ...described, ...(pid ? { pid } : {}) };
    const found = { target, client: BigInt(client) };
    this.#known.set(window, found);
    return found;
  }
}

/** A window that receives input, and the program's own window within it. */
interface KnownWindow {
  target: Target;
  client: bigint;
}

/** The root window's entry. */
const DESKTOP: KnownWindow = { target: { title: "the desktop", class: "", isDesktop: true }, client: 0n };

/**
 * X.h: the pointer is grabbed so that it freezes at the next press, which is then replayed without the grab.
 */
const GRAB = { sync: 0, async: 1, success: 0, pressMask: 4, untilPress: 1, replay: 2 } as const;

/** Whether another program has grabbed the pointer. */
function isGrabbed({ libraries: { x11 }, display, root }: Connection): boolean {
  const { async, success } = GRAB, answer = x11.XGrabPointer(display, root, 1, 0, async, async, 0n, 0n, 0n);
  if (answer !== success) return true;
  x11.XUngrabPointer(display, 0n);
  return false;
}

/**
 * Sends a press directly to a program's window, bypassing the window manager. A manager grabs the presses on
 * its windows. When it has handled one, the server looks up the window again: by then the window may have
 * moved, and another one receives the press. deskhand therefore grabs the pointer for the window and replays
 * the press from there, for which the server skips the manager's grabs (X11 protocol, AllowEvents,
 * ReplayPointer).
 * @param client The program's window that must receive the press. On its frame, the press belongs to the
 * manager.
 */
function sendPastManager(connection: Connection, client: bigint, send: () => void): void {
  const { libraries: { x11 }, display } = connection;
  const place = connection.placeOf(client), pointer = connection.queryPointer();
  if (!place || !contains(place, pointer)) return send();
  const { sync, async, pressMask } = GRAB;
  // Refused while a program has grabbed the pointer, for example for a menu: the manager then receives
  // nothing.
  if (x11.XGrabPointer(display, client, 0, pressMask, sync, async, 0n, 0n, 0n) !== GRAB.success) {
    return send();
  }
  try {
    x11.XAllowEvents(display, GRAB.untilPress, 0n);
    send();
    x11.XAllowEvents(display, GRAB.replay, 0n);
  } finally {
    x11.XUngrabPointer(display, 0n); // does not affect what follows the replay
  }
}

/**
 * A program's window as a receiver. Queried on the connection that presses: only its requests pass a grab.
 */
function receiverOf(connection: Connection, client: bigint): Receiver | undefined {
  const place = client ? connection.placeOf(client) : undefined;
  return place && receiverText(client, place);
}

const receiverText = (client: bigint, { x, y, width, height }: Region): Receiver =>
  `${client} ${x},${y} ${width}x${height}`;

/** The root window's child below the pointer, or the focused window; 0 for the root window. */
function inputWindow(connection: Connection, kind: InputKind): bigint {
  const focus = kind === "keyboard" ? connection.focus() : POINTER_ROOT;
  if (focus !== POINTER_ROOT) return focus === connection.root ? 0n : focus;
  return connection.childBelowPointer();
}

/**
 * A window's process, as the server knows it for clients on this machine: a program writes _NET_WM_PID
 * itself, and in a container writes the container's number.
 * @returns undefined if the server or the library does not support this.
 */
function clientPid({ display, libraries: { x11 } }: Connection, window: number): number | undefined {
  const xres = openOptional("xres");
  if (!xres) return undefined;
  const spec = new DataView(new ArrayBuffer(CLIENT_ID.specSize));
  spec.setBigUint64(0, BigInt(window), true);
  spec.setUint32(CLIENT_ID.maskAt, CLIENT_ID.pidMask, true);
  const count = new BigInt64Array(1), values = new BigUint64Array(1);
  if (xres.XResQueryClientIds(display, 1n, new Uint8Array(spec.buffer), count, values) !== 0) {
    return undefined;
  }
  const ids = Deno.UnsafePointer.create(values[0]);
  if (!ids) return undefined;
  try {
    const pid = count[0] > 0n ? xres.XResGetClientPid(ids) : 0;
    return pid > 0 ? pid : undefined;
  } finally {
    xres.XResClientIdsDestroy(count[0], ids);
    x11.XFlush(display);
  }
}
