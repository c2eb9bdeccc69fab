/** The windows of sway, the only compositor of its kind that tells programs where windows are. */

import type { WindowChange, WindowInfo } from "../../../control/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import { PLACED_BY_OTHERS } from "../wire/windows.ts";
import { scaledRegion } from "../wire/geometry.ts";
import type { SwayIpc } from "./sway_ipc.ts";
import { type SwayWindow, swayWindows } from "./sway_tree.ts";

/** Lists and changes windows by sway's own socket. */
export class SwayWindows {
  /**
   * @param ipc Closed by the caller.
   * @param scale Gives the pixels of the desktop a logical pixel.
   */
  constructor(readonly ipc: SwayIpc, readonly scale: () => number) {}

  /** Every window, the front one first. */
  list(): WindowInfo[] {
    const scale = this.scale();
    return swayWindows(this.ipc.tree()).map((window) => ({
      id: idOf(window),
      title: window.title,
      class: window.class,
      ...(window.pid ? { pid: window.pid } : {}),
      state: window.isFullscreen ? "fullscreen" : "normal",
      active: window.isFocused,
      ...scaledRegion(window.region, scale),
    }));
  }

  /** @throws StateError with the reason if the change cannot be made. */
  change({ id, state }: WindowInfo, { to }: WindowChange): void {
    if (to === "placed") throw new StateError(PLACED_BY_OTHERS);
    const command = COMMANDS[to];
    if (!command) throw new StateError(`the compositor does not make this window ${to}; it stays ${state}`);
    const refused = this.ipc.run(`[con_id=${Number(id)}] ${command}`);
    // sway reports a window that is closed by now as no match.
    if (refused !== undefined && !/no matching node/i.test(refused)) throw new StateError(`sway: ${refused}`);
  }
}

/** The command of each change (sway(5)). */
const COMMANDS: Partial<Record<WindowChange["to"], string>> = {
  active: "focus",
  closed: "kill",
  fullscreen: "fullscreen enable",
  normal: "fullscreen disable",
};

function idOf({ id }: SwayWindow): string {
  return `0x${id.toString(16)}`;
}
