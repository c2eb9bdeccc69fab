/** Who calls, and the announcement of calls to what follows them: a trace, the metrics, the permission of agents. */

import type { Question } from "./agent_policy.ts";
import type { Fields } from "../schema/schema.ts";

/** Interfaces by which callers come. */
export type CallerKind = "http" | "mcp" | "act" | "page" | "prompt" | "vnc" | "webdriver";

export interface Caller {
  /** The interface that the caller came by; HTTP if left out. */
  readonly by?: CallerKind;
  /** The name that the caller gives itself. */
  readonly client?: string;
  /** Whether the caller is an AI agent or a driver, which may act only in the programs of `--agent-allow`. */
  readonly isAgent?: boolean;
  /** Whether the caller calls the texts of its actions secrets. */
  readonly isSensitive?: boolean;
  /** The name of the pictures in which the caller chose the place of this call's press; left out if it chose it otherwise. */
  readonly sees?: string | undefined;
  /** Aborted when the caller goes away or cancels. */
  readonly signal: AbortSignal;
  /** Called when the call waits for a person's answer, with the longest wait in milliseconds. */
  waitsForPerson?(ms: number): void;
  /** Called with the question of this call that waits for a person. */
  asksPerson?(question: Question): void;
  /** Called when the action no longer needs the large part of its input. */
  inputRead?(): void;
  /**
   * Asks whether the caller has left, as `ActionContext` has it; left out by a caller whose signal is always aborted
   * when it leaves.
   */
  hasLeft?(): Promise<boolean | undefined>;
}

/** The part of a caller that a listener notes. */
export type NotedCaller = Pick<Caller, "by" | "client" | "isSensitive">;

/** An action, as listeners see it. */
export interface CalledAction {
  readonly name: string;
  readonly effect: string;
  readonly input: Fields;
}

/** A call in progress that a listener follows. */
export interface FollowedCall {
  /** The call has ended. @param outcome Its result or error, and its observation (`Seen` of observe/) if there is one. */
  ended(outcome: { result?: unknown; seen?: unknown; error?: unknown }): void;
  /** The action begins only now: the time before was spent on preparing its observation. */
  restarted(): void;
  /** The action is over, though its observation continues. */
  done(): void;
}

/** Something that follows calls. Each method is called as soon as the event happens, and must not throw. */
export interface CallListener {
  /** A call begins. @returns The call, if the listener follows it. */
  began?(
    action: CalledAction,
    caller: NotedCaller,
    values: Record<string, unknown>,
  ): FollowedCall | undefined;
  /** A run of an action has ended. */
  ended?(action: CalledAction, hasFailed: boolean): void;
  /** A call was refused before its action ran. */
  refused?(action: CalledAction, caller: NotedCaller, error: unknown): void;
  /**
   * A tool of agents is called.
   * @returns Called when the tool has answered, with the error or undefined.
   */
  toolCalled?(
    tool: Pick<CalledAction, "name" | "effect">,
    caller: NotedCaller,
    given: Record<string, unknown>,
  ): ((error: unknown) => void) | undefined;
  /** A trace has begun, paused, continued or ended. */
  traced?(state: "off" | "running" | "paused"): void;
}

/** Announces calls. */
export class Calls {
  readonly #listeners = new Set<CallListener>();
  #followers: readonly CallListener[] = [];

  /**
   * Adds a listener.
   * @returns Removes it.
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

  /** Whether a listener follows calls from their beginning. */
  get isFollowed(): boolean {
    return this.#followers.length > 0;
  }

  /** Announces that a call begins. @returns The call for what follows it; undefined if nothing does. */
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

  /** Announces that a run of an action has ended. */
  ended(action: CalledAction, hasFailed: boolean): void {
    for (const listener of this.#listeners) listener.ended?.(action, hasFailed);
  }

  /** Announces that a call was refused. */
  refused(action: CalledAction, caller: NotedCaller, error: unknown): void {
    for (const listener of this.#listeners) listener.refused?.(action, caller, error);
  }

  /** Announces a call of an agents' tool. @returns Announces its answer, with the error or undefined. */
  toolCalled(
    tool: Pick<CalledAction, "name" | "effect">,
    caller: NotedCaller,
    given: Record<string, unknown>,
  ): (error: unknown) => void {
    const ends = [...this.#listeners].map((listener) => listener.toolCalled?.(tool, caller, given));
    return (error) => ends.forEach((end) => end?.(error));
  }

  /** Announces the state of the traces. */
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
