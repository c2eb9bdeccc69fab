/** Reports that the window manager made another window active, as it happens. */

import type { ActiveWatch, ActiveWindow, WindowInfo } from "../../control/desktop/desktop.ts";
import { Poller } from "../linux/poller.ts";
import { openLibraries } from "./libraries.ts";
import { PROPERTY_CHANGE } from "./selection_connection.ts";
import { askActive, describeClient, WINDOW_ATOMS, type WindowAtoms } from "./window_rows.ts";
import { XcbConnection } from "./xcb_connection.ts";

const PROPERTY_NOTIFY = 28;

/** The watches of one display, over a connection of their own that is open while there is one. */
export class ActiveWatches {
  readonly #watches = new Set<X11ActiveWatch>();
  #poller: Poller | undefined;

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * Begins a watch.
   * @param instead As `watchActive` takes it.
   * @throws DesktopUnavailableError if the server is gone.
   */
  begin(instead?: (active: ActiveWindow) => WindowInfo | undefined): ActiveWatch {
    const watch = new X11ActiveWatch(() => this.#end(watch), instead);
    if (!this.#poller || this.#poller.isStopped) this.#start();
    this.#watches.add(watch);
    return watch;
  }

  /** Ends all watches. Safe to call twice. */
  close(): void {
    this.#poller?.stop();
  }

  #end(watch: X11ActiveWatch): void {
    this.#watches.delete(watch);
    if (!this.#watches.size) this.#poller?.stop();
  }

  #start(): void {
    const xcb = new XcbConnection(this.display), atoms = xcb.atoms(WINDOW_ATOMS);
    xcb.select(xcb.root, PROPERTY_CHANGE);
    xcb.focus(); // a reply: the server reports changes from now on
    const fd = xcb.xcb.xcb_get_file_descriptor(xcb.connection);
    const poller = this.#poller = new Poller(openLibraries().c, () => [fd]);
    const changedAt = () => {
      let at: number | undefined;
      for (let event = xcb.event(); event; event = xcb.event()) {
        const isActive = event.getUint8(0) === PROPERTY_NOTIFY &&
          event.getUint32(8, true) === atoms._NET_ACTIVE_WINDOW;
        if (isActive) at = event.getUint32(12, true);
      }
      return at;
    };
    const onReady = () => {
      if (xcb.isBroken) poller.stop();
      let isChanged = poller.isStopped;
      // The exchanges read further events, for which the descriptor is not ready again.
      for (let at = changedAt(); at !== undefined && !xcb.isBroken; at = changedAt()) {
        isChanged = true;
        this.#activateInstead(xcb, atoms, at);
      }
      if (isChanged) { for (const watch of this.#watches) watch.report(); }
    };
    onReady();
    void poller.run(onReady).finally(() => xcb.close());
  }

  /**
   * Activates what the watches want instead of the active window. Two exchanges with the server: while a program draws its new
   * window, each takes milliseconds, and a list of all windows ten times as long.
   */
  #activateInstead(xcb: XcbConnection, atoms: WindowAtoms, at: number): void {
    const asking = [...this.#watches].filter(({ instead }) => instead);
    if (!asking.length) return;
    const [window] = xcb.numbers(xcb.askProperty(xcb.root, atoms._NET_ACTIVE_WINDOW));
    if (!window) return;
    const active = { id: `0x${window.toString(16)}`, ...describeClient(xcb, atoms, window), at };
    for (const { instead } of asking) {
      const wanted = instead!(active);
      if (wanted) askActive(xcb, atoms, Number(wanted.id));
    }
  }
}

class X11ActiveWatch implements ActiveWatch {
  #isChanged = false;
  #report: (() => void) | undefined;

  constructor(
    readonly end: () => void,
    readonly instead?: (active: ActiveWindow) => WindowInfo | undefined,
  ) {}

  report(): void {
    this.#isChanged = true;
    this.#report?.();
  }

  async changed(ms: number): Promise<boolean> {
    if (!this.#isChanged) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#report = resolve;
      await promise;
      this.#report = undefined;
      clearTimeout(timer);
    }
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
