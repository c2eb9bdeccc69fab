/**
 * Sends several inputs to a running deskhand in one request: a request for each input takes ten times as long as the
 * input itself. Commands continue as if each input had succeeded; a failure is reported before the next command that
 * is no input.
 */

import { ExpectedError } from "../../core/errors.ts";
import { RefusedError, type Step, type StepCalls } from "./calls_http.ts";
import { waitUntil } from "./wait_until.ts";

/** The most steps that go together: some milliseconds of input. */
const MOST = 100;
/** The status of an answer to a wrong input, such as a place that is no longer on the screen. */
const WRONG_INPUT = 400;

/** An earlier command of the same chain has failed, and that is printed. */
export class ChainFailedError extends Error {
  override name = "ChainFailedError";
}

/** The command that steps are of. */
export interface StepCommand {
  /** The chain, which ends where one of its steps fails. */
  chain: object;
  /** Prints why a step has failed. */
  report(error: ExpectedError): void;
}

/** Sends an input by xdotool's library that deskhand has refused as wrong, or gives the step to send instead. */
type Own = () => Step | void;

/** A step that waits to be sent. */
interface Waiting {
  step: Step;
  command: StepCommand;
  own?: Own;
}

/** A failure, and how many steps were done before it, if that is known. */
interface Failure {
  error: ExpectedError;
  done?: number;
}

/** Steps in their order. */
export class Steps {
  readonly #calls: StepCalls;
  #waiting: Waiting[] = [];
  /** Steps that are sent, and their failure, which is checked only before the next steps are sent. */
  #sent: { steps: readonly Waiting[]; failure: Promise<Failure | undefined> } | undefined;
  #command: StepCommand | undefined;
  /** The earliest time of the next step, in milliseconds. */
  #due = 0;

  constructor(calls: StepCalls) {
    this.#calls = calls;
  }

  /** Tells whether a step may still fail: steps wait, or the answer to sent steps is not read yet. */
  get isOpen(): boolean {
    return this.#waiting.length > 0 || this.#sent !== undefined;
  }

  /** Tells the command that the next steps are of. */
  begin(command: StepCommand): void {
    this.#command = command;
  }

  /**
   * Adds a step; the caller treats it as done.
   * @param own Is called if deskhand refuses the step as wrong.
   * @throws As {@linkcode send} does.
   */
  async add(step: Step, own?: Own): Promise<void> {
    this.#pause();
    this.#waiting.push({ step, command: this.#command!, own });
    if (this.#waiting.length < MOST) return;
    if (await this.#hasFailed()) throw new ChainFailedError();
    this.#start();
  }

  /** Gives the time at which the next step may be sent, in milliseconds: now, when the last pause is over. */
  now(): number {
    this.#pause();
    return performance.now();
  }

  /** Delays everything after it until a time: the next step, and commands that wait for all steps. */
  async pauseUntil(time: number): Promise<void> {
    await this.send();
    this.#due = time;
  }

  /** Sends the steps, and waits until they are done and the last pause is over. */
  async settle(): Promise<void> {
    await this.send();
    this.#pause();
  }

  #pause(): void {
    if (this.#due) waitUntil(this.#due);
    this.#due = 0;
  }

  /**
   * Sends the steps and waits until they are done. Where a step fails, the other steps of its chain are dropped.
   * @throws ChainFailedError if a step of the newest chain fails.
   */
  async send(): Promise<void> {
    let hasFailed = await this.#hasFailed();
    while (this.#waiting.length) {
      this.#start();
      hasFailed = await this.#hasFailed() || hasFailed;
    }
    if (hasFailed) throw new ChainFailedError();
  }

  #start(): void {
    const steps = this.#waiting.splice(0);
    this.#sent = { steps, failure: this.#failureOf(steps) };
  }

  async #failureOf(steps: readonly Waiting[]): Promise<Failure | undefined> {
    try {
      return await this.#calls.steps(steps.map(({ step }) => step));
    } catch (error) {
      if (error instanceof ExpectedError) return { error };
      throw error;
    }
  }

  /**
   * Waits until the steps that are sent are done.
   * @returns Whether a step of the newest chain has failed.
   */
  async #hasFailed(): Promise<boolean> {
    const sent = this.#sent, failure = await sent?.failure;
    this.#sent = undefined;
    if (!sent || !failure) return false;
    const { error, done } = failure;
    // Without an answer that tells how far deskhand came, no step is sent again, since it may be done already.
    const failed = done === undefined ? sent.steps : [sent.steps[done]];
    if (done !== undefined) this.#waiting.unshift(...sent.steps.slice(done + 1));
    const [{ own, command }] = failed;
    if (done !== undefined && own && error instanceof RefusedError && error.status === WRONG_INPUT) {
      const step = own();
      if (step) this.#waiting.unshift({ step, command });
      return false;
    }
    const chains = new Map<object, StepCommand>();
    for (const { command } of failed) if (!chains.has(command.chain)) chains.set(command.chain, command);
    for (const command of chains.values()) command.report(error);
    this.#waiting = this.#waiting.filter(({ command }) => !chains.has(command.chain));
    return chains.has(this.#command!.chain);
  }
}
