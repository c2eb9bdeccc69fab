/** Observes the input of viewers that ask for it: one input at a time, without delaying any. */

import { ExpectedError } from "../../core/errors.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { ViewerInput } from "./protocol.ts";

/** The verdict of an input that was observed. */
export interface Verdict {
  /** The number that the viewer gave the input. */
  observe: number;
  verdict: string;
  reason: string;
}

/** An observed input: its number, and the function that ends the observation. */
interface Glance {
  number: number;
  end: () => Promise<Omit<Verdict, "observe">>;
}

/** The observations of one viewer. */
export class Glances {
  /** Keeps the screen watched. */
  #watching: Promise<Disposable> | undefined;
  #current: Glance | undefined;

  /** @param tell Gets the verdicts. */
  constructor(readonly runner: ActionRunner, readonly tell: (verdict: Verdict) => void) {}

  /** Begins or ends watching the screen. Only a watch of some length can tell which parts move by themselves. */
  async watch(isOn: boolean): Promise<void> {
    if (isOn && !this.#watching) {
      this.#watching = this.runner.changes().then((watch) => watch.watch());
      this.#watching.catch(() => this.#watching = undefined); // each observation tells why
    } else if (!isOn && this.#watching) {
      const watching = this.#watching;
      this.#watching = undefined;
      this.#drop();
      (await watching)[Symbol.dispose]();
    }
    await this.#watching;
  }

  /**
   * Observes an input that has a number, if it is a press or a whole action. Called just before the input runs.
   * @returns undefined if the input is not observed.
   */
  begin(input: ViewerInput): Promise<void> | undefined {
    const number = numberOf(input);
    if (number === undefined || !this.#watching || "down" in input && !input.down) return undefined;
    this.#drop();
    return this.#begin(number, input);
  }

  /** Gives the verdict on an input that has run; on a button, when it was released. */
  ran(input: ViewerInput): void {
    const current = this.#current;
    if (current?.number !== numberOf(input) || !current || input.type === "button" && input.down) return;
    this.#current = undefined;
    const { number: observe } = current;
    current.end().then(({ verdict, reason }) => this.tell({ observe, verdict, reason }))
      .catch(({ message }) => this.tell({ observe, verdict: "unsure", reason: message }));
  }

  async #begin(number: number, input: ViewerInput): Promise<void> {
    const { glance, targetOf } = await import("../observe/mod.ts");
    const { operator } = this.runner, watch = await this.runner.changes();
    try {
      const target = await targetOf(ACTION_OF[input.type] ?? "", { ...input }, operator);
      this.#current = { number, end: await glance({ operator, watch }, target) };
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      this.tell({ observe: number, verdict: "unsure", reason: error.message });
    }
  }

  /** Ends an observation whose button never went up. */
  #drop(): void {
    this.#current?.end().catch(() => {});
    this.#current = undefined;
  }
}

/** The actions that inputs are a part of. */
const ACTION_OF: Partial<Record<ViewerInput["type"], string>> = {
  button: "click",
  scroll: "scroll",
  key: "key",
  text: "type",
};

function numberOf(input: ViewerInput): number | undefined {
  return "observe" in input ? input.observe : undefined;
}
