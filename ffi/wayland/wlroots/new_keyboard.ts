/**
 * The first keyboard of a seat. A program gets keys only after it has learned of the keyboard and has asked for it
 * (wl_seat.capabilities, wl_seat.get_keyboard), which no protocol tells other programs. On sway the process of the
 * program is known, so that it can be watched; other compositors do not name the program that has the keyboard.
 */

import { delay } from "@std/async/delay";
import type { Point } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, ExpectedError, StateError } from "../../../core/errors.ts";
import { basename } from "../../../core/path.ts";
import { printable } from "../../../core/printable.ts";
import { numbersIn, readProc, timeByLoad } from "../../../core/proc.ts";
import { isStopped, threadsRest } from "../../linux/threads.ts";
import { hasWideCharacter, losesWideCharacters, QUIRKS, whyLossy } from "../../quirks.ts";
import { OnDemand } from "../wire/background_connection.ts";
import type { Connection } from "../wire/connection.ts";
import { Toplevels } from "../wire/windows.ts";
import { keyboardHolder, SwayIpc } from "./sway_tree.ts";

/** The time in which a program learns of a keyboard that cannot be watched, in milliseconds; longer on a busy machine. */
const LEARN_MS = 300;
/**
 * The pause of all threads of a program that has learned of the keyboard, in milliseconds: on an idle machine, and at most.
 * Programs ask for the keyboard as soon as they read of it; a shorter pause may be one in which a program waits for
 * another, such as its own thread that draws, before it reads.
 */
const QUIET_MS = { idle: 10, most: 60 };

/**
 * The names of programs that lock the screen: swaylock, gtklock, waylock and others, but not xclock. On an empty workspace
 * sway does not tell that such a program has the keyboard.
 */
const LOCKS = /(?<![bcf])lock(?:screen|er)?(?:-|$)/im;

/** The wait for programs that do not yet know the keyboard. */
export class NewKeyboard {
  readonly #knownAt: number;
  /** Processes that know the keyboard. */
  readonly #knowing = new Set<number>();
  #isLocked: boolean | undefined;

  /**
   * @param connection The connection that makes the keyboard.
   * @param isFirst Whether the seat had no keyboard before; otherwise nothing is waited for.
   */
  constructor(readonly connection: Connection, isFirst: boolean) {
    this.#knownAt = isFirst ? performance.now() + timeByLoad(LEARN_MS) : -Infinity;
  }

  /** Whether every program has had the time to learn of the keyboard. */
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
    const isLocked = this.#isLocked ??= isScreenLockRunning(this.connection.path);
    // When the compositor answers the second time, it has sent what it had to send before the first answer.
    for (let i = 0; i < 2; i++) this.connection.roundtrip();
    const holder = await this.#holder(), threads = holder ? threadsOf(holder) : [];
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
  async #holder(): Promise<number | undefined> {
    let sway: SwayIpc | undefined;
    try {
      sway = SwayIpc.open(this.connection);
      return sway && keyboardHolder(await sway.tree());
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

/** Whether this user runs a screen lock on the compositor of a socket. */
function isScreenLockRunning(socket: string): boolean {
  const displays = [basename(socket), socket].map((display) => `WAYLAND_DISPLAY=${display}`);
  const userOf = (process: number | "self") => /^Uid:\t(\d+)/m.exec(readProc(`${process}/status`))?.[1];
  return numbersIn("").some((pid) => {
    if (!LOCKS.test(readProc(`${pid}/comm`)) || userOf(pid) !== userOf("self")) return false;
    const variables = readProc(`${pid}/environ`); // empty where the program has more rights than its user
    return variables === "" || displays.some((display) => variables.split("\0").includes(display));
  });
}

// The program with the keyboard, and the characters that programs of its kind change.

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

// Moves at a pace that programs can follow. Each move reaches the program below the pointer as a message of
// its own, and the buffer for a program has a bound.

/** The number of moves that are sent at once, and the time between further moves, in milliseconds. */
const { atOnce: MOVES_AT_ONCE, ms: MOVE_MS } = QUIRKS.smallBuffers;
/** Whether this thread sleeps between its actions, so that no timer runs, as the thread of a replay does. */
const SLEEPS = "WorkerGlobalScope" in globalThis;

/** The moves of one connection. */
export class PacedMoves {
  /** The number of moves that may be sent now. */
  #free: number = MOVES_AT_ONCE;
  #countedAt = 0;
  /** The last move that is not sent yet, and the timer that sends it. */
  #waiting: { point: Point; timer: ReturnType<typeof setTimeout> } | undefined;

  /** @param send Sends a move. */
  constructor(readonly connection: Connection, readonly send: (point: Point) => void) {}

  /**
   * Moves at once; after many moves a little later, but before the next request. A later move replaces a move that is
   * not sent yet.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  move(point: Point): void {
    this.connection.check();
    if (this.#waiting) {
      this.connection.dispatch();
      this.#waiting.point = { ...point };
      return;
    }
    const wait = this.#wait(performance.now());
    if (wait <= 0) this.#send(point);
    else if (SLEEPS) {
      this.connection.c.usleep(Math.ceil(wait * 1000));
      this.#send(point);
    } else this.#sendIn(wait, { ...point });
  }

  /** Sends the waiting move, unless the compositor is gone. */
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
    try {
      this.connection.runDeferred();
    } catch (error) {
      if (!(error instanceof DesktopUnavailableError)) throw error; // the next call reports the lost desktop
    }
  }
}
