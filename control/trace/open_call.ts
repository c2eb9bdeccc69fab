/** A running call in a trace: only the data that must be noted at once. The entry is made later. */

import type { Seen } from "../observe/observation.ts";
import type { EndedCall } from "./calls.ts";
import type { TracedAction, TracedCaller } from "./entry.ts";
import type { TracedCall } from "./recorder_parts.ts";

/** Gets the call when it has ended. */
interface CallListener {
  timeOf(at: number): number;
  ended(call: OpenCall, now: number): void;
}

/** Rounds milliseconds to one decimal. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** A call of an action, from its beginning to its end. */
export class OpenCall implements TracedCall, EndedCall {
  result: unknown;
  seen: Seen | undefined;
  error: unknown;
  /** The time at which the action was over; 0 until then. */
  #until = 0;

  /** @param from The time at which the call began, in milliseconds of `performance.now()`. */
  constructor(
    readonly action: TracedAction,
    public caller: TracedCaller,
    public values: Record<string, unknown>,
    private from: number,
    private readonly listener: CallListener,
  ) {
    // Notes the size of a file now, before its bytes move to another thread.
    const { png } = values;
    if (png instanceof Uint8Array) this.values = { ...values, png: { bytes: png.length } };
  }

  get t(): number {
    return this.listener.timeOf(this.from);
  }

  get ms(): number {
    return tenths(this.#until - this.from);
  }

  restarted(): void {
    this.from = performance.now();
  }

  done(): void {
    this.#until ||= performance.now();
  }

  ended({ result, seen, error }: { result?: unknown; seen?: Seen; error?: unknown }): void {
    const now = performance.now();
    this.#until ||= now;
    // Reads the client's name and the call's secrecy now: the request ends with the call, and the next call may
    // change both.
    const { by, client, isSensitive } = this.caller;
    this.caller = { by, client, isSensitive };
    this.result = result;
    this.seen = seen;
    this.error = error;
    this.listener.ended(this, now);
  }
}
