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
import { WaylandClipboard } from "./clipboard.ts";
import { ConnectedDesktop } from "./connected_desktop.ts";
import { OwnActions } from "./own_actions.ts";
import { watchWayland } from "./watch.ts";
import { WaylandWindows } from "./windows.ts";

/** Between two tries to connect again, in milliseconds. */
const RETRY_MS = 250;

/** Passes each call on to the parts of the present connection, and reports what was done to those who watch. */
export class WaylandDesktop implements Desktop {
  readonly kind = "wayland";
  readonly pointer = {
    position: () => this.#connected().pointer.position(),
    move: (point) => {
      this.#connected().pointer.move(point);
      this.#own.report({ type: "move", x: point.x, y: point.y });
    },
    button: (button, down) => {
      const { pointer } = this.#connected();
      pointer.button(button, down);
      this.#own.report({ type: "button", button, down, ...pointer.lastPlace });
    },
    scroll: (direction, amount) => {
      const { pointer } = this.#connected();
      pointer.scroll(direction, amount);
      this.#own.report({ type: "scroll", direction, amount, ...pointer.lastPlace });
    },
  } satisfies Pointer;
  readonly keyboard = {
    key: (key, down) => {
      this.#connected().keyboard.key(key, down);
      this.#own.report({ type: "key", key, down });
    },
    type: async (text: string, signal?: AbortSignal) => {
      const { keyboard } = this.#connected();
      await keyboard.type(text, signal, (codePoint) => this.#own.reportCharacter(codePoint));
    },
    restore() {},
  } satisfies Keyboard;
  readonly screen = {
    layout: () => this.#connected().screen.layout(),
    capture: async (region, cursor) => await this.#connected().screen.capture(region, cursor),
    picture: async (region, cursor) => await this.#connected().screen.picture(region, cursor),
  } satisfies Screen;
  readonly observer: Observer;
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows: WaylandWindows;
  readonly clipboard: WaylandClipboard;
  readonly #own = new OwnActions();
  #desktop: ConnectedDesktop | undefined;
  #triedAt = -Infinity;

  /**
   * @param path Of the compositor's socket.
   * @param desktop The first connection.
   */
  constructor(readonly path: string, desktop: ConnectedDesktop) {
    this.#desktop = desktop;
    this.windows = new WaylandWindows(path);
    this.clipboard = new WaylandClipboard(path);
    this.observer = {
      watch: (listener) =>
        watchWayland(this.#own, listener, () => this.#connected().pointer.position(), path),
    };
    this.playback = playInWorker(new URL("./playback_worker.ts", import.meta.url), path);
    this.live = liveInWorker(new URL("./live_worker.ts", import.meta.url), path);
  }

  close(): void {
    this.clipboard.close();
    this.windows.close();
    this.#desktop?.close();
    this.#desktop = undefined;
    this.#triedAt = Infinity;
  }

  /** @throws DesktopUnavailableError while there is no compositor. */
  #connected(): ConnectedDesktop {
    if (this.#desktop?.connection.isLost) {
      this.#desktop.close();
      this.#desktop = undefined;
    }
    if (this.#desktop) return this.#desktop;
    const now = performance.now();
    if (now - this.#triedAt >= RETRY_MS) {
      this.#triedAt = now;
      this.#desktop = opened(this.path);
    }
    if (this.#desktop) return this.#desktop;
    throw new DesktopUnavailableError(
      `the Wayland compositor at ${this.path} is gone; waiting for it to be back`,
    );
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
