/**
 * The windows that presses go to, looked up while no other program can change them: the server handles the look-up and the
 * press of one connection together, between XGrabServer and XUngrabServer, and no call waits in between.
 */

import { ChangedError } from "../../core/errors.ts";
import {
  type InputKind,
  type Judge,
  type Point,
  type Receiver,
  type Region,
  type Target,
  type Targets,
  UnsentError,
  type WindowInfo,
} from "../../control/desktop/desktop.ts";
import type { Connection, Sender } from "./connection.ts";
import { openXRes } from "./libraries.ts";
import type { X11Windows } from "./windows.ts";

/** Looks before the windows count as changing too fast: a window that is new to deskhand is described between two grabs. */
const LOOKS = 4;
/** Windows that are remembered; servers use the number of a window again only after millions of others. */
const KNOWN_LIMIT = 1000;
/** XGetInputFocus's answer for "the window below the pointer" (X11 protocol, SetInputFocus). */
const POINTER_ROOT = 1n;
/** XResClientIdSpec and XResClientIdValue (X11/extensions/XRes.h), in bytes, and the mask for a local client's process. */
export const CLIENT_ID = { specSize: 16, maskAt: 8, pidMask: 2 } as const;

/** The targets of one display. */
export class X11Targets implements Targets {
  judge?: () => Judge | undefined;
  expected?: Receiver | undefined;
  /** Targets by the child of the root window or the window with the focus; a focus that is a child is its own entry. */
  readonly #known = new Map<bigint, KnownWindow>();

  /** @param connection Gives the connection that sends input. */
  constructor(readonly connection: () => Connection, readonly windows: X11Windows) {}

  /** Makes the sender of a connection's presses. */
  senderOf(connection: Connection): Sender {
    return (kind, send) => {
      const judge = this.judge?.(), expected = kind === "pointer" ? this.expected : undefined;
      if (!judge && expected === undefined) return send();
      this.#sendJudged(connection, kind, ({ target, client }) => {
        if (expected !== undefined && receiverOf(connection, client) !== expected) {
          throw new ChangedError(
            "another window came to the place, or its window moved, just before the press",
          );
        }
        judge?.(target, true);
        if (kind === "pointer") this.expected = undefined; // the second press of a double click may meet what the first one did
      }, send);
    };
  }

  receiver(window: WindowInfo): Receiver | undefined {
    const place = this.windows.ownPart(window);
    return place && receiverText(BigInt(window.id), place);
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

  /** @throws UnsentError if the windows change too fast; what the judge throws. */
  #sendJudged(
    connection: Connection,
    kind: InputKind,
    judge: (found: KnownWindow) => void,
    send: () => void,
  ): void {
    for (let look = 0; look < LOOKS; look++) {
      const window = this.#sendIfKnown(connection, kind, judge, send);
      if (window === undefined) return;
      this.#described(connection, window);
    }
    throw new UnsentError(
      "the windows changed too fast to say which one would get the input; nothing was pressed",
    );
  }

  /** @returns The window if it is not known, and nothing was sent. */
  #sendIfKnown(
    connection: Connection,
    kind: InputKind,
    judge: (found: KnownWindow) => void,
    send: () => void,
  ): bigint | undefined {
    const { libraries: { x11 }, display } = connection;
    x11.XGrabServer(display);
    try {
      const window = inputWindow(connection, kind);
      const found = window ? this.#known.get(window) : DESKTOP;
      if (!found) return window;
      judge(found);
      send();
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

/** A window that receives input, and the program's own window in it. */
interface KnownWindow {
  target: Target;
  client: bigint;
}

/** The root window's place. */
const DESKTOP: KnownWindow = { target: { title: "the desktop", class: "", isDesktop: true }, client: 0n };

/** A program's window as a receiver. Asked on the connection that presses: only its requests pass a grab. */
function receiverOf(connection: Connection, client: bigint): Receiver | undefined {
  const place = client ? connection.placeOf(client) : undefined;
  return place && receiverText(client, place);
}

const receiverText = (client: bigint, { x, y, width, height }: Region): Receiver =>
  `${client} ${x},${y} ${width}x${height}`;

/** The child of the root window below the pointer, or the window with the keyboard; 0 for the root window. */
function inputWindow(connection: Connection, kind: InputKind): bigint {
  const focus = kind === "keyboard" ? connection.focus() : POINTER_ROOT;
  if (focus !== POINTER_ROOT) return focus === connection.root ? 0n : focus;
  return connection.childBelowPointer();
}

/**
 * The process of a window, as the server knows it of clients of this machine: a program writes _NET_WM_PID itself, and in a
 * container writes the container's number.
 * @returns undefined where the server or the library cannot tell.
 */
function clientPid({ display, libraries: { x11 } }: Connection, window: number): number | undefined {
  const xres = openXRes();
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
