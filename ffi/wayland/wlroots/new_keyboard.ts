/**
 * The first keyboard of a seat. A program gets keys only after it has learned of the keyboard and has asked for it
 * (wl_seat.capabilities, wl_seat.get_keyboard), which no protocol tells other programs. On sway the process of the
 * program is known, so that it can be watched; other compositors do not name the program that has the keyboard.
 */

import { delay } from "@std/async/delay";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { numbersIn, readProc, timeByLoad } from "../../../core/proc.ts";
import { isStopped, threadsRest } from "../../linux/thread_rest.ts";
import type { Connection } from "../wire/connection.ts";
import { SwayIpc } from "./sway_ipc.ts";
import { keyboardHolder } from "./sway_tree.ts";

/** The time in which a program learns of a keyboard that cannot be watched, in milliseconds. */
const LEARN_MS = 300;
/**
 * The pause of all threads of a program that has learned of the keyboard, in milliseconds: on an idle machine, and at most.
 * Programs ask for the keyboard as soon as they read of it; a shorter pause may be one in which a program waits for
 * another, such as its own thread that draws, before it reads.
 */
const QUIET_MS = { idle: 10, most: 60 };

/**
 * The names of programs that lock the screen: swaylock, gtklock, waylock and others. On an empty workspace sway does not
 * tell that such a program has the keyboard.
 */
const LOCKS = /lock(?!d)/i;

/** The wait for programs that do not yet know the keyboard. */
export class NewKeyboard {
  readonly #knownAt: number;
  /** Processes that know the keyboard. */
  readonly #knowing = new Set<number>();
  #isLocked: boolean | undefined;

  /**
   * @param connection The connection that makes the keyboard.
   * @param isFirst Tells whether the seat had no keyboard before; otherwise nothing is waited for.
   */
  constructor(readonly connection: Connection, isFirst: boolean) {
    this.#knownAt = isFirst ? performance.now() + LEARN_MS : -Infinity;
  }

  /** Tells whether every program has had the time to learn of the keyboard. */
  get isKnown(): boolean {
    return performance.now() >= this.#knownAt;
  }

  /**
   * Waits until the program that has the keyboard now has learned of it.
   * @param signal Ends the wait; the promise then rejects with the signal's reason.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  async known(signal?: AbortSignal): Promise<void> {
    const left = () => this.#knownAt - performance.now();
    if (left() <= 0) return;
    this.connection.flush(); // the compositor makes the keyboard while the processes are read
    // A lock that starts later finds the keyboard there.
    const isLocked = this.#isLocked ??= isScreenLockRunning();
    // When the compositor answers the second time, it has sent what it had to send before the first answer.
    for (let i = 0; i < 2; i++) this.connection.roundtrip();
    const holder = this.#holder(), threads = holder ? threadsOf(holder) : [];
    if (holder === 0 && !isLocked || holder !== undefined && this.#knowing.has(holder)) return;
    if (!threads.length || threads.some(isStopped)) {
      return await delay(Math.ceil(Math.max(0, left())), { signal }); // setTimeout cuts fractions off
    }
    const quietMs = timeByLoad(QUIET_MS.idle, QUIET_MS.most);
    await threadsRest(threads, { quietMs, mostMs: Math.max(0, left()) }, signal);
    this.connection.roundtrip(); // the compositor has read what the program has sent
    this.#knowing.add(holder!);
  }

  /** The process that has the keyboard; 0 if no process has it, undefined if the compositor does not tell. */
  #holder(): number | undefined {
    let sway: SwayIpc | undefined;
    try {
      sway = SwayIpc.open(this.connection);
      return sway && keyboardHolder(sway.tree());
    } catch (error) {
      if (error instanceof DesktopUnavailableError) return undefined; // a lost compositor ends the next request
      throw error;
    } finally {
      sway?.close();
    }
  }
}

/** The threads of a process, as folders below /proc; none if the system does not show the process. */
function threadsOf(pid: number): string[] {
  return numbersIn(`${pid}/task`).map((thread) => `${pid}/task/${thread}`);
}

function isScreenLockRunning(): boolean {
  return numbersIn("").some((pid) => LOCKS.test(readProc(`${pid}/comm`)));
}
