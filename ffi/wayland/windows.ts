/** The windows of a Wayland desktop, as far as its compositor lets programs see and change those of others. */

import { StateError, UnsupportedError } from "../../core/errors.ts";
import type { WindowChange, WindowInfo, Windows, WindowState } from "../../control/desktop.ts";
import { BackgroundConnection } from "./background_connection.ts";
import { TOPLEVEL } from "./protocol.ts";
import { stateOf, type Toplevel, TOPLEVELS, Toplevels } from "./toplevels.ts";

/** A compositor that has not changed a window's state after this time does not do it at all, in milliseconds. */
const REFUSED_MS = 1500;

/** Lists and changes windows over a connection of its own, which is opened when they are first asked for. */
export class WaylandWindows implements Windows {
  #background: BackgroundConnection | undefined;
  #toplevels: Toplevels | undefined;

  /** @param path Of the compositor's socket. */
  constructor(readonly path: string) {}

  /** No protocol tells where windows are: their regions are empty. */
  list(): WindowInfo[] {
    return this.#connected().list().map((toplevel) => ({
      id: idOf(toplevel),
      title: toplevel.title,
      class: toplevel.appId,
      state: stateOf(toplevel),
      active: toplevel.states.has("activated"),
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    }));
  }

  async change(window: WindowInfo, change: WindowChange): Promise<void> {
    const toplevels = this.#connected();
    const toplevel = toplevels.list().find((one) => idOf(one) === window.id);
    if (!toplevel) return; // it was closed meanwhile
    const { connection } = this.#background!, { seat } = toplevels;
    const request = (opcode: number, ...args: (number | null)[]) =>
      connection.request(toplevel.object, opcode, ...args);
    switch (change.to) {
      case "placed":
        throw new StateError("Wayland does not let programs place the windows of others");
      case "closed":
        request(TOPLEVEL.close);
        return connection.flush();
      case "active":
        if (stateOf(toplevel) === "minimized") request(TOPLEVEL.unsetMinimized);
        request(TOPLEVEL.activate, seat);
        return connection.flush();
      default:
        for (const [opcode, ...args] of STEPS[change.to](stateOf(toplevel))) request(opcode, ...args);
        return await this.#settled(toplevel, change.to);
    }
  }

  close(): void {
    this.#background?.close();
  }

  /** Waits until a state shows. @throws StateError if the compositor does not make it. */
  async #settled(toplevel: Toplevel, state: WindowState): Promise<void> {
    const { connection } = this.#background!;
    const isRestored = state === "normal" && stateOf(toplevel) === "minimized";
    const isDone = () => isRestored ? stateOf(toplevel) !== "minimized" : stateOf(toplevel) === state;
    try {
      await connection.untilAsync(isDone, "the window's state", REFUSED_MS);
    } catch {
      connection.check();
      throw new StateError(
        `the compositor does not make this window ${state}; it stays ${stateOf(toplevel)}`,
      );
    }
  }

  /** @throws DesktopUnavailableError if the compositor is gone; UnsupportedError if it does not list windows. */
  #connected(): Toplevels {
    if (this.#toplevels && !this.#background!.isBroken) return this.#toplevels;
    this.#background?.close();
    this.#background = BackgroundConnection.open(this.path);
    if (!this.#background.registry.version(TOPLEVELS)) {
      this.#background.close();
      throw new UnsupportedError(
        `this compositor does not list windows for programs (it does not offer ${TOPLEVELS})`,
      );
    }
    return this.#toplevels = new Toplevels(this.#background);
  }
}

/** The requests that lead from a state to another, with their arguments. */
const STEPS: Record<WindowState, (from: WindowState) => [opcode: number, ...args: null[]][]> = {
  normal: (from) => LEAVE[from],
  minimized: () => [[TOPLEVEL.setMinimized]],
  maximized: (from) => [...LEAVE[from], [TOPLEVEL.setMaximized]],
  fullscreen: (from) => [...(from === "minimized" ? LEAVE.minimized : []), [TOPLEVEL.setFullscreen, null]],
};
const LEAVE: Record<WindowState, [opcode: number][]> = {
  normal: [],
  minimized: [[TOPLEVEL.unsetMinimized]],
  maximized: [[TOPLEVEL.unsetMaximized]],
  fullscreen: [[TOPLEVEL.unsetFullscreen]],
};

function idOf({ number }: Toplevel): string {
  return `0x${number.toString(16)}`;
}
