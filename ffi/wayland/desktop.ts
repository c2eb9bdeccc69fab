/** A Wayland desktop that survives its compositor: the next call after the compositor's return connects again. */

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
import { DesktopUnavailableError, ExpectedError, NoDesktopError } from "../../core/errors.ts";
import { AtspiElements } from "../atspi/mod.ts";
import { CaptureWorker } from "../capture/in_worker.ts";
import { Alarm, openLibc } from "../linux/libc.ts";
import { SessionLock } from "../linux/session_lock.ts";
import { liveInWorker } from "../live/in_worker.ts";
import { playInWorker } from "../playback/in_worker.ts";
import { Reconnecting } from "../reconnecting.ts";
import type { Closable, ConnectedDesktop, PlacedWindows, Way } from "./way.ts";
import { Connection } from "./wire/connection.ts";
import { OwnActions } from "../own_actions.ts";
import type { Session } from "./session.ts";
import { watchWayland } from "./person/watch.ts";
import type { WaySource } from "./ways.ts";

const WORKERS = new URL("./workers.ts", import.meta.url);

/** Gives the parts of the present connection, which report actions to watchers. */
export class WaylandDesktop implements Desktop {
  readonly kind = "wayland";
  readonly observer: Observer;
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows: PlacedWindows | undefined;
  readonly clipboard: Clipboard & Closable | undefined;
  readonly elements = new AtspiElements("window", () => this.windows?.scale ?? 1);
  readonly lock: SessionLock;
  readonly waitsMs: number | undefined;
  /** Actions that are done over this desktop. */
  readonly own = new OwnActions();
  readonly #captures: CaptureWorker<WaySource>;
  readonly #desktop: Reconnecting<ReportedDesktop>;

  /**
   * @param source How the same desktop is opened once more.
   * @param way The way that `source` names.
   * @param desktop The first connection.
   */
  constructor(readonly source: WaySource, way: Way, desktop: ConnectedDesktop) {
    const { session } = source, { socket } = session;
    this.lock = new SessionLock(session.buses);
    this.waitsMs = way.waitsMs;
    this.#captures = new CaptureWorker({ url: WORKERS, role: "capture" }, source);
    this.windows = way.makeWindows?.(session, this.elements, desktop.link);
    const withReports = (desktop: ConnectedDesktop) => {
      const { windows } = this;
      if (windows?.serverId) desktop.showWindows?.((window) => windows.serverId!(window));
      if (way.openCaptures) desktop.screen.captureInto = this.#captures.captureInto.bind(this.#captures);
      return new ReportedDesktop(desktop, this.own);
    };
    const openAgain = () => {
      const desktop = opened(way, session);
      return desktop && withReports(desktop);
    };
    this.#desktop = new Reconnecting(
      withReports(desktop),
      openAgain,
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
    return this.#desktop.get().connected.connection.answering?.();
  }

  cutIfSilent(): void {
    this.#desktop.present?.connected.connection.cutIfSilent?.();
    this.#desktop.stay();
  }

  identity(): DesktopIdentity {
    return { address: `wayland ${this.source.session.socket}`, server: this.#server() };
  }

  close(): void {
    this.#captures.close();
    this.clipboard?.close();
    this.elements.close();
    this.windows?.close();
    this.#desktop.close();
  }

  /** @returns undefined also while no connection is open. */
  #server(): string | undefined {
    try {
      return this.#desktop.get().connected.server;
    } catch (error) {
      if (error instanceof ExpectedError) return undefined;
      throw error;
    }
  }
}

/** The live picture of the connection that is there when it starts. */
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

/** Connects again. Another compositor may have taken the place of the first one. */
function opened(way: Way, session: Session): ConnectedDesktop | undefined {
  try {
    return way.reconnect?.(session);
  } catch (error) {
    // Reports a missing part only while the compositor runs: the session's bus often ends with the compositor.
    if (error instanceof NoDesktopError && Connection.isTaken(session.socket)) {
      throw new DesktopUnavailableError(error.message);
    }
    if (error instanceof NoDesktopError) return undefined;
    if (error instanceof DesktopUnavailableError) return undefined; // the compositor is starting or ending
    throw error;
  }
}

/** A connection to a desktop, whose pointer and keyboard report their actions. */
class ReportedDesktop {
  readonly pointer: Pointer;
  readonly keyboard: Keyboard;

  constructor(readonly connected: ConnectedDesktop, own: OwnActions) {
    const { pointer, keyboard } = connected;
    this.pointer = {
      position: () => pointer.position(),
      async move({ x, y }) {
        await pointer.move({ x, y });
        own.report({ type: "move", x, y });
      },
      async button(button, down) {
        await pointer.button(button, down);
        own.report({ type: "button", button, down, ...pointer.lastPlace });
      },
      async scroll(direction, amount) {
        await pointer.scroll(direction, amount);
        own.report({ type: "scroll", direction, amount, ...pointer.lastPlace });
      },
    };
    this.keyboard = {
      async key(key, down) {
        await keyboard.key(key, down);
        own.report({ type: "key", key, down });
      },
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
