/**
 * An X11 desktop that survives its X server: after the server comes back, the next call reconnects. The thread
 * that serves requests never opens a connection itself, since Xlib would wait indefinitely for a hung server.
 */

import type {
  Desktop,
  DesktopIdentity,
  Keyboard,
  LivePicture,
  Observer,
  Player,
  Pointer,
  Screen,
  Watch,
  WatchListener,
} from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError, NoDesktopError } from "../../core/errors.ts";
import { deadline, IdleTimer } from "../../core/until.ts";
import { runWorker } from "../../core/worker.ts";
import { AtspiElements } from "../atspi/mod.ts";
import { CaptureWorker, liveInWorker, playInWorker } from "../in_worker.ts";
import { Alarm } from "../linux/libc.ts";
import { SessionLock } from "../linux/session_lock.ts";
import { closedOnFailure, Reconnecting } from "../reconnecting.ts";
import { watchInWorker } from "../watch.ts";
import { X11Clipboard } from "./clipboard.ts";
import { Connection } from "./connection.ts";
import { X11Keyboard } from "./keyboard.ts";
import { openLibraries } from "./libraries.ts";
import { X11Pointer, Xdo } from "./pointer.ts";
import { X11Screen } from "./screen.ts";
import { X11Targets } from "./targets.ts";
import { X11Windows } from "./windows.ts";

// The parts of a desktop that share one connection, and end with it when the server ends.

/** The pointer, keyboard and screen of one connection to an X server. */
export class ConnectedDesktop {
  readonly pointer: X11Pointer;
  readonly keyboard: X11Keyboard;
  readonly screen: X11Screen;

  private constructor(readonly connection: Connection) {
    const { libraries: { xtst }, display } = connection;
    const [event, error, major, minor] = [0, 0, 0, 0].map(() => new Int32Array(1));
    if (!xtst.XTestQueryExtension(display, event, error, major, minor)) {
      throw new NoDesktopError(
        "the X server lacks the XTEST extension, which deskhand needs to send input; start it with XTEST",
      );
    }
    // The user's input is also handled while the server is grabbed, for example by a window manager during a
    // window drag.
    xtst.XTestGrabControl(display, 1);
    const xdo = new Xdo(connection);
    this.pointer = new X11Pointer(connection, xdo);
    this.keyboard = new X11Keyboard(connection, xdo);
    this.screen = new X11Screen(connection);
    this.screen.layout(); // read while the server answers: later, no wait is needed
  }

  /**
   * Connects to an X server.
   * @param display The name of the display, such as `:0`.
   * @returns undefined if there is no server, or it refuses this user.
   * @throws NoDesktopError if a library or an extension of the server is missing.
   */
  static open(display: string): ConnectedDesktop | undefined {
    return ConnectedDesktop.over(Connection.open(display));
  }

  /** Creates the parts of a connection. @throws NoDesktopError if an extension of the server is missing. */
  static over(connection: Connection | undefined): ConnectedDesktop | undefined {
    return connection && closedOnFailure(connection, () => new ConnectedDesktop(connection));
  }

  /** Frees everything, whether or not the server is still there. */
  close(): void {
    this.connection.cutIfSilent();
    this.keyboard.close();
    this.screen.close();
    this.connection.close();
  }
}

const WORKERS = new URL("./workers.ts", import.meta.url);
/**
 * Time from the first use until the watchdog starts where it is not awaited, since single commands need none, and
 * time without use after which it ends, in milliseconds: a Worker takes 17 MB.
 */
const WATCHDOG_MS = { start: 100, rest: 30_000 } as const;
const IS_FIRST_THREAD = !("DedicatedWorkerGlobalScope" in globalThis);

