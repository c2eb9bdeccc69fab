/** What must happen on every way out: the end of main, signals, and errors nobody caught. */

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

/** Whether the program came to its end, or a signal ended it. */
export type ExitReason = "finished" | "signal";

/** How long the end is put off at most. */
const PUT_OFF_MS = 1000;

/** Runs what was put down, last first, exactly once. */
export class Lifetime {
  #beforeEnd: (() => Promise<void>)[] = [];
  readonly #endings: ((how: ExitReason) => void)[] = [];

  /**
   * Puts down what to do at the end.
   * @param ending Synchronous, since nothing may be done in between; what it throws is passed over.
   */
  atEnd(ending: (how: ExitReason) => void): void {
    this.#endings.push(ending);
  }

  /**
   * Puts down what the end is put off for: no longer than {@linkcode PUT_OFF_MS}, and not if another signal comes. All
   * else goes on meanwhile, which is why it comes before what {@linkcode atEnd} puts down.
   * @param ending Never rejects.
   */
  beforeEnd(ending: () => Promise<void>): void {
    this.#beforeEnd.push(ending);
  }

  /** Does everything that was put down. Safe to call again, which puts nothing off. */
  async end(how: ExitReason): Promise<void> {
    const before = this.#beforeEnd;
    this.#beforeEnd = [];
    if (before.length) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, PUT_OFF_MS);
      await Promise.race([Promise.all(before.map((ending) => ending())), late]);
      clearTimeout(timer);
    }
    for (let ending = this.#endings.pop(); ending; ending = this.#endings.pop()) {
      try {
        ending(how);
      } catch {
        // The others must have their turn.
      }
    }
  }

  /**
   * Ends the program on the signals that ask for it, with the exit code that shells expect (128 and the
   * signal's number), and tells of errors that nobody caught without ending for them. The end of a terminal is
   * none for a program that was started to outlive it (nohup).
   * @param report Gets those errors.
   */
  watch(report: (error: unknown) => void): void {
    const outlivesTerminal = isIgnored(SIGNAL_NUMBERS.SIGHUP!); // asked first: Deno's first listener changes it
    for (const signal of SIGNALS) {
      Deno.addSignalListener(signal, async () => {
        if (signal === "SIGHUP" && outlivesTerminal) return;
        await this.end("signal");
        Deno.exit(128 + SIGNAL_NUMBERS[signal]!);
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
}

/**
 * Whether whoever started this program had it ignore a signal, as nohup(1) does: proc(5), `SigIgn`.
 * @param number The signal's number.
 * @returns false also where that cannot be found out.
 */
function isIgnored(number: number): boolean {
  try {
    const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
    return (BigInt(`0x${mask}`) >> BigInt(number - 1) & 1n) === 1n;
  } catch {
    return false;
  }
}
