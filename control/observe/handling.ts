/** Finds out when the program of a window has handled an action. */

import type { WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { now } from "../../core/clock.ts";

/** The time that the program of a window may take to handle an action, in milliseconds. */
const HANDLED_MS = 2000;

/** A question to the program of a window, which is put when {@linkcode ask} is called. */
export class Handling {
  /** The program's answer; undefined until it comes, and if the program cannot tell. */
  answer: boolean | undefined;
  /** The time of the answer, or when it became clear that no answer will come; undefined until then. */
  at: number | undefined;
  /** The wait for the answer, while it lasts. */
  told: Promise<void> | undefined;
  /** Tells whether the question need not be put any more. */
  isAsked = false;

  /** @param window The window whose program is asked; without a window there is no answer. */
  constructor(readonly operator: Operator, readonly window: WindowInfo | undefined) {
    if (!window) this.at = now();
    this.isAsked = !window;
  }

  /** Asks whether the program has handled the input so far. */
  ask(): void {
    this.isAsked = true;
    this.told = isHandled(this.operator, this.window!).then((answer) => {
      this.answer = answer;
      this.told = undefined;
      this.at = now();
    });
  }
}

/** Asks whether the window's program has handled the input so far. */
async function isHandled(operator: Operator, window: WindowInfo): Promise<boolean | undefined> {
  const { windows } = operator.desktop;
  return await windows?.hasHandled?.(window, HANDLED_MS).catch(() => undefined);
}