/** Provides the parts of the current connection. */
class ReconnectingDesktop implements Desktop {
  readonly kind = "x11";
  readonly observer: Observer = {
    watch: async (listener) => {
      await this.answering();
      return await watchX11(this.display, listener);
    },
  };
  readonly playback: Player;
  readonly live: LivePicture;
  readonly #windows: X11Windows;
  readonly #targets: X11Targets;
  readonly clipboard: X11Clipboard;
  readonly elements = new AtspiElements("screen", undefined, (address) => {
    this.#windows.announceAccessibility(address);
  });
  readonly lock = new SessionLock();
  readonly #captures: CaptureWorker<string>;
  readonly #desktop: Reconnecting<ConnectedDesktop>;
  /** Ends this thread's watchdog, or the deadline that starts it; undefined while there is neither. */
  #endWatchdog: (() => void) | undefined;
  /** Resolves once the watchdog that is starting watches; undefined while none is starting. */
  #starting: Promise<void> | undefined;
  readonly #idle = new IdleTimer(WATCHDOG_MS.rest, () => this.#unwatched());

  /**
   * @param display The name of the display, such as `:0`.
   * @param desktop The first connection.
   * @param isServing Whether actions wait for the watchdog.
   */
  constructor(readonly display: string, desktop: ConnectedDesktop, readonly isServing: boolean) {
    this.#captures = new CaptureWorker({ url: WORKERS, role: "capture" }, display);
    this.#windows = new X11Windows(display, () => this.#used().connection.display);
    this.#targets = new X11Targets(() => this.#used().connection, this.#windows);
    this.#desktop = new Reconnecting(
      this.#joined(desktop),
      () => IS_FIRST_THREAD ? this.#openSoon() : this.#joined(ConnectedDesktop.open(display)),
      `the X server of display ${display} is gone; waiting for it to return`,
    );
    this.clipboard = new X11Clipboard(display, undefined, () => this.answering());
    this.playback = playInWorker({ url: WORKERS, role: "playback" }, display);
    this.live = liveInWorker({ url: WORKERS, role: "live" }, display, () => new Alarm(openLibraries().c));
  }

  /** The current connection. @throws DesktopUnavailableError if the server is gone. */
  #used(): ConnectedDesktop {
    this.#watchOver();
    return this.#desktop.get();
  }

  /** Starts the watchdog for the serving thread, the process's first, while it uses the desktop. */
  #watchOver(): void {
    if (!IS_FIRST_THREAD) return;
    if (!this.#endWatchdog) this.#endWatchdog = deadline(WATCHDOG_MS.start, () => this.#startWatchdog());
    else if (this.#idle.isRunning) this.#idle.touch();
  }

  #startWatchdog(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { done, stop } = runWorker<number, void, void>(
      { url: WORKERS, role: "watchdog" },
      Deno.pid,
      resolve,
    );
    done.then(resolve, resolve); // it fails on a system without /proc
    this.#endWatchdog = stop;
    const starting = promise.finally(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
    this.#starting = starting;
    this.#idle.touch();
  }

  /** Starts the watchdog now; undefined if it already watches. */
  #watched(): Promise<void> | undefined {
    if (!IS_FIRST_THREAD) return undefined;
    if (this.#idle.isRunning) {
      this.#idle.touch();
    } else {
      this.#endWatchdog?.(); // its deadline
      this.#startWatchdog();
    }
    return this.#starting;
  }

  #unwatched(): void {
    this.#idle.cancel();
    this.#endWatchdog?.();
    this.#endWatchdog = undefined;
  }

  get pointer(): Pointer {
    return this.#used().pointer;
  }

  get keyboard(): Keyboard {
    return this.#used().keyboard;
  }

  get screen(): Screen {
    return this.#used().screen;
  }

  get windows(): X11Windows {
    this.#watchOver();
    return this.#windows;
  }

  get targets(): X11Targets {
    this.#watchOver();
    return this.#targets;
  }

  answering(endsAlone?: boolean): Promise<void> | undefined {
    let starting: Promise<void> | undefined;
    if (!endsAlone) starting = this.isServing ? this.#watched() : this.#starting;
    if (starting) return starting.then(() => this.answering());
    return this.#desktop.isLost() ? this.#opens() : this.#used().connection.answering();
  }

  cutIfSilent(): boolean {
    this.#desktop.present?.connection.cutIfSilent();
    this.#desktop.stay();
    return this.#desktop.present?.connection.isLost !== false;
  }

  /** Reconnects without blocking the thread: a hung server accepts the connection and never answers. */
  #opens(): Promise<void> {
    return this.#desktop.again(async () =>
      this.#joined(ConnectedDesktop.over(await Connection.openAside(this.display)))
    );
  }

  /** Starts to reconnect, for a later call. */
  #openSoon(): undefined {
    this.#opens().catch(() => {}); // the later call throws the error
  }

  /** The screens of a display share its keys and buttons (X(7), display names). */
  identity(): DesktopIdentity {
    return { address: `x11 ${this.display.replace(/\.\d+$/, "")}` };
  }

  close(): void {
    this.#unwatched();
    this.#captures.close();
    this.clipboard.close();
    this.elements.close();
    this.#windows.close();
    this.#desktop.close();
  }

  /** Links a connection's parts with those that outlive it. */
  #joined<T extends ConnectedDesktop | undefined>(desktop: T): T {
    if (!desktop) return desktop;
    desktop.screen.captureInto = this.#captures.captureInto.bind(this.#captures);
    desktop.screen.handled = (window, ms) => this.#windows.hasHandled(window, ms);
    desktop.connection.sender = this.#targets.senderOf(desktop.connection);
    desktop.keyboard.watched = () => this.#watched();
    return desktop;
  }
}

