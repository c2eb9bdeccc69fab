/**
 * Agents' permission by program: each press, key or text by an agent is judged by the program whose window
 * receives it, and is performed, rejected, or held until a person answers.
 */

import { ExpectedError, ForbiddenError, on, StateError } from "../../core/errors.ts";
import { nodeModule } from "../../core/path.ts";
import { whileAnswering } from "../../core/until.ts";
import { type Judge, type Target, UnsentError } from "../desktop/desktop.ts";
import {
  type AnswerWord,
  isNamed,
  narrowest,
  type PolicyFile,
  type Program,
  programKey,
  programOf,
  programText,
  Questions,
  rightIn,
} from "./agent_policy.ts";
import type { Caller } from "./calls.ts";

/** How long a call waits for an answer, in milliseconds: clients give up on a silent call after 60 s. */
const WAIT_MS = 55_000;
/** How long a denied question is not asked again, in milliseconds. */
const DENIED_MS = 60_000;
const MINUTE_MS = 60_000;
/** Interval at which the file of `--agent-allow` is read again during an action, in milliseconds. */
const REREAD_MS = 1000;

/** An agent's action in progress. */
interface Attempt {
  /** The agent: its interface and its name for itself. */
  readonly agent: string;
  /** Whether input was sent. */
  hasActed: boolean;
  /** Keys of the programs allowed for this action only. */
  readonly once: Set<string>;
}

/** A refusal of input that was not sent yet. */
class TargetRefusal extends UnsentError {
  override name = "TargetRefusal";

  /** @param mayAsk Whether a person's answer could allow it. */
  constructor(message: string, readonly program: Program, readonly title: string, readonly mayAsk: boolean) {
    super(message);
  }
}

/** A grant that lasts until the agent is idle. */
interface SessionGrant {
  agent: string;
  program: Program;
}

/** Judges the input of agents. */
export class ProgramPermission {
  readonly questions: Questions;
  readonly #attempts: InstanceType<typeof import("node:async_hooks").AsyncLocalStorage<Attempt | undefined>>;
  /** Session grants, by agent and program. */
  readonly #session = new Map<string, SessionGrant>();
  /** The last call of each agent, and the last denials, on the scale of `performance.now()`. */
  readonly #calledAt = new Map<string, number>();
  readonly #deniedAt = new Map<string, number>();
  /**
   * Programs allowed for one action after its call had ended, by agent: they apply to the agent's next
   * action.
   */
  readonly #late = new Map<string, Set<string>>();
  /** Called with the programs whose grants a person revokes. */
  readonly onForget: Set<(programs: readonly Program[]) => void> = new Set();

  readonly #ending = new AbortController();

  constructor(readonly file: PolicyFile, readonly waitMs: number = WAIT_MS, openMs?: number) {
    this.questions = new Questions(openMs);
    this.#attempts = new (nodeModule("node:async_hooks").AsyncLocalStorage)<Attempt | undefined>();
  }

