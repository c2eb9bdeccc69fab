/**
 * The windows that presses go to, looked up while no other program can change them: the server handles the look-up and the
 * press of one connection together, between XGrabServer and XUngrabServer, and no call waits in between.
 */

import {
  type InputKind,
  type Judge,
  type Point,
  type Target,
  type Targets,
  UnsentError,
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
  /** Targets by the child of the root window or the window with the focus; a focus that is a child is its own entry. */
  readonly #known = new Map<bigint, Target>();

  /** @param connection Gives the connection that sends input. */
  constructor(readonly connection: () => Connection, readonly windows: X11Windows) {}

  /** Makes the sender of a connection's presses. */
  senderOf(connection: Connection): Sender {
    return (kind, send) => {
      const judge = this.judge?.();
      if (judge) this.#sendJudged(connection, kind, (target) => judge(target, true), send);
      else send();
    };
  }

  check(kind: InputKind, point?: Point): Promise<void> {
    return Promise.try(() => {
      const judge = this.judge?.();
      if (!judge) return;
      const connection = this.connection();
      if (!point) return this.#sendJudged(connection, kind, (target) => judge(target, false), () => {});
      const child = this.windows.childAt(point);
      judge(child ? this.#described(connection, BigInt(child)) : DESKTOP, false);
    });
  }

  /** @throws UnsentError if the windows change too fast; what the judge throws. */
  #sendJudged(
    connection: Connection,
    kind: InputKind,
    judge: (target: Target) => void,
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
    judge: (target: Target) => void,
    send: () => void,
  ): bigint | undefined {
    const { libraries: { x11 }, display } = connection;
    x11.XGrabServer(display);
    try {
      const window = receiverOf(connection, kind);
      const target = window ? this.#known.get(window) : DESKTOP;
      if (!target) return window;
      judge(target);
      send();
    } finally {
      x11.XUngrabServer(display);
      x11.XFlush(display);
      connection.check();
    }
  }

  #described(connection: Connection, window: bigint): Target {
    const known = this.#known.get(window);
    if (known) return known;
    if (this.#known.size >= KNOWN_LIMIT) this.#known.clear();
    const { window: client, ...described } = this.windows.describe(Number(window));
    const pid = clientPid(connection, client) ?? described.pid;
    const target = { ...described, ...(pid ? { pid } : {}) };
    this.#known.set(window, target);
    return target;
  }
}

/** The root window's place. */
const DESKTOP: Target = { title: "the desktop", class: "", isDesktop: true };

/** The child of the root window below the pointer, or the window with the keyboard; 0 for the root window. */
function receiverOf(connection: Connection, kind: InputKind): bigint {
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
