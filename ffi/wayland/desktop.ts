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
  Windows,
} from "../../control/desktop.ts";
import { DesktopUnavailableError, ExpectedError, NoDesktopError } from "../../core/errors.ts";
import { AtspiElements } from "../atspi/mod.ts";
import { CaptureWorker } from "../capture/in_worker.ts";
import { liveInWorker } from "../live/in_worker.ts";
import { liveOfFrames } from "../live/of_frames.ts";
import { playInWorker } from "../playback/in_worker.ts";
import { playOnThread } from "../playback/on_thread.ts";
import { Reconnecting } from "../reconnecting.ts";
import type { ConnectedDesktop } from "./connected_desktop.ts";
import { Connection } from "./wire/connection.ts";
import { OwnActions } from "./person/own_actions.ts";
import type { Session } from "./session.ts";
import { watchWayland } from "./person/watch.ts";
import type { Closable, Way } from "./way.ts";
import type { WaySource } from "./ways.ts";

/** Passes each call on to the parts of the present connection, and reports what was done to those who watch. */
export class WaylandDesktop implements Desktop {
  readonly kind = "wayland";
  readonly pointer = {
    position: () => this.#desktop.get().pointer.position(),
    move: (point) =>
      after(
        this.#desktop.get().pointer.move(point),
        () => this.own.report({ type: "move", x: point.x, y: point.y }),
      ),
    button: (button, down) => {
      const { pointer } = this.#desktop.get();
      return after(
        pointer.button(button, down),
        () => this.own.report({ type: "button", button, down, ...pointer.lastPlace }),
      );
    },
    scroll: (direction, amount) => {
      const { pointer } = this.#desktop.get();
      return after(
        pointer.scroll(direction, amount),
        () => this.own.report({ type: "scroll", direction, amount, ...pointer.lastPlace }),
      );
    },
  } satisfies Pointer;
  readonly keyboard = {
    key: (key, down) =>
      after(
        this.#desktop.get().keyboard.key(key, down),
        () => this.own.report({ type: "key", key, down }),
      ),
    type: async (text: string, signal?: AbortSignal) => {
      const { keyboard } = this.#desktop.get();
      await keyboard.type(text, signal, (codePoint) => this.own.reportCharacter(codePoint));
    },
    restore: () => this.#desktop.last?.keyboard.restore(),
  } satisfies Keyboard;
  readonly screen = {
    layout: () => this.#desktop.get().screen.layout(),
    capture: async (region, cursor) => await this.#desktop.get().screen.capture(region, cursor),
    picture: async (region, cursor) => await this.#desktop.get().screen.picture(region, cursor),
  } as Screen;
  readonly observer: Observer;
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows: Windows & Closable | undefined;
  readonly clipboard: Clipboard & Closable | undefined;
  readonly elements = new AtspiElements("window");
  /** Actions that are done over this desktop. */
  readonly own = new OwnActions();
  readonly #captures: CaptureWorker<WaySource>;
  readonly #desktop: Reconnecting<ConnectedDesktop>;

  /**
   * @param source How the same desktop is opened once more.
   * @param way The way that `source` names.
   * @param desktop The first connection.
   */
  constructor(readonly source: WaySource, way: Way, desktop: ConnectedDesktop) {
    const { session } = source, { socket } = session;
    this.#desktop = new Reconnecting(
      desktop,
      () => opened(way, session),
      `the Wayland compositor at ${socket} is gone; waiting for it to be back`,
    );
    this.#captures = new CaptureWorker(new URL("./capture_worker.ts", import.meta.url), source);
    if (way.openCaptures) this.screen.captureInto = this.#captures.captureInto.bind(this.#captures);
    this.windows = way.makeWindows?.(session);
    this.clipboard = way.makeClipboard?.(session);
    this.observer = {
      watch: (listener) =>
        watchWayland(this.own, listener, {
          position: () => this.#desktop.get().pointer.position(),
          sight: () => this.#desktop.get().sight,
        }, socket),
    };
    this.playback = way.replaysInWorker
      ? playInWorker(
        new URL("./playback_worker.ts", import.meta.url),
        source,
        (batch) => this.own.pass(batch),
      )
      : playOnThread(this);
    this.live = way.openScreen
      ? liveInWorker(new URL("./live_worker.ts", import.meta.url), source)
      : liveOfPresent(() => this.#desktop.get().live ?? liveOfFrames(this.screen));
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

  /** @returns undefined also while there is none. */
  #server(): string | undefined {
    try {
      return this.#desktop.get().server;
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

/** Runs something when an action is done: at once if the action gave no promise. */
function after(action: void | Promise<void>, run: () => void): void | Promise<void> {
  return action instanceof Promise ? action.then(run) : run();
}

/** Connects again. Another compositor may have taken the place of the first one. */
function opened(
  way: Way,
  session: Session,
): ConnectedDesktop | undefined | Promise<ConnectedDesktop | undefined> {
  const failed = (error: unknown) => {
    // What is missing matters where a compositor is: the session's bus often ends with it.
    if (error instanceof NoDesktopError && Connection.isTaken(session.socket)) {
      throw new DesktopUnavailableError(error.message);
    }
    if (error instanceof NoDesktopError) return undefined;
    if (error instanceof DesktopUnavailableError) return undefined; // it is just starting, or ends
    throw error;
  };
  try {
    const desktop = way.connect(session);
    return desktop instanceof Promise ? desktop.catch(failed) : desktop;
  } catch (error) {
    return failed(error);
  }
}
