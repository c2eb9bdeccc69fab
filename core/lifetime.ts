/** Cleanup before the program exits, signals that ask for it, and errors that no code caught. */

import { libcFunctions } from "./binding.ts";

// Signals that this program ignores because its parent did, as nohup(1) has it.

/**
 * `struct sigaction` of signal.h. The handler comes first, at offset 0 and 8 bytes long: in glibc and musl on x86-64 and
 * aarch64 (152 bytes: handler 0, sa_mask 8, sa_flags 136, sa_restorer 144), and on macOS (16 bytes).
 */
const SIGACTION_WORDS = 152 / 8;
/** SIG_IGN of signal.h, on all of these systems. */
const SIG_IGN = 1n;

/**
 * Whether a signal is ignored. Deno shows the list of /proc/self/status only to programs that may do everything;
 * sigaction(2) needs FFI alone. To load the C library takes 1 ms.
 *
 * Call this before the first listener for the signal, which replaces the parent's choice.
 * @param number The signal's number.
 * @returns false also where the system does not tell, as on Windows.
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

/** Signals that end a program, by system. On Windows SIGHUP stands for a console window that is closed. */
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

/** The reason why the program exits: its work ended, or a signal ended it. */
type ExitReason = "finished" | "signal";

/** The time that the exit waits for unfinished work at most, in milliseconds. */
const GRACE_MS = 1000;
/** The time that the exit waits for output that is not written, in milliseconds. */
const LAST_MS = 500;
/** The time that the exit at SIGTERM waits for requests under way at most, in milliseconds. */
const DRAIN_MS = 10_000;

/** Runs cleanup before the program exits, each step once. */
export class Lifetime {
  #beforeEnd: (() => Promise<void>)[] = [];
  readonly #endings: ((how: ExitReason) => void)[] = [];
  readonly #drains: (() => Promise<void>)[] = [];
  readonly #lasts: (() => Promise<void> | undefined)[] = [];
  #isDraining = false;

  /**
   * Registers cleanup. The last registered runs first.
   * @param ending Runs synchronously, so that nothing else happens during the cleanup. Its errors are ignored.
   */
  atEnd(ending: (how: ExitReason) => void): void {
    this.#endings.push(ending);
  }

  /**
   * Registers work that must finish before the cleanup of {@linkcode atEnd}. The exit waits for it, but no longer than
   * {@linkcode GRACE_MS}, and not after a second signal. The program continues until then.
   * @param ending Never rejects.
   */
  beforeEnd(ending: () => Promise<void>): void {
    this.#beforeEnd.push(ending);
  }

  /**
   * Registers the last work: to write what the other endings print. The exit waits for it, but no longer than
   * {@linkcode LAST_MS}.
   * @param ending Returns undefined if there is nothing to wait for; never rejects.
   */
  lastly(ending: () => Promise<void> | undefined): void {
    this.#lasts.push(ending);
  }

  /**
   * Registers the first work of a service at SIGTERM: to refuse new work and finish running work. The exit waits for
   * it, but no longer than {@linkcode DRAIN_MS}, and not after a second signal; the exit code is 0 in that case, as
   * service managers expect.
   * @param drain Never rejects.
   */
  atTerm(drain: () => Promise<void>): void {
    this.#drains.push(drain);
  }

  /** Runs everything that is registered. A second call does not wait for unfinished work. */
  async end(how: ExitReason): Promise<void> {
    const before = this.#beforeEnd;
    this.#beforeEnd = [];
    if (before.length) await allWithin(before, GRACE_MS);
    for (let ending = this.#endings.pop(); ending; ending = this.#endings.pop()) {
      try {
        ending(how);
      } catch {
        // The other tasks must run too.
      }
    }
    const unfinished = this.#lasts.map((last) => last()).filter((last) => last !== undefined);
    if (unfinished.length) await allWithin(unfinished.map((last) => () => last), LAST_MS);
  }

  /**
   * Exits on the signals that ask for it, with the code that shells expect (128 and the signal's number; 0 after
   * {@linkcode atTerm}), and reports uncaught errors without exiting. A program that was started with SIGHUP ignored
   * (nohup) outlives its terminal.
   * @param report Receives those errors.
   */
  watch(report: (error: unknown) => void): void {
    const outlivesTerminal = ignoresHangUp();
    for (const signal of SIGNALS) {
      Deno.addSignalListener(signal, async () => {
        if (signal === "SIGHUP" && outlivesTerminal) return;
        if (this.#isDraining) this.#beforeEnd = []; // the second signal ends the program at once
        const drained = signal === "SIGTERM" && await this.#drain();
        await this.end("signal");
        Deno.exit(drained ? 0 : 128 + SIGNAL_NUMBERS[signal]!);
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

  /** @returns false if no service needs draining, or draining has begun already. */
  async #drain(): Promise<boolean> {
    if (!this.#drains.length || this.#isDraining) return false;
    this.#isDraining = true;
    await allWithin(this.#drains, DRAIN_MS);
    return true;
  }
}

/** Runs functions side by side, and waits for them no longer than a time in milliseconds. */
async function allWithin(run: (() => Promise<void>)[], ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([Promise.allSettled(run.map((each) => each())), late]);
  clearTimeout(timer);
}

/**
 * Whether SIGHUP, the end of the terminal, is ignored. Checked only if standard input is no terminal: a prompt on
 * a terminal ends with it in any case, and nohup(1) takes the terminal away.
 */
function ignoresHangUp(): boolean {
  return !Deno.stdin.isTerminal() && isIgnored(SIGNAL_NUMBERS.SIGHUP!);
}
