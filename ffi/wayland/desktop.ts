/** A Wayland desktop that survives its compositor: the next call after the compositor's return connects again. */

import type {
  Desktop,
  Keyboard,
  LivePicture,
  Observer,
  Player,
  Pointer,
  Screen,
} from "../../control/desktop.ts";
import { DesktopUnavailableError, NoDesktopError } from "../../core/errors.ts";
import { liveInWorker } from "../live/in_worker.ts";
import { playInWorker } from "../playback/in_worker.ts";
import { Reconnecting } from "../reconnecting.ts";
import { WaylandClipboard } from "./clipboard.ts";
import { ConnectedDesktop } from "./connected_desktop.ts";
import { OwnActions } from "./own_actions.ts";
import { watchWayland } from "./watch.ts";
import { WaylandWindows } from "./windows.ts";

/** Passes each call on to the parts of the present connection, and reports what was done to those who watch. */
export class WaylandDesktop implements Desktop {
  readonly kind = "wayland";
  readonly pointer = {
    position: () => this.#desktop.get().pointer.position(),
    move: (point) => {
      this.#desktop.get().pointer.move(point);
      this.#own.report({ type: "move", x: point.x, y: point.y });
    },
    button: (button, down) => {
      const { pointer } = this.#desktop.get();
      pointer.button(button, down);
      this.#own.report({ type: "button", button, down, ...pointer.lastPlace });
    },
    scroll: (direction, amount) => {
      const { pointer } = this.#desktop.get();
      pointer.scroll(direction, amount);
      this.#own.report({ type: "scroll", direction, amount, ...pointer.lastPlace });
    },
  } satisfies Pointer;
  readonly keyboard = {
    key: (key, down) => {
      this.#desktop.get().keyboard.key(key, down);
      this.#own.report({ type: "key", key, down });
    },
    type: async (text: string, signal?: AbortSignal) => {
      const { keyboard } = this.#desktop.get();
      await keyboard.type(text, signal, (codePoint) => this.#own.reportCharacter(codePoint));
    },
    restore() {},
  } satisfies Keyboard;
  readonly screen = {
    layout: () => this.#desktop.get().screen.layout(),
    capture: async (region, cursor) => await this.#desktop.get().screen.capture(region, cursor),
    picture: async (region, cursor) => await this.#desktop.get().screen.picture(region, cursor),
  } satisfies Screen;
  readonly observer: Observer;
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows: WaylandWindows;
  readonly clipboard: WaylandClipboard;
  readonly #own = new OwnActions();
  readonly #desktop: Reconnecting<ConnectedDesktop>;

  /**
   * @param path Of the compositor's socket.
   * @param desktop The first connection.
   */
  constructor(readonly path: string, desktop: ConnectedDesktop) {
    this.#desktop = new Reconnecting(
      desktop,
      () => opened(path),
      `the Wayland compositor at ${path} is gone; waiting for it to be back`,
    );
    this.windows = new WaylandWindows(path);
    this.clipboard = new WaylandClipboard(path);
    this.observer = {
      watch: (listener) =>
        watchWayland(this.#own, listener, () => this.#desktop.get().pointer.position(), path),
    };
    this.playback = playInWorker(new URL("./playback_worker.ts", import.meta.url), path);
    this.live = liveInWorker(new URL("./live_worker.ts", import.meta.url), path);
  }

  close(): void {
    this.clipboard.close();
    this.windows.close();
    this.#desktop.close();
  }
}

/** Connects again. Another compositor may have taken the place of the first one. */
function opened(path: string): ConnectedDesktop | undefined {
  try {
    return ConnectedDesktop.open(path);
  } catch (error) {
    if (error instanceof NoDesktopError) throw new DesktopUnavailableError(error.message);
    if (error instanceof DesktopUnavailableError) return undefined; // it is just starting, or ends
    throw error;
  }
}
