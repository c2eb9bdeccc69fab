/** A compositor connection together with the protocols that the compositor offers. */

import { Connection, Registry } from "./connection.ts";

/** A connection that is first inspected, and may then become the desktop's. */
export class Link {
  #registry: Promise<Registry> | undefined;

  constructor(readonly connection: Connection) {}

  /**
   * Connects to the compositor.
   * @param path The path of the compositor's socket.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws NoDesktopError if the C library cannot be used.
   */
  static open(path: string): Link | undefined {
    const connection = Connection.open(path);
    return connection && new Link(connection);
  }

  /**
   * The protocols offered by the compositor, queried on first use.
   * @throws DesktopUnavailableError if the compositor does not answer.
   */
  registry(): Promise<Registry> {
    return this.#registry ??= Registry.open(this.connection);
  }
}

// The protocols for controlling wlroots-like compositors, with their purposes.

/** A Wayland protocol. */
export interface Protocol {
  /** The protocol's interfaces; a compositor needs only one of them. */
  interfaces: readonly string[];
  purpose: string;
  /** Whether deskhand cannot work without the protocol. */
  isNeeded: boolean;
}

/** The clipboard manager interfaces; the second one is older. */
export const DATA_CONTROLS = ["ext_data_control_manager_v1", "zwlr_data_control_manager_v1"] as const;

/** Protocols in the order in which `deskhand doctor` shows them. */
export const PROTOCOLS: readonly Protocol[] = [
  { interfaces: ["zwlr_virtual_pointer_manager_v1"], purpose: "moving the pointer", isNeeded: true },
  { interfaces: ["zwp_virtual_keyboard_manager_v1"], purpose: "keys and text", isNeeded: true },
  { interfaces: ["zwlr_screencopy_manager_v1"], purpose: "pictures", isNeeded: true },
  { interfaces: ["wl_seat"], purpose: "input", isNeeded: true },
  { interfaces: ["zwlr_layer_shell_v1"], purpose: "where the pointer is", isNeeded: false },
  { interfaces: ["zxdg_output_manager_v1"], purpose: "several and scaled displays", isNeeded: false },
  { interfaces: DATA_CONTROLS, purpose: "the clipboard", isNeeded: false },
  { interfaces: ["zwlr_foreign_toplevel_manager_v1"], purpose: "windows", isNeeded: false },
];

/** The required interfaces that a compositor lacks. */
export function missingProtocols(registry: Registry): string[] {
  return PROTOCOLS.filter(({ interfaces, isNeeded }) =>
    isNeeded && !interfaces.some((name) => registry.version(name))
  ).map(({ interfaces }) => interfaces[0]);
}
