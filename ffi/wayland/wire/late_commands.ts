/**
 * Programs that carry out a shortcut only after the keys that have come by then: LibreOffice posts the command to
 * itself (framework/source/accelerators/acceleratorexecute.cxx), so that Ctrl+A would select the text that was typed
 * behind it. Wayland does not tell whether a program has handled its events, so that its process is watched.
 */

import { numbersIn, readProc, timeByLoad } from "../../../core/proc.ts";
import { threadsRest } from "../../linux/thread_rest.ts";

/** The names of the processes, as the system keeps them. */
const NAMES: ReadonlySet<string> = new Set(["soffice.bin"]);
/** The time for which the list of the processes counts, in milliseconds. */
const KNOWN_MS = 2000;
/** How often a process is looked at: a new one may not have become its program yet (execve(2)). */
const LOOKS = 2;
/** The time for which the main thread of a process that waits for events does nothing, in milliseconds: on an idle machine, and at most. */
const QUIET_MS = { idle: 16, most: 100 };
/** The longest wait, in milliseconds: a program that loads a document never rests. */
const LONGEST_MS = 3000;

/** The programs of this user. */
export class LateCommands {
  #pids: readonly number[] = [];
  /** How often each process was found to be another program's. */
  #others = new Map<number, number>();
  #lookedAt = -Infinity;

  /**
   * Waits until the programs have handled the events that the compositor has sent them, and wait for others.
   * @param signal Ends the wait; the promise then rejects with the signal's reason.
   */
  async handled(signal?: AbortSignal): Promise<void> {
    const quietMs = timeByLoad(QUIET_MS.idle, QUIET_MS.most), pids = this.#present();
    if (pids.length) await threadsRest(pids.map(String), { quietMs, mostMs: LONGEST_MS }, signal);
  }

  #present(): readonly number[] {
    if (performance.now() > this.#lookedAt + KNOWN_MS) {
      this.#lookedAt = performance.now();
      const present = numbersIn(""), before = this.#others;
      this.#pids = present.filter((pid) =>
        (before.get(pid) ?? 0) < LOOKS && NAMES.has(readProc(`${pid}/comm`).trimEnd())
      );
      const found = new Set(this.#pids);
      this.#others = new Map(
        present.filter((pid) => !found.has(pid)).map((pid) => [pid, (before.get(pid) ?? 0) + 1]),
      );
    }
    return this.#pids;
  }
}
