/** Whether a window's program has handled the input that it was sent: by a ping, which comes behind the input. */

import { delay } from "@std/async/delay";
import { Mutex } from "../../../core/mutex.ts";
import { WINDOW_ATOMS, type WindowAtoms } from "../window_rows.ts";
import { XcbConnection } from "../xcb_connection.ts";
import { Asker } from "./questions.ts";

/**
 * The first pause between two looks for the answer, in milliseconds, the factor by which it grows with each look, and its
 * limit. A running program answers at once; frequent looks would take processor time from a late one.
 */
const LOOK = { ms: 3, growth: 1.5, limit: 15 } as const;
/**
 * The time in milliseconds for which this thread sleeps for the answer before the first look: a program that rests answers
 * within it, and a turn of the event loop would take 0.2 ms of the processor.
 */
const AT_ONCE_MS = 1;

/** Asks programs, over a connection that is opened with the first question. */
export class InputHandled {
  #xcb: XcbConnection | undefined;
  #atoms!: WindowAtoms;
  #asker!: Asker;
  /** The order of questions; after the last question the reading of answers ends. */
  readonly #turns = new Mutex(Infinity, "");

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * Asks the program of a window (EWMH, `_NET_WM_PING`).
   * @param ms The longest wait.
   * @returns Whether the program answered in time; undefined if it does not answer pings.
   * @throws DesktopUnavailableError if the server is gone.
   */
  async ask(window: number, ms: number): Promise<boolean | undefined> {
    return await this.#turns.run(() => this.#ask(window, ms));
  }

  async #ask(window: number, ms: number): Promise<boolean | undefined> {
    const xcb = this.#connected(), { WM_PROTOCOLS, _NET_WM_PING } = this.#atoms;
    if (!xcb.numbers(xcb.askProperty(window, WM_PROTOCOLS)).includes(_NET_WM_PING)) return undefined;
    const question = this.#asker.ping(window), end = performance.now() + ms;
    try {
      for (let pause = 0;; pause = Math.min(Math.max(LOOK.ms, pause * LOOK.growth), LOOK.limit)) {
        if (xcb.isBroken) return undefined; // the connection was closed since
        if (question.isAnswered()) return true;
        if (performance.now() >= end) return false;
        if (pause) await delay(pause);
        else xcb.waitForInput(AT_ONCE_MS);
      }
    } finally {
      question.end();
    }
  }

  /** Closes the connections. */
  close(): void {
    this.#xcb?.close();
    this.#xcb = undefined;
  }

  #connected(): XcbConnection {
    if (this.#xcb && !this.#xcb.isBroken) return this.#xcb;
    this.close();
    const xcb = new XcbConnection(this.display);
    this.#atoms = xcb.atoms(WINDOW_ATOMS);
    this.#asker = new Asker(xcb, this.#atoms);
    return this.#xcb = xcb;
  }
}
