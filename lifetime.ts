/** What must happen on every way out: the end of main, signals, and errors nobody caught. */

/** Signals that end a program, by system. */
const SIGNALS: Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
const SIGNAL_NUMBERS: Partial<Record<Deno.Signal, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGTERM: 15,
  SIGBREAK: 21,
};

/** Whether the program came to its end, or a signal ended it. */
export type Ending = "finished" | "signal";

/** Runs what was put down, last first, exactly once. */
export class Lifetime {
  readonly #endings: ((how: Ending) => void)[] = [];

  /**
   * Puts down what to do at the end.
   * @param ending Synchronous, since a signal leaves no time; what it throws is passed over.
   */
  atEnd(ending: (how: Ending) => void): void {
    this.#endings.push(ending);
  }

  /** Does everything that was put down. Safe to call again. */
  end(how: Ending): void {
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
   * signal's number), and tells of errors that nobody caught without ending for them.
   * @param report Gets those errors.
   */
  watch(report: (error: unknown) => void): void {
    for (const signal of SIGNALS) {
      Deno.addSignalListener(signal, () => {
        this.end("signal");
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
