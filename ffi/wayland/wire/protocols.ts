/** The protocols that control compositors like those of wlroots, with their purposes. */

import type { Registry } from "./registry.ts";

/** A protocol of Wayland. */
export interface Protocol {
  /** The protocol's interfaces; a compositor needs only one of them. */
  interfaces: readonly string[];
  purpose: string;
  /** Tells whether deskhand cannot work without the protocol. */
  isNeeded: boolean;
}

/** The managers of the clipboard, by their protocols; the second one is older. */
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
