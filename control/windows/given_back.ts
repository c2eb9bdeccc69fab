/**
 * Protects the person's keyboard focus while a program acts behind their window: it is restored if a window
 * of the program takes it.
 */

import { delay } from "@std/async/delay";
import { ExpectedError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { type ActiveWatch, type ActiveWindow, contains, type WindowInfo } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { activeOf, listWindows, quotedTitle } from "./list.ts";

/**
 * Polling interval for the active window where nothing reports its changes, in milliseconds: a look takes
 * about 1.
 */
const LOOK_MS = 3;
/** Maximum time without a look where changes are reported, in milliseconds: the watch may end meanwhile. */
const WATCHED_MS = 200;
/**
 * How long after an act its answer waits for a window, in milliseconds: most dialogs open within 50, and GTK
 * 4 takes 300 to show the first.
 */
const ANSWER_MS = { opening: 400, other: 100 };
/** How long after the act windows that it opened must return the focus, in milliseconds. */
const FOLLOWED_MS = 1000;
/** Maximum time for the program to handle the request, in milliseconds. */
const HANDLED_MS = 500;
/** Time after which a window manager that has not restored the focus is asked again, in milliseconds. */
const AGAIN_MS = 30;
/**
 * Maximum number of focus requests after one act: a program that insists keeps the focus. GTK takes it again
 * when its new window is drawn.
 */
const MOST = 12;

/**
 * Runs a program's act that must not take the focus, and restores the focus to the window that has it if a
 * window of the program takes it: one that opens within a second (four on a busy machine), or an existing
 * one.
 * @param window The window in which the program acts.
 * @param mayOpen Whether the act may open windows, as pressing a button does.
 * @param act Resolves when the program has answered.
 * @returns What `act` returns; `focus` says in words that the focus was restored, and when.
 */
export async function keepingFocus<T>(
  operator: Operator,
  window: WindowInfo,
  mayOpen: boolean,
  act: () => Promise<T>,
): Promise<{ result: T; focus?: string }> {
  const before = await listWindows(operator), kept = activeOf(before);
  if (!kept) return { result: await act() };
  const keeper = new FocusKeeper(operator, window, before, kept, mayOpen);
  keeper.follow();
  try {
    const result = await act(), focus = await keeper.ended();
    return { result, ...(focus === undefined ? {} : { focus }) };
  } finally {
    keeper.endSoon();
  }
}

/** Follows the active window during an act and for a while after it. */
class FocusKeeper {
  /** When the wait for the answer and the whole watch end, on the scale of `performance.now()`. */
  #answerAt = Infinity;
  #endAt = Infinity;
  /** When the protected window was last seen active, and when its activation was last requested. */
  #activeAt = performance.now();
  #askedAt = -Infinity;
  #count = 0;
  readonly #watch: ActiveWatch | undefined;
  /** Title of the last window that took the focus. */
  #by: string | undefined;
  /** Whether it has the focus. */
  #isTaken = false;
  /** When the protected window stopped being active, on the watch's clock; undefined while it is active. */
  #leftAt: number | undefined;
  /** How long a window of the act has had the focus, in milliseconds. */
  #lostMs = 0;

  constructor(
    readonly operator: Operator,
    readonly window: WindowInfo,
    readonly before: readonly WindowInfo[],
    readonly kept: WindowInfo,
    readonly mayOpen: boolean,
  ) {
    this.#watch = operator.desktop.windows?.watchActive?.((active) => this.#instead(active));
  }

  /** Starts following, without keeping the program alive. Never throws. */
  follow(): void {
    this.#follow().catch((error) => {
      this.#endAt = 0;
      if (!(error instanceof ExpectedError)) throw error; // the desktop may have ended
    }).finally(() => this.#watch?.[Symbol.dispose]());
  }

  /** Waits until a window would have opened, and a focus that was taken is restored. */
  async ended(): Promise<string | undefined> {
    this.endSoon();
    await this.operator.desktop.windows?.hasHandled?.(this.window, HANDLED_MS).catch(() => undefined);
    const ms = ANSWER_MS[this.mayOpen ? "opening" : "other"];
    this.#answerAt = performance.now() + timeByLoad(ms);
    while (performance.now() < this.#answerAt || this.#isTaken && performance.now() < this.#endAt) {
      await delay(LOOK_MS);
    }
    if (this.#by === undefined) return undefined;
    return this.#isTaken
      ? `taken by ${this.#by}, which keeps it`
      : `given back after ${Math.ceil(this.#lostMs)} ms: ${this.#by} had taken it`;
  }

  endSoon(): void {
    this.#endAt = Math.min(this.#endAt, performance.now() + timeByLoad(FOLLOWED_MS));
  }

  async #follow(): Promise<void> {
    while (performance.now() < this.#endAt) {
      await this.#look();
      if (this.#watch) await this.#nextChange(this.#watch);
      else await delay(LOOK_MS, { persistent: false });
    }
  }

  /** Waits until it is time for a look. While the manager is asked, a look would only delay it. */
  async #nextChange(watch: ActiveWatch): Promise<void> {
    while (performance.now() < this.#endAt) {
      if (!await watch.changed(this.#isTaken ? AGAIN_MS : WATCHED_MS) || !this.#isTaken) return;
    }
  }

  /** The protected window, if the window that became active took the focus because of the act. */
  #instead(active: ActiveWindow): WindowInfo | undefined {
    this.#note(active.id, active.at);
    if (!this.#isNew(active) || !this.#mayAsk()) return undefined;
    this.#asked(active);
    return this.kept;
  }

  async #look(): Promise<void> {
    const { operator, kept } = this, windows = await listWindows(operator), active = activeOf(windows);
    if (!windows.some(({ id }) => id === kept.id)) this.#endAt = 0; // closed: nothing to restore the focus to
    if (!active) return;
    if (!this.#watch) this.#note(active.id, performance.now());
    const isAsked = performance.now() - this.#askedAt < AGAIN_MS;
    if (active.id === kept.id || isAsked || !this.#mayAsk()) return;
    if (!this.#isNew(active) && !await this.#isRaised(active)) return;
    this.#asked(active);
    await operator.read(({ windows }) => windows!.change(kept, { to: "active" }));
  }

  /** Records which window is active, and since when at the latest. */
  #note(id: string, at: number): void {
    if (id !== this.kept.id) {
      this.#leftAt ??= this.#watch ? at : this.#activeAt;
      return;
    }
    if (this.#isTaken) this.#lostMs += at - (this.#leftAt ?? at);
    this.#isTaken = false;
    this.#leftAt = undefined;
    this.#activeAt = at;
  }

  #mayAsk(): boolean {
    return this.#count < MOST && performance.now() < this.#endAt;
  }

  #asked(active: Pick<WindowInfo, "title">): void {
    this.#count++;
    this.#askedAt = performance.now();
    this.#isTaken = true;
    this.#by = quotedTitle(active);
  }

  /** Whether the act opened the active window. */
  #isNew(active: Pick<WindowInfo, "id" | "class" | "pid">): boolean {
    return this.#isOfProgram(active) && !this.before.some(({ id }) => id === active.id);
  }

  /**
   * Whether the act activated an existing window, rather than the person, who would do so with a click (the
   * pointer is then in the window) or later with keys.
   */
  async #isRaised(active: WindowInfo): Promise<boolean> {
    return this.#isOfProgram(active) && performance.now() < this.#answerAt &&
      !contains(active, await this.operator.sharedPosition());
  }

  #isOfProgram({ pid, class: name }: Pick<WindowInfo, "class" | "pid">): boolean {
    return this.window.pid === undefined ? name === this.window.class : pid === this.window.pid;
  }
}
