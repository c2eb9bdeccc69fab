/** Reports that the window manager made another window active, as it happens. */

import type { ActiveWatch } from "../../control/desktop/desktop.ts";
import { Poller } from "../linux/poller.ts";
import { openLibraries } from "./libraries.ts";
import { PROPERTY_CHANGE } from "./selection_connection.ts";
import { XcbConnection } from "./xcb_connection.ts";

const PROPERTY_NOTIFY = 28;

/** The watches of one display, over a connection of their own that is open while there is one. */
export class ActiveWatches {
  readonly #watches = new Set<X11ActiveWatch>();
  #poller: Poller | undefined;

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /** Begins a watch. @throws DesktopUnavailableError if the server is gone. */
  begin(): ActiveWatch {
    const watch = new X11ActiveWatch(() => this.#end(watch));
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
    const xcb = new XcbConnection(this.display), { _NET_ACTIVE_WINDOW } = xcb.atoms(["_NET_ACTIVE_WINDOW"]);
    xcb.select(xcb.root, PROPERTY_CHANGE);
    xcb.focus(); // a reply: the server reports changes from now on
    const fd = xcb.xcb.xcb_get_file_descriptor(xcb.connection);
    const poller = this.#poller = new Poller(openLibraries().c, () => [fd]);
    const onReady = () => {
      if (xcb.isBroken) poller.stop();
      let isChanged = poller.isStopped;
      for (let event = xcb.event(); event; event = xcb.event()) {
        isChanged ||= event.getUint8(0) === PROPERTY_NOTIFY &&
          event.getUint32(8, true) === _NET_ACTIVE_WINDOW;
      }
      if (isChanged) { for (const watch of this.#watches) watch.report(); }
    };
    onReady();
    void poller.run(onReady).finally(() => xcb.close());
  }
}

class X11ActiveWatch implements ActiveWatch {
  #isChanged = false;
  #report: (() => void) | undefined;

  constructor(readonly end: () => void) {}

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
