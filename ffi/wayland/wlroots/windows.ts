/** The windows of a compositor with the protocols of wlroots: sway reports their places, others do not. */

import type { WindowChange, WindowInfo } from "../../../control/desktop.ts";
import type { PlacedWindows } from "../way.ts";
import { OnDemand } from "../wire/background_connection.ts";
import { Outputs } from "../wire/outputs.ts";
import { WaylandWindows } from "../wire/windows.ts";
import { SwayIpc } from "./sway_ipc.ts";
import { SwayWindows } from "./sway_windows.ts";

/** Lists and changes windows by sway's own socket if there is one, otherwise by the protocol of toplevels. */
export class WlrootsWindows implements PlacedWindows {
  readonly #toplevels: WaylandWindows;
  /** Facts of the compositor, which are read when windows are first asked for, and after its return. */
  readonly #compositor: OnDemand<{ outputs: Outputs; sway: SwayWindows | undefined }>;
  #ipc: SwayIpc | undefined;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#toplevels = new WaylandWindows(path);
    this.#compositor = new OnDemand(path, ({ connection, registry }) => {
      this.#ipc?.close();
      this.#ipc = SwayIpc.open(connection);
      const outputs = new Outputs(connection, registry), scale = () => outputs.arrangement().scale;
      return { outputs, sway: this.#ipc && new SwayWindows(this.#ipc, scale) };
    });
  }

  get scale(): number {
    return this.#compositor.get().outputs.arrangement().scale;
  }

  list(): Promise<WindowInfo[]> {
    return Promise.try(() => this.#compositor.get().sway?.list() ?? this.#toplevels.list());
  }

  change(window: WindowInfo, change: WindowChange): Promise<void> {
    return Promise.try(() => {
      const { sway } = this.#compositor.get();
      return sway ? sway.change(window, change) : this.#toplevels.change(window, change);
    });
  }

  close(): void {
    this.#ipc?.close();
    this.#compositor.close();
    this.#toplevels.close();
  }
}
