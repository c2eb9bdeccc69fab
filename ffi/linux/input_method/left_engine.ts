/** Engines that a killed deskhand left switched off. */

import { stateFile } from "../../../core/state_dir.ts";

/** The records of fcitx5.ts and ibus_switch.ts in the state folder. */
const RECORDS = /^(?:fcitx5-engine|ibus-switch-(.*))\.json$/;

/**
 * Tells whether a killed deskhand has left a person's engine switched off, without loading the code of input methods.
 * @param display The name of the display: `:0` of X11, or a Wayland socket's `wayland-0`.
 */
export function isEngineLeft(display: string): boolean {
  const name = ibusNameOf(display);
  try {
    return Array.from(Deno.readDirSync(stateFile("."))).some((entry) => {
      const found = RECORDS.exec(entry.name);
      return found && (found[1] === undefined || found[1] === name) &&
        Deno.statSync(stateFile(entry.name)).size > 0;
    });
  } catch {
    return false; // no state folder
  }
}

/**
 * The name of a display on this machine, as IBus has it.
 * @example
 * ibusNameOf("host:0.1"); // "0"
 * ibusNameOf("wayland-0"); // "wayland-0"
 */
export function ibusNameOf(display: string): string {
  return /:(\d+)/.exec(display)?.[1] ?? display;
}
