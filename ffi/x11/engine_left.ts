/** Tells whether a killed deskhand has left a person's engine switched off. Without what talks to input methods. */

import { stateFile } from "../../core/state_dir.ts";

/** The records of input_method/fcitx5.ts and input_method/ibus_switch.ts in the state folder. */
const RECORDS = /^(?:fcitx5-engine|ibus-switch-(.*))\.json$/;

/** @param display The name of the display, such as `:0`. */
export function isEngineLeft(display: string): boolean {
  const number = /:(\d+)/.exec(display)?.[1];
  try {
    return Array.from(Deno.readDirSync(stateFile("."))).some(({ name }) => {
      const found = RECORDS.exec(name);
      return found && (found[1] === undefined || found[1] === number) &&
        Deno.statSync(stateFile(name)).size > 0;
    });
  } catch {
    return false; // no state folder
  }
}
