/** Opens Wayland desktops. */

import { attempt, DesktopUnavailableError, ExpectedError, NoDesktopError, on } from "../../core/errors.ts";
import { compositorGone, Connection } from "./wire/connection.ts";
import {
  type Closable,
  type ConnectedDesktop,
  type PlacedWindows,
  type Probe,
  type Session,
  socketPath,
  unnamedSockets,
  type Way,
} from "./way.ts";
import type { Permission } from "../permission.ts";
import { chooseWay, loadWay, probe, type WayName, type WaySource } from "./ways.ts";
import type {
  Clipboard,
  Desktop,
  DesktopIdentity,
  Keyboard,
  LivePicture,
  Observer,
  Player,
  Pointer,
  Screen,
} from "../../control/desktop/desktop.ts";
import { AtspiElements } from "../atspi/mod.ts";
import { CaptureWorker, liveInWorker, playInWorker } from "../in_worker.ts";
import { Alarm, openLibc } from "../linux/libc.ts";
import { SessionLock } from "../linux/session_lock.ts";
import { Reconnecting } from "../reconnecting.ts";
import { OwnActions } from "../watch.ts";
import { watchWayland } from "./person/watch.ts";

export { revokeAll } from "./ways.ts";

const VIRTUAL = "To try deskhand without a desktop: --desktop virtual";

/**
 * Opens a Wayland compositor's desktop. Some ways of control first ask a person for consent.
 * @param socket The path of the compositor's socket; the environment's if omitted.
 * @param buses Paths of the session bus's sockets; the environment's if omitted.
 * @param way The way of control; if omitted, it is chosen by the compositor's protocols.
 * @throws NoDesktopError saying what is missing and how to get it.
 */
export async function openWayland(
  socket = socketPath(),
  buses?: readonly string[],
  way?: WayName,
): Promise<WaylandDesktop> {
  if (!socket) {
    throw new NoDesktopError(
      "there is no Wayland compositor: WAYLAND_DISPLAY or XDG_RUNTIME_DIR is not set. Start deskhand inside a " +
        `desktop session, or name both (XDG_RUNTIME_DIR=/run/user/1000 WAYLAND_DISPLAY=wayland-1 deskhand …). ${VIRTUAL}`,
    );
  }
  const session: Session = { socket, buses };
  try {
    const desktop = way
      ? await connected(session, way)
      : await probe(session, async (probe) => await connected(session, await chooseWay(probe), probe));
    return desktop ?? cannotOpen(socket);
  } catch (error) {
    throw withWayOut(error);
  }
}

/**
 * Opens the desktop of the compositor named by the environment, over one connection.
 * @param brief As in {@linkcode Session}.
 * @returns The desktop, or the reason why the compositor cannot be controlled, as from {@linkcode refusal}.
 * @throws NoDesktopError if opening fails although nothing was missing.
 */
export async function openUnlessRefused(brief: Session["brief"]): Promise<WaylandDesktop | string> {
  const socket = socketPath();
  if (!socket) return noAnswer(socket);
  const session: Session = { socket, brief };
  let isRefused = true;
  try {
    return await probe(session, async (probe) => {
      const name = await chooseWay(probe), reason = await refusalOf(probe, await loadWay(name));
      if (reason !== undefined) return reason;
      isRefused = false;
      return await connected(session, name, probe) ?? cannotOpen(socket);
    }) ?? noAnswer(socket);
  } catch (error) {
    if (isRefused) return (error as Error).message;
    throw withWayOut(error);
  }
}

/**
 * Opens a desktop a second time, in a Worker.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function openAgain({ session, way: name }: WaySource): Promise<WaylandDesktop> {
  return await connected(session, name) ?? compositorGone(session.socket);
}

/**
 * Returns how to name a running compositor that is not named by the environment.
 * @returns undefined if no compositor answers. Never throws.
 */
export function unnamed(): string | undefined {
  const found = unnamedSockets(),
    name = found?.names.find((name) => Connection.isTaken(`${found.folder}/${name}`));
  if (!found || !name) return undefined;
  const folder = Deno.env.get("XDG_RUNTIME_DIR") ? "" : `XDG_RUNTIME_DIR=${found.folder} `;
  return `a Wayland session runs here (${found.folder}/${name}), and WAYLAND_DISPLAY, which names it, is not set. ` +
    `Type: ${folder}WAYLAND_DISPLAY=${name} deskhand …`;
}

