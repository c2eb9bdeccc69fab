/**
 * Windows on GNOME, which GNOME lists only for its own extensions. The accessibility bus lists programs'
 * windows with their sizes; a window's position is known only if the window fills its display.
 */

import type { Region, WindowInfo, WindowState } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, StateError } from "../../../core/errors.ts";
import type { AtspiElements } from "../../atspi/mod.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";
import type { Values } from "../../linux/dbus/values.ts";
import type { PlacedWindows } from "../way.ts";
import { OnDemand } from "../wire/background_connection.ts";
import { arrange, type Arrangement, Outputs, type OutputState, scaledRegion } from "../wire/outputs.ts";

// Windows that fill a display, whose position follows from their size. Pure.

/** The height of GNOME's top bar across its styles and text sizes, in logical pixels. */
const BAR = { least: 20, most: 48 };

/** A window's region and state. */
interface Filled {
  region: Region;
  state: WindowState;
}

/**
 * Finds the display that a window fills: in full screen, or maximized below the top bar.
 * @param size The size of the window, in logical pixels.
 * @param displays All displays of the desktop, in logical pixels.
 * @returns undefined if the window fills no display, or if several displays have a matching size.
 * @example
 * filledRegion({ width: 1280, height: 720 }, [{ x: 0, y: 0, width: 1280, height: 720 }])?.state; // "fullscreen"
 */
export function filledRegion(
  { width, height }: Pick<Region, "width" | "height">,
  displays: readonly Region[],
): Filled | undefined {
  const found = displays.flatMap((display): Filled[] => {
    const bar = display.height - height, { x, y } = display;
    if (display.width !== width) return [];
    if (bar === 0) return [{ region: display, state: "fullscreen" }];
    if (bar < BAR.least || bar > BAR.most) return [];
    return [{ region: { x, y: y + bar, width, height }, state: "maximized" }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The support for windows, as shown by `doctor`. */
export const KNOWN_WINDOWS =
  "GNOME does not report other programs' windows: deskhand lists those on the accessibility bus, knows where the " +
  "active one is if it fills its display, and cannot change any";
const NO_CHANGES = "GNOME does not let programs change other programs' windows";

/** Lists the windows that programs expose on the accessibility bus. */
export class GnomeWindows implements PlacedWindows {
  readonly isPartial = true;
  readonly isListOnly = true;
  readonly #outputs: OnDemand<Outputs>;
  /** Window ids, the most recently active first. */
  #order: string[] = [];

  /** @param path The path of the compositor's socket. */
  constructor(path: string, readonly elements: Pick<AtspiElements, "listWindows">) {
    this.#outputs = new OnDemand(path, ({ connection, registry }) => Outputs.open(connection, registry));
  }

  async scale(): Promise<number> {
    return (await this.#outputs.get()).arrangement().scale;
  }

  /** @throws UnsupportedError if the session has no accessibility. */
  async list(): Promise<WindowInfo[]> {
    const found = await this.elements.listWindows();
    const { outputs, scale } = (await this.#outputs.get()).arrangement();
    const displays = outputs.map(({ output }) => output.logical);
    const windows = found.map(({ id, title, class: name, pid, isActive, place }): WindowInfo => {
      // An inactive window may be covered by another one, which GNOME does not report.
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

// Displays as described by GNOME's compositor, Mutter (org.gnome.Mutter.DisplayConfig).

const CONFIG: RemoteObject = {
  destination: "org.gnome.Mutter.DisplayConfig",
  path: "/org/gnome/Mutter/DisplayConfig",
  interface: "org.gnome.Mutter.DisplayConfig",
};

/** Serial; monitors: names, modes, properties; logical monitors: x, y, scale, transform, primary, names; properties. */
const STATE = "ua((ssss)a(siiddada{sv})a{sv})a(iiduba(ssss)a{sv})a{sv}";
/** Result of `GetCurrentState`. */
export type DisplayState = Values<typeof STATE>;

/** The layout mode in which a logical pixel is a pixel of the picture, and only programs know the scale. */
const LAYOUT_PHYSICAL = 2;

/** A display. Its pictures are upright: its mode is the size as seen, and its transform is 0. */
interface MutterOutput extends OutputState {
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
  if (!outputs.length) throw new DesktopUnavailableError("GNOME has no active display");
  return outputs;
}

/** The current displays. */
export class DisplayConfig {
  #arrangement: Arrangement<MutterOutput> | undefined;
  /** Whether the displays have changed since Mutter described them. */
  #isOld = false;
  #reading: Promise<void> | undefined;

  #state: DisplayState | undefined;

  private constructor(readonly bus: Bus) {}

  /**
   * Reads the displays, and follows their changes while the bus is open.
   * @param owner The unique name of Mutter's connection.
   * @throws DesktopUnavailableError if GNOME does not answer.
   */
  static async open(bus: Bus, owner: string): Promise<DisplayConfig> {
    const config = new DisplayConfig(bus);
    await bus.listenAside(
      { sender: owner, interface: CONFIG.interface, member: "MonitorsChanged" },
      () => config.#onChange(),
    );
    config.#state = await stateOf(bus);
    return config;
  }

  /**
   * Asks Mutter after a change.
   * @returns undefined if the displays are known. Never rejects.
   */
  update(): Promise<void> | undefined {
    if (this.#isOld) this.#reading ??= this.#read();
    return this.#reading;
  }

  /**
   * The displays as last described by Mutter, which is asked aside after a change.
   * @throws DesktopUnavailableError if no display is on, or GNOME is gone.
   */
  arrangement(): Arrangement<MutterOutput> {
    this.bus.dispatch();
    this.update();
    return this.#arrangement ??= arrange(outputsOf(this.#state!));
  }

  #onChange(): void {
    this.#isOld = true;
    this.update();
  }

  async #read(): Promise<void> {
    try {
      this.#isOld = false;
      this.#state = await stateOf(this.bus);
      this.#arrangement = undefined;
    } catch {
      this.#isOld = true; // the next use asks again
    } finally {
      this.#reading = undefined;
    }
  }
}

async function stateOf(bus: Bus): Promise<DisplayState> {
  return await bus.callAsync(CONFIG, "GetCurrentState", "", [], STATE);
}
