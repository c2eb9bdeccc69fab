/** The actions of one viewer of the live picture, in order of arrival, and what the viewer holds down. */

import type { Caller, CallerKind } from "../operator/calls.ts";
import type { Point } from "../desktop/desktop.ts";
import { type Held, heldName } from "../operator/held.ts";
import type { Fields, Values } from "../schema/schema.ts";
import type { Action, ActionOutput, ResultOf } from "./action.ts";
import { ACTIONS } from "./mod.ts";
import type { ActionRunner } from "./runner.ts";

/** Maximum number of queued inputs; a viewer that sends faster is disconnected. */
const WAITING = 1000;

/** Runs a viewer's actions. The viewer is a person and takes precedence over agents. */
export class ViewerActions {
  readonly #leaving = new AbortController();
  readonly #caller: Caller;
  /** Keys and buttons that the viewer holds down, by {@linkcode heldName}. */
  readonly #held = new Map<string, Held>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;

  /**
   * @param runner Runs the actions.
   * @param by The viewer's interface.
   * @param client The viewer's name, if it has one.
   */
  constructor(readonly runner: ActionRunner, by: CallerKind, client: string | undefined) {
    this.#caller = { signal: this.#leaving.signal, by, client };
  }

  /** Whether more inputs are queued than a legitimate viewer sends. */
  get isFull(): boolean {
    return this.#waiting >= WAITING;
  }

  /** Whether the viewer has left. */
  get isClosed(): boolean {
    return this.#leaving.signal.aborted;
  }

  /**
   * Queues work behind everything that came before, however long each takes.
   * @param onError Receives the error.
   */
  queue(run: () => Promise<void>, onError: (error: Error) => void): void {
    this.#waiting++;
    this.#turn = this.#turn.then(() => {
      this.runner.permission.personActs();
      return run();
    }).catch(onError).finally(() => {
      this.#waiting--;
      this.runner.pictures.viewers?.acted();
    });
  }

  run<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
  ): Promise<ResultOf<O>> {
    return this.runner.run(action, values, this.#caller);
  }

  /** Presses or releases a key or button. What a viewer presses is released when it leaves. */
  async press(held: Held, down: boolean, point?: Point): Promise<void> {
    const { runner } = this, [kind, name] = held, values = { [kind]: name, x: point?.x, y: point?.y };
    if (down) {
      await this.run(ACTIONS.press, values);
      this.#held.set(heldName(held), held);
    } else if (this.#held.delete(heldName(held))) {
      const release = () => runner.operator.releaseOwned([held], point);
      await runner.noted(ACTIONS.release, values, this.#caller, release);
    } else await this.run(ACTIONS.release, values);
  }

  /** Releases everything that the viewer holds down. */
  async releaseHeld(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await this.runner.operator.releaseOwned(held);
  }

  /**
   * Releases the keys and buttons that the viewer holds down, after everything that came before: the viewer
   * has left.
   */
  close(): void {
    if (this.isClosed) return;
    this.#leaving.abort();
    this.#turn = this.#turn.then(() => this.releaseHeld()).catch(() => {});
  }
}
