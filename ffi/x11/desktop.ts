/** An X11 desktop that survives its X server: the next call after the server's return connects again. */

import type {
  Desktop,
  Keyboard,
  LivePicture,
  Observer,
  Player,
  Pointer,
  Screen,
} from "../../control/desktop.ts";
import { CallWorker } from "../../core/call_worker.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { liveInWorker } from "../live/in_worker.ts";
import { playInWorker } from "../playback/in_worker.ts";
import type { CaptureCall } from "./capture_call.ts";
import { X11Clipboard } from "./clipboard.ts";
import { ConnectedDesktop } from "./connected_desktop.ts";
import { watchX11 } from "./watch.ts";
import { X11Windows } from "./windows.ts";

/** How long the Worker of captures stays without one, in milliseconds. */
const CAPTURES_IDLE_MS = 30_000;
/** Between two tries to connect again, in milliseconds. */
const RETRY_MS = 250;

/** Passes each call on to the parts of the present connection. */
export class ReconnectingDesktop implements Desktop {
  readonly kind = "x11";
  readonly pointer = {
    position: () => this.#connected().pointer.position(),
    move: (point) => this.#connected().pointer.move(point),
    button: (button, down) => this.#connected().pointer.button(button, down),
    scroll: (direction, amount) => this.#connected().pointer.scroll(direction, amount),
  } satisfies Pointer;
  readonly keyboard = {
    key: (key, down) => this.#connected().keyboard.key(key, down),
    type: async (text: string, signal?: AbortSignal) => await this.#connected().keyboard.type(text, signal),
    restore: async () => await this.#desktop?.keyboard.restore(),
  } satisfies Keyboard;
  readonly screen = {
    layout: () => this.#connected().screen.layout(),
    capture: (region, cursor) => this.#connected().screen.capture(region, cursor),
    captureInto: (region, cursor, memory) =>
      this.#captures.call({ display: this.display, region, cursor, memory }),
    picture: (region, cursor) => this.#connected().screen.picture(region, cursor),
  } satisfies Screen;
  readonly observer: Observer = { watch: (listener) => watchX11(this.display, listener) };
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows: X11Windows;
  readonly clipboard: X11Clipboard;
  readonly #captures = new CallWorker<CaptureCall, void>({
    url: new URL("./capture_worker.ts", import.meta.url),
    idleMs: CAPTURES_IDLE_MS,
  });
  #desktop: ConnectedDesktop | undefined;
  #triedAt = -Infinity;

  /**
   * @param display Its name, such as `:0`.
   * @param desktop The first connection.
   */
  constructor(readonly display: string, desktop: ConnectedDesktop) {
    this.#desktop = desktop;
    this.windows = new X11Windows(display, () => this.#connected().connection.display);
    this.clipboard = new X11Clipboard(display);
    this.playback = playInWorker(new URL("./playback_worker.ts", import.meta.url), display);
    this.live = liveInWorker(new URL("./live_worker.ts", import.meta.url), display);
  }

  close(): void {
    this.#captures.close();
    this.clipboard.close();
    this.windows.close();
    this.#desktop?.close();
    this.#desktop = undefined;
    this.#triedAt = Infinity;
  }

  /** @throws DesktopUnavailableError while there is no server. */
  #connected(): ConnectedDesktop {
    if (this.#desktop?.connection.isLost) {
      this.#desktop.close();
      this.#desktop = undefined;
    }
    if (this.#desktop) return this.#desktop;
    const now = performance.now();
    if (now - this.#triedAt >= RETRY_MS) {
      this.#triedAt = now;
      this.#desktop = ConnectedDesktop.open(this.display);
    }
    if (this.#desktop) return this.#desktop;
    throw new DesktopUnavailableError(
      `the X server of display ${this.display} is gone; waiting for it to be back`,
    );
  }
}
