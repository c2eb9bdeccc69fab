/** The program with the keyboard, and the characters that programs of its kind change. */

import { ExpectedError, StateError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { numbersIn, readProc } from "../../../core/proc.ts";
import { hasWideCharacter, losesWideCharacters, whyLossy } from "../../lossy_programs.ts";
import { OnDemand } from "../wire/background_connection.ts";
import { Toplevels } from "../wire/toplevels.ts";

/** Advice for a text that keys do not type. */
const PASTE = "paste it (PUT /api/clipboard, then Ctrl+V)";
/** The length of a process' name, as the system keeps it (PR_SET_NAME of prctl(2)). */
const NAME_LENGTH = 15;

/** Reads the windows over a connection of its own, which opens for the first text that a program may change. */
export class Receiver {
  readonly #toplevels: OnDemand<Toplevels>;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#toplevels = new OnDemand(path, (background) => new Toplevels(background));
  }

  /**
   * Checks that the program receives a text unchanged.
   * @param characters Code points of the text.
   * @throws StateError naming a program that would change characters.
   */
  check(characters: readonly number[]): void {
    if (!hasWideCharacter(characters)) return;
    const program = this.#program();
    if (!program) return;
    if (losesWideCharacters(program)) {
      throw new StateError(
        `text has characters above U+FFFF, such as emoji, of which ${printable(program)} keeps 16 bits, ` +
          `as Chromium does with every keyboard of Wayland: ${PASTE}`,
      );
    }
    const why = processesOf(program).map((maps) => whyLossy(maps, characters, false)).find(Boolean);
    if (why) throw new StateError(`the program ${printable(program)} is of ${why}: ${PASTE}`);
  }

  /** Ends the connection. */
  close(): void {
    this.#toplevels.close();
  }

  /** The name of the program with the keyboard; undefined where the compositor does not tell. */
  #program(): string | undefined {
    try {
      return this.#toplevels.get().list().find(({ states }) => states.has("activated"))?.appId;
    } catch (error) {
      if (error instanceof ExpectedError) return undefined;
      throw error;
    }
  }
}

/**
 * Lists what this user's processes of a program map, as /proc/PID/maps has it.
 * @param appId The app id of the program's windows, whose last part names the executable: `org.kde.kwrite` is `kwrite`.
 */
function processesOf(appId: string): string[] {
  const name = appId.slice(appId.lastIndexOf(".") + 1).slice(0, NAME_LENGTH);
  const pids = numbersIn("").filter((pid) => readProc(`${pid}/comm`).trimEnd() === name);
  return pids.map((pid) => readProc(`${pid}/maps`));
}
