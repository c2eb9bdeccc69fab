/** The windows of a KDE desktop. */

import type { WindowChange, WindowInfo, WindowState } from "../../../control/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import type { PlacedWindows } from "../way.ts";
import { type BackgroundConnection, OnDemand } from "../wire/background_connection.ts";
import { scaledRegion } from "../wire/geometry.ts";
import type { Link } from "../wire/link.ts";
import { Outputs } from "../wire/outputs.ts";
import { type PlasmaWindow, PlasmaWindows, stateOf } from "./plasma_windows.ts";
import { PLASMA_WINDOW, WINDOW_STATE } from "./protocol.ts";

/** The flag of a window that may be in a state. */
const ABLE: Record<Exclude<WindowState, "normal">, number> = {
  minimized: WINDOW_STATE.minimizable,
  maximized: WINDOW_STATE.maximizable,
  fullscreen: WINDOW_STATE.fullscreenable,
};
const ALL_STATES = WINDOW_STATE.minimized | WINDOW_STATE.maximized | WINDOW_STATE.fullscreen;

/** Lists and changes windows over a connection that is opened when they are first asked for. */
export class KwinWindows implements PlacedWindows {
  readonly #kwin: OnDemand<{ windows: PlasmaWindows; outputs: Outputs }>;

  /**
   * @param path The path of the compositor's socket.
   * @param link A connection to use in place of a new one.
   */
  constructor(path: string, link?: Link) {
    const make = (background: BackgroundConnection) => ({
      windows: new PlasmaWindows(background),
      outputs: new Outputs(background.connection, background.registry),
    });
    this.#kwin = new OnDemand(path, make, link);
  }

  get scale(): number {
    return this.#kwin.get().outputs.arrangement().scale;
  }

  list(): Promise<WindowInfo[]> {
    return Promise.try(() => {
      const { windows, outputs } = this.#kwin.get(), { scale } = outputs.arrangement();
      return windows.list().map((window) => ({
        id: idOf(window),
        title: window.title,
        class: window.appId,
        ...(window.pid ? { pid: window.pid } : {}),
        state: stateOf(window),
        active: (window.state & WINDOW_STATE.active) !== 0,
        ...scaledRegion(window.region, scale),
      }));
    });
  }

  change(window: WindowInfo, change: WindowChange): Promise<void> {
    return Promise.try(() => this.#change(window, change));
  }

  close(): void {
    this.#kwin.close();
  }

  #change({ id }: WindowInfo, change: WindowChange): void {
    const { windows } = this.#kwin.get(), { connection } = windows.background;
    const window = windows.list().find((one) => idOf(one) === id);
    if (!window) return; // the window is closed by now
    const setState = (flags: number, state: number) =>
      connection.request(window.object, PLASMA_WINDOW.setState, flags, state);
    if (change.to === "placed") {
      throw new StateError("KWin does not let programs place the windows of others");
    } else if (change.to === "closed") connection.request(window.object, PLASMA_WINDOW.close);
    else if (change.to === "active") {
      setState(WINDOW_STATE.minimized, 0);
      setState(WINDOW_STATE.active, WINDOW_STATE.active);
    } else {
      if (change.to !== "normal" && !(window.state & ABLE[change.to])) {
        throw new StateError(`this window cannot be ${change.to}; it stays ${stateOf(window)}`);
      }
      const before = stateOf(window);
      setState(...stepTo(before, change.to));
      // A window that comes back from the task bar has the keyboard, as after a person's click there.
      if (before === "minimized" && change.to !== "minimized") {
        setState(WINDOW_STATE.active, WINDOW_STATE.active);
      }
    }
    connection.roundtrip();
  }
}

/** The bits that differ between two states, and their values. A minimized window that is restored is as before. */
function stepTo(from: WindowState, to: WindowState): [flags: number, state: number] {
  if (to === "minimized") return [WINDOW_STATE.minimized, WINDOW_STATE.minimized];
  if (to === "normal") return from === "minimized" ? [WINDOW_STATE.minimized, 0] : [ALL_STATES, 0];
  return [ALL_STATES, WINDOW_STATE[to]];
}

function idOf({ number }: PlasmaWindow): string {
  return `0x${number.toString(16)}`;
}