/** Why the compositor named by the environment cannot be controlled; undefined if it can. Never throws. */
export async function refusal(): Promise<string | undefined> {
  const socket = socketPath();
  if (!socket) return noAnswer(socket);
  try {
    const found = await probe({ socket }, async (probe) => ({
      reason: await refusalOf(probe, await loadWay(await chooseWay(probe))),
    }));
    return found ? found.reason : noAnswer(socket);
  } catch (error) {
    return (error as Error).message;
  }
}

const noAnswer = (socket: string | undefined) =>
  `no Wayland compositor answers at ${socket ?? "WAYLAND_DISPLAY"}`;

async function refusalOf(probe: Probe, way: Way): Promise<string | undefined> {
  const missing = await way.missing(probe);
  return missing && `this Wayland compositor ${missing} (see deskhand doctor)`;
}

/**
 * The permission that deskhand still needs in the environment's session.
 * @returns undefined if none is missing.
 */
export async function missingPermission(): Promise<Permission | undefined> {
  const socket = socketPath();
  if (!socket) return undefined;
  const permission = async (probe: Probe) => (await loadWay(await chooseWay(probe))).permission?.(probe);
  return await probe({ socket }, permission).catch(on(ExpectedError)); // opening the desktop reports it
}

async function connected(
  session: Session,
  name: WayName,
  probe?: Probe,
): Promise<WaylandDesktop | undefined> {
  const way = await loadWay(name), desktop = await way.connect(session, probe);
  return desktop && new WaylandDesktop({ session, way: name }, way, desktop);
}

function cannotOpen(socket: string): never {
  throw new NoDesktopError(
    `the Wayland socket ${socket} cannot be opened: no compositor is running there, or this user has no access to it. ${VIRTUAL}`,
  );
}

/** Extends the error for a compositor that has ended with a way to work without one. */
function withWayOut(error: unknown): unknown {
  return error instanceof DesktopUnavailableError
    ? new NoDesktopError(`${error.message}. ${VIRTUAL}`)
    : error;
}

// A Wayland desktop that survives its compositor: after the compositor comes back, the next call reconnects.

const WORKERS = new URL("./workers.ts", import.meta.url);

/** Provides the parts of the current connection, which report actions to watchers. */
export class WaylandDesktop implements Desktop {
  readonly kind = "wayland";
  readonly observer: Observer;
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows: PlacedWindows | undefined;
  readonly clipboard: Clipboard & Closable | undefined;
  readonly elements = new AtspiElements("window", () => this.windows?.scale?.() ?? 1);
  readonly lock: SessionLock;
  readonly waitsMs: number | undefined;
  /** Actions done through this desktop. */
  readonly own = new OwnActions();
  readonly #captures: CaptureWorker<WaySource>;
  readonly #desktop: Reconnecting<ReportedDesktop>;
  /** How often the compositor has been connected. */
  #connections = 0;

  /**
   * @param source How to open the same desktop again.
   * @param way The way named by `source`.
   * @param desktop The first connection.
   */
  constructor(readonly source: WaySource, readonly way: Way, desktop: ConnectedDesktop) {
    const { session } = source, { socket } = session;
    this.lock = new SessionLock(session.buses);
    this.waitsMs = way.waitsMs;
    this.#captures = new CaptureWorker({ url: WORKERS, role: "capture" }, source);
    this.windows = way.makeWindows?.(session, this.elements, desktop.link);
    this.#desktop = new Reconnecting(
      this.#joined(desktop),
      () => this.#openSoon(),
      `the Wayland compositor at ${socket} is gone; waiting for it to return`,
    );
    this.clipboard = way.makeClipboard?.(session);
    this.observer = {
      watch: async (listener) => {
        await this.answering();
        return await watchWayland(this.own, listener, {
          position: () => this.pointer.position(),
          tracker: () => this.#desktop.get().connected.pointerTracker,
        }, socket);
      },
    };
    this.playback = way.playOnThread?.(this) ??
      playInWorker(
        { url: WORKERS, role: "playback" },
        source,
        (batch) => this.own.pass(batch),
      );
    this.live = way.openScreen
      ? liveInWorker({ url: WORKERS, role: "live" }, source, () => new Alarm(openLibc()))
      : liveOfPresent(() => this.#desktop.get().connected.live!);
  }

  get pointer(): Pointer {
    return this.#desktop.get().pointer;
  }

  get keyboard(): Keyboard {
    return this.#desktop.get().keyboard;
  }