/**
 * Watches all input of a display until closed.
 * @param display The name of the display, such as `:0`.
 * @returns When every further action reaches the listener.
 * @throws DesktopUnavailableError if it cannot be watched.
 */
function watchX11(display: string, listener: WatchListener): Promise<Watch> {
  return watchInWorker(new URL("./watch_worker.ts", import.meta.url), display, listener);
}

const VIRTUAL = "To try deskhand without a desktop: --desktop virtual";

/**
 * Opens the desktop of an X server.
 * @param display Such as `:0`; `$DISPLAY` if omitted.
 * @throws NoDesktopError saying what is missing and how to get it.
 */
export function openX11(display?: string): ReconnectingDesktop {
  const name = ownDisplay(display);
  return desktopOver(name, Connection.open(name), false);
}

/**
 * Opens the desktop of `$DISPLAY`; waits for its server without blocking.
 * @param isServing As in `DesktopOptions`.
 * @throws NoDesktopError as {@linkcode openX11}.
 */
export async function openOwnX11(isServing = false): Promise<ReconnectingDesktop> {
  const name = ownDisplay();
  const connection = await Connection.openAside(name).catch((error) => {
    throw error instanceof DesktopUnavailableError ? new NoDesktopError(error.message) : error;
  });
  return desktopOver(name, connection, isServing);
}

function ownDisplay(display = Deno.env.get("DISPLAY")): string {
  if (display) return display;
  throw new NoDesktopError(
    `there is no X11 display: DISPLAY is not set${waylandHint()}. Start deskhand inside a desktop session, ` +
      `or name its display (DISPLAY=:0 deskhand …). ${VIRTUAL}`,
  );
}

function desktopOver(
  display: string,
  connection: Connection | undefined,
  isServing: boolean,
): ReconnectingDesktop {
  const desktop = ConnectedDesktop.over(connection);
  if (desktop) return new ReconnectingDesktop(display, desktop, isServing);
  throw new NoDesktopError(
    `the X11 display ${display} cannot be opened: no X server is running there, or it does not allow this user to connect ` +
      `(see XAUTHORITY, xhost). ${VIRTUAL}`,
  );
}

function waylandHint(): string {
  return Deno.env.get("WAYLAND_DISPLAY") ? " (this is a Wayland session without XWayland)" : "";
}
