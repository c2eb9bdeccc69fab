/**
 * Windows on GNOME, which GNOME lists only for its own extensions. The accessibility bus lists the windows of
 * programs with their sizes; the place of a window is known only if it fills its display.
 */

import type { Region, WindowInfo } from "../../../control/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import type { AtspiElements } from "../../atspi/mod.ts";
import type { PlacedWindows } from "../way.ts";
import { OnDemand } from "../wire/background_connection.ts";
import { scaledRegion } from "../wire/geometry.ts";
import { Outputs } from "../wire/outputs.ts";
import { filledRegion } from "./filled_display.ts";

/** The support for windows, as `doctor` says it. */
export const KNOWN_WINDOWS =
  "GNOME tells no program of other programs' windows: deskhand lists those that are on the accessibility bus, knows " +
  "where the active one is if it fills its display, and changes none";
const NO_CHANGES = "GNOME lets no program change other programs' windows";

/** Lists the windows that programs show on the accessibility bus. */
export class GnomeWindows implements PlacedWindows {
  readonly isPartial = true;
  readonly #outputs: OnDemand<Outputs>;
  /** Ids of windows, the most recently active first. */
  #order: string[] = [];

  /** @param path The path of the compositor's socket. */
  constructor(path: string, readonly elements: Pick<AtspiElements, "listWindows">) {
    this.#outputs = new OnDemand(path, ({ connection, registry }) => new Outputs(connection, registry));
  }

  get scale(): number {
    return this.#outputs.get().arrangement().scale;
  }

  /** @throws UnsupportedError if the session has no accessibility. */
  async list(): Promise<WindowInfo[]> {
    const found = await this.elements.listWindows(), { outputs, scale } = this.#outputs.get().arrangement();
    const displays = outputs.map(({ output }) => output.logical);
    const windows = found.map(({ id, title, class: name, pid, isActive, place }): WindowInfo => {
      // Another window may cover an inactive one, and GNOME does not report that.
      const filled = isActive && place ? filledRegion(place, displays) : undefined;
      return {
        id,
        title,
        class: name,
        ...(pid ? { pid } : {}),
        state: filled?.state ?? "normal",
        active: isActive,
        ...(filled ? scaledRegion(filled.region, scale) : NOWHERE),
      };
    });
    return this.#sorted(windows);
  }

  /** @throws StateError always. */
  change(): Promise<void> {
    return Promise.reject(new StateError(NO_CHANGES));
  }

  close(): void {
    this.#outputs.close();
  }

  #sorted(windows: WindowInfo[]): WindowInfo[] {
    const active = windows.filter(({ active }) => active).map(({ id }) => id);
    const present = new Set(windows.map(({ id }) => id));
    this.#order = [...new Set([...active, ...this.#order, ...present])].filter((id) => present.has(id));
    return windows.sort((a, b) => this.#order.indexOf(a.id) - this.#order.indexOf(b.id));
  }
}

const NOWHERE: Region = { x: 0, y: 0, width: 0, height: 0 };
