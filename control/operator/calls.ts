/** Callers, and announcements of their calls to listeners: a trace, the metrics, the permission of agents. */

import type { Question } from "./agent_policy.ts";
import type { Fields } from "../schema/schema.ts";

/** Interfaces that callers use. */
export type CallerKind = "http" | "mcp" | "act" | "page" | "prompt" | "vnc" | "webdriver";

export interface Caller {
  /** The caller's interface; HTTP if left out. */
  readonly by?: CallerKind;
  /** The caller's name for itself. */
  readonly client?: string;
  /**
   * Whether the caller is an AI agent or a driver, which may act only in the programs that `--agent-allow`
   * lists.
   */
  readonly isAgent?: boolean;
  /** Whether the caller declares the texts of its actions secret. */
  readonly isSensitive?: boolean;
  /**
   * Key of the pictures in which the caller chose where to press; left out if it did not choose from a
   * picture.
   */
  readonly sees?: string | undefined;
  /** Aborted when the caller leaves or cancels. */
  readonly signal: AbortSignal;
  /** Called when the call waits for a person's answer, with the maximum wait in milliseconds. */
  waitsForPerson?(ms: number): void;
  /** Called with the question that this call asks a person. */
  asksPerson?(question: Question): void;
  /** Called when the action no longer needs the large part of its input. */
  inputRead?(): void;
  /**
   * Checks whether the caller has left, like `ActionContext.hasLeft`; left out if the caller's signal is
   * always aborted when it leaves.
   */
  hasLeft?(): Promise<boolean | undefined>;
}

/** The caller properties that listeners record. */
export type NotedCaller = Pick<Caller, "by" | "client" | "isSensitive">;

/** An action as listeners see it. */
export interface CalledAction {
  readonly name: string;
  readonly effect: string;
  readonly input: Fields;
}

/** A call in progress, followed by a listener. */
export interface FollowedCall {
  /**
   * The call has ended. @param outcome Its result or error, and its observation (`Seen` of observe/), if any.
   */
  ended(outcome: { result?: unknown; seen?: unknown; error?: unknown }): void;
  /** The action starts only now: the time until now went into preparing its observation. */
  restarted(): void;
  /** The action has finished, though its observation continues. */
  done(): void;
}

/** The end of a call of an agent's tool, without the texts that the agent typed. */
export interface ToolOutcome {
  /** The arguments, with typed texts as their length. */
  values: Record<string, unknown>;
  /** Why the call failed; undefined if it did not. */
  error?: string | undefined;
}

/** A listener that follows calls. Each method is called as soon as its event happens, and must not throw. */
export interface CallListener {
  /** A call begins. @returns The followed call, if the listener follows it. */
  began?(
    action: CalledAction,
    caller: NotedCaller,
    values: Record<string, unknown>,
  ): FollowedCall | undefined;
  /** One run of an action has ended. */
  ended?(action: CalledAction, hasFailed: boolean): void;
  /** A call was refused before its action ran. */
  refused?(action: CalledAction, caller: NotedCaller, error: unknown): void;
  /**
   * An agent tool is called.
   * @returns A function called when the tool has answered, which may ask for the outcome.
   */
  toolCalled?(
    tool: Pick<CalledAction, "name" | "effect">,
    caller: NotedCaller,
  ): ((outcome: () => ToolOutcome) => void) | undefined;
  /** A trace has started, paused, resumed or ended. */
  traced?(state: "off" | "running" | "paused"): void;
}

/** Announces calls to listeners. */
export class Calls {
  readonly #listeners = new Set<CallListener>();
  #followers: readonly CallListener[] = [];

  /**
   * Adds a listener.
   * @returns A function that removes it.
   */
  on(listener: CallListener): () => void {
    this.#listeners.add(listener);
    this.#sort();
    return () => {
      this.#listeners.delete(listener);
      this.#sort();
    };
  }

  #sort(): void {
    this.#followers = [...this.#listeners].filter(({ began }) => began);
  }

  /** Whether any listener follows calls from their start. */
  get isFollowed(): boolean {
    return this.#followers.length > 0;
  }

  /** Announces the start of a call. @returns The call that listeners follow; undefined if none does. */
  began(
    action: CalledAction,
    caller: NotedCaller,
    values: Record<string, unknown>,
  ): FollowedCall | undefined {
    if (!this.#followers.length) return undefined;
    const calls = this.#followers.map((listener) => listener.began!(action, caller, values)).filter((call) =>
      !!call
    );
    if (calls.length < 2) return calls[0];
    return {
      ended: (outcome) => calls.forEach((call) => call.ended(outcome)),
      restarted: () => calls.forEach((call) => call.restarted()),
      done: () => calls.forEach((call) => call.done()),
    };
  }

  /** Announces the end of a run of an action. */
  ended(action: CalledAction, hasFailed: boolean): void {
    for (const listener of this.#listeners) listener.ended?.(action, hasFailed);
  }

  /** Announces a rejected call. */
  refused(action: CalledAction, caller: NotedCaller, error: unknown): void {
    for (const listener of this.#listeners) listener.refused?.(action, caller, error);
  }

  /**
   * Announces an agent tool call. @returns A function that announces its answer, with a function that makes its outcome.
   */
  toolCalled(
    tool: Pick<CalledAction, "name" | "effect">,
    caller: NotedCaller,
  ): (outcome: () => ToolOutcome) => void {
    const ends = [...this.#listeners].map((listener) => listener.toolCalled?.(tool, caller));
    return (outcome) => ends.forEach((end) => end?.(outcome));
  }

  /** Announces the state of the trace. */
  traced(state: "off" | "running" | "paused"): void {
    for (const listener of this.#listeners) listener.traced?.(state);
  }
}

// Judgements on actions, and their words.

export const VERDICTS = ["hit", "miss", "unsure"] as const;
/** One of {@linkcode VERDICTS}. */
type Verdict = typeof VERDICTS[number];

/** A verdict with its reason. */
export interface Judgement {
  verdict: Verdict;
  reason: string;
}

/** Writes a verdict, with its reason unless it is a hit. */
export function verdictText({ verdict, reason }: Judgement): string {
  return verdict === "hit" ? verdict : `${verdict}: ${reason}`;
}
