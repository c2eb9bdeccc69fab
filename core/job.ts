/**
 * The program as a shell job: Ctrl-Z, `fg` and `bg` stop and continue it. A stopped program can release nothing,
 * so it releases its keys and buttons before it stops.
 */

import { readProc } from "./proc.ts";
import { within } from "./until.ts";

/** Maximum time that a stop waits for the releases, in milliseconds. */
const LET_GO_MS = 500;
/** This program's whole process group, as kill(2) names it. */
const OWN_GROUP = 0;

/** A terminal whose mode the program has changed. */
export interface JobTerminal {
  /** Gives the terminal its former mode, just before the program stops. */
  stopped(): void;
  /** Called when the program has the terminal again, in the shell's mode. */
  continued(): void;
}

/** Stops the program like the terminal driver does, after it has released what it holds. */
class Job {
  readonly #releases: ((continued: Promise<void>) => Promise<void>)[] = [];
  #terminal: JobTerminal | undefined;
  #isWatching = false;
  #isStopping = false;
  readonly #onContinue = () => {
    if (isForeground()) this.#terminal?.continued();
  };
  /**
   * `bg` continues the program, and its read stops it again: `deno task`, which catches SIGTTIN, would
   * continue alone.
   */
  readonly #onBackgroundRead = () => {
    if (!isForeground()) Deno.kill(OWN_GROUP, "SIGSTOP");
  };

  /**
   * Registers what must be released before SIGTSTP (Ctrl-Z, `kill -TSTP`) stops the program.
   * @param release Receives a promise that resolves once the program is continued. The stop waits at most
   * {@linkcode LET_GO_MS} for it; its errors are ignored.
   */
  beforeStop(release: (continued: Promise<void>) => Promise<void>): void {
    this.#releases.push(release);
    this.#watch();
  }

  /** Follows a terminal until the result is disposed. */
  follow(terminal: JobTerminal): Disposable {
    this.#terminal = terminal;
    this.#watch();
    if (Deno.build.os !== "windows") {
      Deno.addSignalListener("SIGCONT", this.#onContinue);
      Deno.addSignalListener("SIGTTIN", this.#onBackgroundRead);
    }
    return {
      [Symbol.dispose]: () => {
        this.#terminal = undefined;
        if (Deno.build.os === "windows") return;
        Deno.removeSignalListener("SIGCONT", this.#onContinue);
        Deno.removeSignalListener("SIGTTIN", this.#onBackgroundRead);
      },
    };
  }

  /**
   * Stops the process group, which the shell treats as a job: this program and what started it, such as npm
   * and `deno task`. Sends SIGSTOP, since `deno task` catches SIGTSTP and forwards it to its child, sometimes
   * only after the group continues.
   * @returns Whether the program was stopped: it is not if no shell could continue it.
   */
  stopGroup(): Promise<boolean> {
    return this.#stop(OWN_GROUP);
  }

  #watch(): void {
    if (this.#isWatching || Deno.build.os === "windows") return;
    this.#isWatching = true;
    Deno.addSignalListener("SIGTSTP", () => void this.#stop(Deno.pid));
  }

  /** @param target Whom to stop, as kill(2) names it. */
  async #stop(target: number): Promise<boolean> {
    if (this.#isStopping || !hasShell()) return false;
    this.#isStopping = true;
    const { promise: continued, resolve } = Promise.withResolvers<void>();
    await within(LET_GO_MS, Promise.allSettled(this.#releases.map((release) => release(continued))));
    this.#terminal?.stopped();
    Deno.kill(target, "SIGSTOP"); // returns once the program is continued
    this.#isStopping = false;
    resolve();
    return true;
  }
}

/** This program. */
export const JOB = new Job();

/** The fields of /proc/PID/stat after the name (proc_pid_stat(5)). */
function statOf(pid: number | "self") {
  const [, parent, group, session, , foreground] = readProc(`${pid}/stat`).split(")").at(-1)!.trim().split(
    " ",
  );
  return { parent: Number(parent), group, session, foreground };
}

/** Whether this process group controls the terminal, and so may read it and set its mode. */
function isForeground(): boolean {
  const { group, foreground } = statOf("self");
  return group === foreground;
}

/**
 * Whether a process in the same session but another group, such as a shell, started the group and can
 * continue it. Without one (POSIX: an orphaned process group), the system ignores SIGTSTP but not SIGSTOP.
 */
function hasShell(): boolean {
  const own = statOf("self");
  for (let pid = own.parent; pid > 1;) {
    const ancestor = statOf(pid);
    if (ancestor.session !== own.session) return false;
    if (ancestor.group !== own.group) return true;
    pid = ancestor.parent;
  }
  return false;
}
