/**
 * A seat's first keyboard. A program receives keys only after it has learned of the keyboard and has
 * requested it (wl_seat.capabilities, wl_seat.get_keyboard), which no protocol reports to other programs. On
 * sway, the program's process is known and can be watched; other compositors do not name the focused program.
 */

import { delay } from "@std/async/delay";
import type { Point } from "../../../control/desktop/desktop.ts";
import { attempt, DesktopUnavailableError, ExpectedError, on, StateError } from "../../../core/errors.ts";
import { basename } from "../../../core/path.ts";
import { printable } from "../../../core/printable.ts";
import { numbersIn, readProc, timeByLoad } from "../../../core/proc.ts";
import { isStopped, threadsRest } from "../../linux/threads.ts";
import { hasWideCharacter, losesWideCharacters, QUIRKS, whyLossy } from "../../quirks.ts";
import { OnDemand } from "../wire/background_connection.ts";
import type { Connection } from "../wire/connection.ts";
import { Toplevels } from "../wire/windows.ts";
import { keyboardHolder, SwayIpc } from "./sway_tree.ts";

/** Time for an unwatched program to learn of a keyboard, in milliseconds; longer on a busy machine. */
const LEARN_MS = 300;
/**
 * How long all threads of a program must be idle for it to have learned of the keyboard, in milliseconds: on
 * an idle machine, and at most. Programs request the keyboard as soon as they read of it; in a shorter pause,
 * a program may be waiting for another thread or program, such as its own drawing thread, before it reads.
 */
const QUIET_MS = { idle: 10, most: 60 };

/**
 * Names of programs that lock the screen: swaylock, gtklock, waylock and others, but not xclock. On an empty
 * workspace, sway does not report that such a program is focused.
 */
const LOCKS = /(?<![bcf])lock(?:screen|er)?(?:-|$)/im;

/** The wait for programs that do not know the keyboard yet. */
export class NewKeyboard {
  readonly #knownAt: number;
  /** Processes that know the keyboard. */
  readonly #knowing = new Set<number>();
  #isLocked: boolean | undefined;

  /**
   * @param connection The connection that makes the keyboard.
   * @param isFirst Whether the seat had no keyboard before; otherwise there is nothing to wait for.
   */
  constructor(readonly connection: Connection, isFirst: boolean) {
    this.#knownAt = isFirst ? performance.now() + timeByLoad(LEARN_MS) : -Infinity;
  }

  /** Whether every program has had time to learn of the keyboard. */
  get isKnown(): boolean {
    return performance.now() >= this.#knownAt;
  }

  /**
   * Waits until the focused program has learned of it.
   * @param signal Ends the wait; the promise then rejects with the signal's reason.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  async known(signal?: AbortSignal): Promise<void> {
    const left = () => this.#knownAt - performance.now();
    if (left() <= 0) return;
    this.connection.flush(); // the compositor creates the keyboard meanwhile
    // A lock that starts later finds the keyboard in place.
    const isLocked = this.#isLocked ??= isScreenLockRunning(this.connection.path);
    // The compositor's second answer comes after everything that it had to send before the first answer.
    for (let i = 0; i < 2; i++) await this.connection.handled();
    const holder = await this.#holder(), threads = holder ? threadsOf(holder) : [];
    if (holder === 0 && !isLocked || holder !== undefined && this.#knowing.has(holder)) return;
    if (!threads.length || threads.some(isStopped)) {
      return await delay(Math.ceil(Math.max(0, left())), { signal }); // setTimeout truncates fractions
    }
    const quietMs = timeByLoad(QUIET_MS.idle, QUIET_MS.most);
    await threadsRest(threads, { quietMs, mostMs: Math.max(0, left()) }, signal);
    await this.connection.handled(); // the compositor has read what the program sent
    this.#knowing.add(holder!);
  }

  /** The focused process; 0 if there is none, undefined if the compositor does not report it. */
  async #holder(): Promise<number | undefined> {
    let sway: SwayIpc | undefined;
    try {
      sway = SwayIpc.open(this.connection);
      return sway && keyboardHolder(await sway.tree());
    } catch (error) {
      if (error instanceof DesktopUnavailableError) return undefined; // the next request fails
      throw error;
    } finally {
      sway?.close();
    }
  }
}

/** A process's threads, as folders below /proc; empty if the system does not show the process. */
function threadsOf(pid: number): string[] {
  return numbersIn(`${pid}/task`).map((thread) => `${pid}/task/${thread}`);
}

/** Whether this user runs a screen lock on the compositor with the given socket. */
function isScreenLockRunning(socket: string): boolean {
  const displays = [basename(socket), socket].map((display) => `WAYLAND_DISPLAY=${display}`);
  const userOf = (process: number | "self") => /^Uid:\t(\d+)/m.exec(readProc(`${process}/status`))?.[1];
  return numbersIn("").some((pid) => {
    if (!LOCKS.test(readProc(`${pid}/comm`)) || userOf(pid) !== userOf("self")) return false;
    const variables = readProc(`${pid}/environ`); // empty for a program with more rights than its user
    return variables === "" || displays.some((display) => variables.split("\0").includes(display));
  });
}

