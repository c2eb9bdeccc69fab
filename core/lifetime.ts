/** Cleanup before the program exits, signals that request the exit, and uncaught errors. */

import { libcFunctions } from "./binding.ts";
import { within } from "./until.ts";

// Signals that this program ignores because its parent did, as with nohup(1).

/**
 * `struct sigaction` (signal.h). The handler is the first field, at offset 0 and 8 bytes long, in glibc and
 * musl on x86-64 and aarch64 (152 bytes: handler 0, sa_mask 8, sa_flags 136, sa_restorer 144), and on macOS
 * (16 bytes).
 */
const SIGACTION_WORDS = 152 / 8;
/** SIG_IGN (signal.h), the same on all of these systems. */
const SIG_IGN = 1n;

/**
 * Whether a signal is ignored. Deno lets only programs with all permissions read the list in
 * /proc/self/status; sigaction(2) requires only FFI. Loading the C library takes 1 ms.
 *
 * Must be called before the first listener for the signal is added, because that replaces the parent's
 * choice.
 * @param number The signal's number.
 * @returns false also where the system does not report it, as on Windows.
 */
export function isIgnored(number: number): boolean {
  if (Deno.build.os === "windows") return false;
  const old = new BigUint64Array(SIGACTION_WORDS);
  try {
    const { sigaction } = libcFunctions({ sigaction: "i32 (i32, pointer act: NULL, buffer oldact)" });
    const result = sigaction(number, null, old);
    return result === 0 && old[0] === SIG_IGN;
  } catch {
    return false;
  }
}

/** Signals that end a program, by system. On Windows SIGHUP means that a console window was closed. */
const SIGNALS: Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK", "SIGHUP"]
  : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
const SIGNAL_NUMBERS: Partial<Record<Deno.Signal, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGTERM: 15,
  SIGBREAK: 21,
};

/** Why the program exits: its work ended, or a signal ended it. */
type ExitReason = "finished" | "signal";

/** Maximum time that the exit waits for unfinished work, in milliseconds. */
const GRACE_MS = 1000;
/** Maximum time that the exit waits for unwritten output, in milliseconds. */
const LAST_MS = 500;
/**
 * Maximum time that an exit on SIGTERM waits for requests in flight, in milliseconds. With the other two, it
 * stays below the 10 s after which Docker and Podman kill a container.
 */
const DRAIN_MS = 8000;

/** Runs cleanup before the program exits, each step once. */
export class Lifetime {
  #beforeEnd: (() => Promise<void>)[] = [];
  readonly #endings: ((how: ExitReason) => void)[] = [];
  readonly #drains: (() => Promise<void>)[] = [];
  readonly #lasts: (() => Promise<void> | undefined)[] = [];
  #check: (() => Promise<void> | undefined) | undefined;
  #isDraining = false;
  /** The exit code after SIGTERM if {@linkcode atTerm} was called: 0, as service managers expect. */
  termCode = 0;

  /**
   * Registers cleanup. The last one registered runs first.
   * @param ending Runs synchronously, so that nothing else happens during the cleanup. Its errors are ignored.
   */
  atEnd(ending: (how: ExitReason) => void): void {
    this.#endings.push(ending);
  }

  /**
   * Registers the check whose result the cleanup needs. Each exit waits for it, also after a second signal.
   * @param check Has a time limit of its own; never rejects.
   */
  checkFirst(check: () => Promise<void> | undefined): void {
    this.#check = check;
  }

  /**
   * Registers work that must finish before the cleanup registered with {@linkcode atEnd}. The exit waits at
   * most {@linkcode GRACE_MS} for it, and not after a second signal. The program keeps running until then.
   */
  beforeEnd(ending: () => Promise<void>): void {
    this.#beforeEnd.push(ending);
  }

  /**
   * Registers the last work, which writes what the other steps print. The exit waits at most
   * {@linkcode LAST_MS} for it.
   * @param ending Returns undefined if there is nothing to wait for; never rejects.
   */
  lastly(ending: () => Promise<void> | undefined): void {
    this.#lasts.push(ending);
  }

  /**
   * Registers the first work of a service on SIGTERM: refusing new work and finishing running work. The exit
   * waits at most {@linkcode DRAIN_MS} for it, and not after a second signal; the exit code is then
   * {@linkcode termCode}.
   * @param drain Never rejects.
   */
  atTerm(drain: () => Promise<void>): void {
    this.#drains.push(drain);
  }

  /** Runs everything registered. A second call does not wait for unfinished work. */
  async end(how: ExitReason): Promise<void> {
    const before = this.#beforeEnd;
    this.#beforeEnd = [];
    const checked = this.#check?.();
    if (before.length) await allWithin(before, GRACE_MS);
    if (checked) await checked;
    for (let ending = this.#endings.pop(); ending; ending = this.#endings.pop()) {
      try {
        ending(how);
      } catch {
        // The other steps must still run.
      }
    }
    const unfinished = this.#lasts.map((last) => last()).filter((last) => last !== undefined);
    if (unfinished.length) await allWithin(unfinished.map((last) => () => last), LAST_MS);
  }

  /**
   * Exits on the signals that request it, with the exit code that shells expect (128 plus the signal number;
   * 0 after {@linkcode atTerm}), and reports uncaught errors without exiting. A program started with SIGHUP
   * ignored (nohup) outlives its terminal.
   */
  watch(report: (error: unknown) => void): void {
    const outlivesTerminal = ignoresHangUp();
    for (const signal of SIGNALS) {
      Deno.addSignalListener(signal, async () => {
        if (signal === "SIGHUP" && outlivesTerminal) return;
        if (this.#isDraining) this.#beforeEnd = []; // the second signal ends the program immediately
        const drained = signal === "SIGTERM" && await this.#drain();
        await this.end("signal");
        Deno.exit(drained ? this.termCode : 128 + SIGNAL_NUMBERS[signal]!);
      });
    }
    globalThis.addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      report(event.reason);
    });
    globalThis.addEventListener("error", (event) => {
      event.preventDefault();
      report(event.error);
    });
  }

  /** @returns false if no service needs draining, or draining has already begun. */
  async #drain(): Promise<boolean> {
    if (!this.#drains.length || this.#isDraining) return false;
    this.#isDraining = true;
    await allWithin(this.#drains, DRAIN_MS);
    return true;
  }
}

/** Runs functions concurrently, and waits for them for at most a time in milliseconds. */
async function allWithin(run: (() => Promise<void>)[], ms: number): Promise<void> {
  await within(ms, Promise.allSettled(run.map((each) => each())));
}

/**
 * Whether SIGHUP, sent when the terminal closes, is ignored. Checked only if standard input is not a
 * terminal: a prompt on a terminal ends with it anyway, and nohup(1) disconnects the terminal.
 */
function ignoresHangUp(): boolean {
  return !Deno.stdin.isTerminal() && isIgnored(SIGNAL_NUMBERS.SIGHUP!);
}