  get screen(): Screen {
    return this.#desktop.get().connected.screen;
  }

  answering(): Promise<void> | undefined {
    return this.#desktop.isLost() ? this.#opens() : this.#desktop.get().connected.connection.answering?.();
  }

  cutIfSilent(): boolean {
    this.#desktop.present?.connected.connection.cutIfSilent?.();
    this.#desktop.stay();
    return this.#desktop.present?.connected.connection.isLost !== false;
  }

  identity(): DesktopIdentity {
    const server = this.#server(), sessions = this.#desktop.present?.connected.sessions ?? 0;
    return {
      address: `wayland ${this.source.session.socket}`,
      server,
      connection: this.#connections + sessions,
    };
  }

  close(): void {
    this.#captures.close();
    this.clipboard?.close();
    this.elements.close();
    this.windows?.close();
    this.#desktop.close();
  }

  /** Links a connection's parts with those that outlive it. */
  #joined(desktop: ConnectedDesktop): ReportedDesktop {
    const { windows } = this;
    this.#connections++;
    if (windows?.serverId) desktop.showWindows?.((window) => windows.serverId!(window));
    if (this.way.openCaptures) {
      desktop.screen.captureInto = this.#captures.captureInto.bind(this.#captures);
    }
    return new ReportedDesktop(desktop, this.own);
  }

  /** Reconnects without blocking the thread: a hung compositor accepts the connection and never answers. */
  #opens(): Promise<void> {
    return this.#desktop.again(async () => {
      const desktop = await opened(this.way, this.source.session);
      return desktop && this.#joined(desktop);
    });
  }

  /** Starts to reconnect, for a later call. */
  #openSoon(): undefined {
    this.#opens().catch(() => {}); // the later call throws the error
  }

  /** @returns undefined also while no connection is open. */
  #server(): string | undefined {
    return attempt(() => this.#desktop.get().connected.server, undefined, ExpectedError);
  }
}

/** The live picture of the connection that is current when it starts. */
function liveOfPresent(live: () => LivePicture): LivePicture {
  return {
    start(memory, report) {
      try {
        return live().start(memory, report);
      } catch (error) {
        return { done: Promise.reject(error) };
      }
    },
  };
}

/** Reconnects. Another compositor may have replaced the first one. */
async function opened(way: Way, session: Session): Promise<ConnectedDesktop | undefined> {
  try {
    return await way.connect(session);
  } catch (error) {
    // Reports a missing part only while the compositor is running: the session bus often ends with the
    // compositor.
    if (error instanceof NoDesktopError && Connection.isTaken(session.socket)) {
      throw new DesktopUnavailableError(error.message);
    }
    if (error instanceof NoDesktopError) return undefined;
    if (error instanceof DesktopUnavailableError) return undefined; // the compositor is starting or ending
    throw error;
  }
}

/** A desktop connection whose pointer and keyboard report their actions. */
class ReportedDesktop {
  readonly pointer: Pointer;
  readonly keyboard: Keyboard;

  constructor(readonly connected: ConnectedDesktop, own: OwnActions) {
    const { pointer, keyboard } = connected;
    this.pointer = {
      position: () => pointer.position(),
      move: ({ x, y }) => own.reportOf(() => pointer.move({ x, y }), () => ({ type: "move", x, y })),
      button: (button, down) =>
        own.reportOf(
          () => pointer.button(button, down),
          () => ({ type: "button", button, down, ...pointer.lastPlace }),
        ),
      scroll: (direction, amount) =>
        own.reportOf(
          () => pointer.scroll(direction, amount),
          () => ({ type: "scroll", direction, amount, ...pointer.lastPlace }),
        ),
    };
    this.keyboard = {
      key: (key, down) => own.reportOf(() => keyboard.key(key, down), () => ({ type: "key", key, down })),
      ...(keyboard.tap && {
        tap: (key: string) =>
          own.reportOf(
            () => keyboard.tap!(key),
            () => [true, false].map((down) => ({ type: "key", key, down })),
          ),
      }),
      type: (text, signal) => keyboard.type(text, signal, (codePoint) => own.reportCharacter(codePoint)),
      ready: async (signal) => await keyboard.ready?.(signal),
      restore: () => keyboard.restore(),
    };
  }

  get connection(): ConnectedDesktop["connection"] {
    return this.connected.connection;
  }

  close(): void {
    this.connected.close();
  }
}