  /** The judge of the input being sent, as in `Targets`. */
  readonly judge = (): Judge | undefined => {
    const attempt = this.#attempts.getStore();
    return attempt && ((target, sends) => this.#judge(attempt, target, sends));
  };

  /** The grants that end with the agents' sessions. */
  get grants(): SessionGrant[] {
    this.#endIdle();
    return [...this.#session.values()];
  }

  /**
   * Runs an agent's action. While a question is open, no agent acts, so that none can answer its own question
   * with a click.
   * @param action The action's name.
   * @param run Runs the action; called again after an answer if no input has been sent yet.
   * @throws ForbiddenError if the agent may not act in the program; StateError if no answer came in time.
   */
  async within<T>(caller: Caller, action: string, run: () => Promise<T>): Promise<T> {
    const agent = agentOf(caller);
    await this.file.read();
    this.#endIdle();
    this.#calledAt.set(agent, performance.now());
    await this.#inTime(this.questions.settled(), caller);
    const attempt: Attempt = { agent, hasActed: false, once: this.#late.get(agent) ?? new Set() };
    this.#late.delete(agent);
    for (;;) {
      await this.file.read(); // it may have changed while a person was asked
      try {
        // A change of the file applies to a long action, too: `#judge` throws what reading it throws.
        const reread = async () => void await this.file.read().catch(() => {});
        return await whileAnswering(this.#attempts.run(attempt, run), REREAD_MS, reread);
      } catch (error) {
        if (!(error instanceof TargetRefusal)) throw error;
        // A plain error, since an action around this one must not be repeated after an answer.
        if (!error.mayAsk || attempt.hasActed) throw new ForbiddenError(error.message);
        await this.#ask(caller, action, error);
        for (const key of this.#late.get(agent) ?? []) attempt.once.add(key);
        this.#late.delete(agent);
      } finally {
        this.#calledAt.set(agent, performance.now());
      }
    }
  }

  /**
   * Ends grants.
   * @param name As in {@linkcode isNamed}; all session grants if left out.
   * @returns The programs, one for each grant.
   */
  async forget(name?: string): Promise<Program[]> {
    const ended = [...this.#session].filter(([, { program }]) =>
      name === undefined || isNamed(program, name)
    );
    for (const [key] of ended) this.#session.delete(key);
    this.#late.clear();
    const rows = name === undefined ? [] : await this.file.forget(name);
    const programs = [...ended.map(([, { program }]) => program), ...rows.map(narrowest)];
    if (programs.length) { for (const listener of this.onForget) listener(programs); }
    return programs;
  }

  /**
   * Runs the action of a caller that is not judged, even if its request arrives in the context of an agent's.
   */
  outside<T>(run: () => T): T {
    return this.#attempts.run(undefined, run);
  }

  /** Ends calls that wait for a person's answer, and all later waits for one. */
  endWaits(error: Error): void {
    this.#ending.abort(error);
  }

  /** Ends the open questions. */
  close(): void {
    this.questions.close();
  }

  #judge(attempt: Attempt, target: Target | undefined, sends: boolean): void {
    const { policy } = this.file;
    if (!target) {
      if (policy.default === "act") return;
      throw new UnsentError(
        "this desktop does not report which window would receive the input: agents can use elements, and type where the active " +
          "window is known (--agent-allow)",
      );
    }
    const program = programOf(target), key = programKey(program);
    const right = rightIn(policy, program, Date.now());
    const isGranted = attempt.once.has(key) || this.#session.has(grantKey(attempt.agent, key));
    if (right === "act" || right === "ask" && isGranted) attempt.hasActed ||= sends;
    else throw refusal(program, target.title, right === "ask", attempt.hasActed);
  }

  /** @throws ForbiddenError if a person denies it; StateError if no person answers in time. */
  async #ask(caller: Caller, action: string, { program, title }: TargetRefusal): Promise<void> {
    const agent = agentOf(caller), key = grantKey(agent, programKey(program));
    const denied = this.#deniedAt.get(key) ?? -Infinity;
    if (performance.now() - denied < DENIED_MS) throw new ForbiddenError(deniedText(program));
    const { client = "an agent" } = caller;
    const asked = this.questions.ask(key, { program, client, action: inWords(action), title });
    const question = this.questions.of(key);
    if (question) caller.asksPerson?.(question);
    const answer = await this.#inTime(asked, caller).catch((error) => {
      asked.then(async (late) => late && await this.#keep(late, agent, program)).catch(on(ExpectedError));
      throw error;
    });
    if (answer === undefined) throw new StateError(unansweredText(program));
    await this.#keep(answer, agent, program);
    if (answer === "deny") throw new ForbiddenError(deniedText(program));
  }

  /** Stores an answer for as long as it applies. */
  async #keep(answer: AnswerWord, agent: string, program: Program): Promise<void> {
    const key = grantKey(agent, programKey(program));
    if (answer === "deny") this.#deniedAt.set(key, performance.now());
    const facts = narrowest(program), isKnown = Object.keys(facts).length > 0;
    if (answer === "session" || answer === "always" && !isKnown) this.#session.set(key, { agent, program });
    if (answer === "always" && isKnown) await this.file.add({ ...facts, may: "act" });
    if (answer !== "once") return;
    const late = this.#late.get(agent) ?? new Set();
    this.#late.set(agent, late.add(programKey(program)));
  }

  /**
   * Waits for an answer as long as a call may. @throws StateError if none arrives; the caller's abort reason;
   * the error of {@linkcode endWaits}.
   */
  async #inTime<T>(answered: Promise<T>, caller: Caller): Promise<T> {
    if (!this.questions.open.length) return await answered;
    caller.waitsForPerson?.(this.waitMs);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    answered.then(resolve, reject);
    const [open] = this.questions.open;
    const timer = setTimeout(() => reject(new StateError(unansweredText(open.program))), this.waitMs);
    const signal = AbortSignal.any([caller.signal, this.#ending.signal]);
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave);
    try {
      signal.throwIfAborted();
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    }
  }

  #endIdle(): void {
    const before = performance.now() - this.file.policy.idleMinutes * MINUTE_MS;
    for (const [key, { agent }] of this.#session) {
      if ((this.#calledAt.get(agent) ?? -Infinity) < before) this.#session.delete(key);
    }
    for (const [agent, at] of this.#calledAt) if (at < before) this.#calledAt.delete(agent);
    for (const [key, at] of this.#deniedAt) {
      if (performance.now() - at > DENIED_MS) this.#deniedAt.delete(key);
    }
  }
}

const agentOf = ({ by = "http", client = "unknown" }: Caller) => `${by} ${client}`;
const grantKey = (agent: string, program: string) => `${agent} ${program}`;

/** An action's name in words for a person, such as `set element`. */
const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function refusal(program: Program, title: string, mayAsk: boolean, hasActed: boolean): TargetRefusal {
  const where = `${programText(program)}, window ${JSON.stringify(title)}`;
  const done = hasActed ? "the action stopped when that window came under it" : "nothing was done";
  return new TargetRefusal(`agents may not act in ${where}; ${done}`, program, title, mayAsk);
}

const deniedText = (program: Program) =>
  `the user does not allow you to act in ${programText(program)}: go on without it, or ask the user`;

const unansweredText = (program: Program) =>
  `no person has answered yet whether you may act in ${
    programText(program)
  }; nothing was done. The question is on ` +
  "deskhand's page, or in a notification: tell the user, then try the same again";
