/** Displays as GNOME's compositor, Mutter, describes them (org.gnome.Mutter.DisplayConfig). */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/objects.ts";
import type { Values } from "../../linux/dbus/values.ts";
import { arrange, type Arrangement, type OutputState } from "../wire/geometry.ts";

const CONFIG: RemoteObject = {
  destination: "org.gnome.Mutter.DisplayConfig",
  path: "/org/gnome/Mutter/DisplayConfig",
  interface: "org.gnome.Mutter.DisplayConfig",
};

/** Serial; monitors: names, modes, properties; logical monitors: x, y, scale, transform, primary, names; properties. */
const STATE = "ua((ssss)a(siiddada{sv})a{sv})a(iiduba(ssss)a{sv})a{sv}";
/** Result of `GetCurrentState`. */
export type DisplayState = Values<typeof STATE>;

/** The layout mode in which a logical pixel is a pixel of the picture, and programs alone know of the scale. */
const LAYOUT_PHYSICAL = 2;

/** A display. Its pictures are upright, so that its mode is as it is seen, and its transform is 0. */
export interface MutterOutput extends OutputState {
  isPrimary: boolean;
}

/**
 * The active displays. Pure.
 * @param state The result of `GetCurrentState` (org.gnome.Mutter.DisplayConfig.xml).
 * @throws DesktopUnavailableError if no display is active.
 */
export function outputsOf(state: DisplayState): MutterOutput[] {
  const [, monitors, logical, properties] = state;
  const sizes = new Map(monitors.map(([[connector], modes]) => {
    const current = modes.find(([, , , , , , more]) => more.get("is-current") === true);
    return [connector, current && { width: current[1], height: current[2] }];
  }));
  const isScaled = properties.get("layout-mode") !== LAYOUT_PHYSICAL;
  const outputs = logical.flatMap(([x, y, scale, transform, isPrimary, shown]): MutterOutput[] => {
    const name = shown[0]?.[0], size = sizes.get(name); // further monitors show the same picture
    if (!size) return [];
    const mode = transform % 2 ? { width: size.height, height: size.width } : size;
    const divisor = isScaled ? scale : 1;
    const region = {
      x,
      y,
      width: Math.round(mode.width / divisor),
      height: Math.round(mode.height / divisor),
    };
    return [{ name, mode, transform: 0, logical: region, isPrimary }];
  });
  if (!outputs.length) throw new DesktopUnavailableError("GNOME has no display now");
  return outputs;
}

/** The displays as they are now. */
export class DisplayConfig {
  #arrangement: Arrangement<MutterOutput> | undefined;
  /** Ends listening. Safe to call when the bus is gone. */
  readonly close: () => void;

  /** @param owner The unique name of Mutter's connection. */
  constructor(readonly bus: Bus, owner: string) {
    const rule = { sender: owner, interface: CONFIG.interface, member: "MonitorsChanged" };
    this.close = bus.listen(rule, () => this.#arrangement = undefined);
  }

  /** @throws DesktopUnavailableError if no display is on, or GNOME does not answer. */
  arrangement(): Arrangement<MutterOutput> {
    this.bus.dispatch();
    return this.#arrangement ??= arrange(outputsOf(this.bus.call(CONFIG, "GetCurrentState", "", [], STATE)));
  }
}