// The focused program, and the characters that programs of its kind alter.

/** Advice for a text that cannot be typed with keys. */
const PASTE = "paste it (PUT /api/clipboard, then Ctrl+V)";
/** Maximum length of a process name in the system (PR_SET_NAME of prctl(2)). */
const NAME_LENGTH = 15;

/** Reads the windows over its own connection, which is opened for the first text that a program may alter. */
export class Receiver {
  readonly #toplevels: OnDemand<Toplevels>;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#toplevels = new OnDemand(path, Toplevels.open);
  }

  /**
   * Checks that the program receives a text unchanged.
   * @param characters Code points of the text.
   * @throws StateError naming a program that would alter characters.
   */
  async check(characters: readonly number[]): Promise<void> {
    if (!hasWideCharacter(characters)) return;
    const program = await this.#program();
    if (!program) return;
    if (losesWideCharacters(program)) {
      throw new StateError(
        `text has characters above U+FFFF, such as emoji, which ${
          printable(program)
        } truncates to 16 bits, ` +
          `as Chromium does with every Wayland keyboard: ${PASTE}`,
      );
    }
    const why = processesOf(program).map((maps) => whyLossy(maps, characters, false)).find(Boolean);
    if (why) throw new StateError(`the program ${printable(program)} uses ${why}: ${PASTE}`);
  }

  /** Ends the connection. */
  close(): void {
    this.#toplevels.close();
  }

  /** The focused program's name; undefined if the compositor does not report it. */
  async #program(): Promise<string | undefined> {
    const windows = await this.#toplevels.get().then((toplevels) => toplevels.list()).catch(
      on(ExpectedError),
    );
    return windows?.find(({ states }) => states.has("activated"))?.appId;
  }
}

/**
 * Lists the mapped files of this user's processes of a program, in the format of /proc/PID/maps.
 * @param appId The app id of the program's windows, whose last part names the executable: `org.kde.kwrite` is
 * `kwrite`.
 */
function processesOf(appId: string): string[] {
  const name = appId.slice(appId.lastIndexOf(".") + 1).slice(0, NAME_LENGTH);
  const pids = numbersIn("").filter((pid) => readProc(`${pid}/comm`).trimEnd() === name);
  return pids.map((pid) => readProc(`${pid}/maps`));
}

// Moves at a pace that programs can follow. Each move reaches the program below the pointer as a separate
// message, and a program's buffer is bounded.

/** The number of moves sent together, and the delay between further moves, in milliseconds. */
const { atOnce: MOVES_AT_ONCE, ms: MOVE_MS } = QUIRKS.smallBuffers;
/** Whether this thread sleeps between its actions, so that no timer runs, as a replay's thread does. */
const SLEEPS = "WorkerGlobalScope" in globalThis;

/** The moves of one connection. */
export class PacedMoves {
  /** The number of moves that may be sent now. */
  #free: number = MOVES_AT_ONCE;
  #countedAt = 0;
  /** The last unsent move, and the timer that sends it. */
  #waiting: { point: Point; timer: ReturnType<typeof setTimeout> } | undefined;

  /** @param send Sends a move. */
  constructor(readonly connection: Connection, readonly send: (point: Point) => void) {}

  /**
   * Moves immediately; after many moves a little later, but before the next request. A later move replaces an
   * unsent one.
   * @returns Whether the move has been sent.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  move(point: Point): boolean {
    this.connection.check();
    if (this.#waiting) {
      this.connection.dispatch();
      this.#waiting.point = { ...point };
      return false;
    }
    const wait = this.#wait(performance.now());
    if (wait > 0 && !SLEEPS) {
      this.#sendIn(wait, { ...point });
      return false;
    }
    if (wait > 0) this.connection.c.usleep(Math.ceil(wait * 1000));
    this.#send(point);
    return true;
  }

  /** Sends the pending move, unless the compositor is gone. */
  close(): void {
    this.#sendWaiting();
    if (this.#waiting) clearTimeout(this.#waiting.timer);
  }

  /** Milliseconds until the next move may be sent. */
  #wait(now: number): number {
    this.#free = Math.min(MOVES_AT_ONCE, this.#free + (now - this.#countedAt) / MOVE_MS);
    this.#countedAt = now;
    return (1 - this.#free) * MOVE_MS;
  }

  #send(point: Point): void {
    this.#free--;
    this.send(point);
  }

  #sendIn(ms: number, point: Point): void {
    this.#waiting = { point, timer: setTimeout(() => this.#sendWaiting(), Math.ceil(ms)) };
    this.connection.defer(() => {
      const { point, timer } = this.#waiting!;
      clearTimeout(timer);
      this.#waiting = undefined;
      this.#send(point);
    });
  }

  #sendWaiting(): void {
    const send = () => {
      this.connection.runDeferred();
      this.connection.flush();
    };
    attempt(send, undefined, DesktopUnavailableError); // the next call reports a lost desktop
  }
}
