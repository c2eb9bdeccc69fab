/**
 * Whether agents may act. People come first: a person's use of the mouse or keyboard stops agents for a
 * moment, and holding Escape stops them until a person allows them again.
 */

import { StateError } from "../../core/errors.ts";
import { deadline } from "../../core/until.ts";
import type { ObservedAction, Watch } from "../desktop/desktop.ts";
import type { CalledAction, CallListener, NotedCaller } from "./calls.ts";
import type { Operator } from "./operator.ts";
import type { ProgramPermission } from "./program_permission.ts";

/** How long a person's input pauses agents, in milliseconds. */
const PAUSE_MS = 3000;
/** Delay before a failed input watch is retried, in milliseconds. */
const RETRY_MS = 30_000;
/** How long Escape must be held to stop agents, in milliseconds. */
const ESCAPE_MS = 1000;
/**
 * Maximum time between release and next press of a repeating key, on devices that repeat that way (VNC), in
 * milliseconds.
 */
const REPEAT_MS = 50;
/** How long after a call an agent counts as working, in milliseconds. */
const AT_WORK_MS = 5000;

/** Maximum length of a stored client name, in characters. */
const NAME_LIMIT = 60;

/** An agent's call, as the page shows it. */
interface AgentCall {
  /** The client's name for itself. */
  client: string;
  tool: string;
}

const IN_USE = "a person is using the desktop: wait a few seconds, look at the screen, then go on";
const STOPPED = "a person stopped the agents: they may act again when a person allows it";

/** Decides whether agents may act. */
export class AgentPermission implements CallListener {
  #watching: Promise<Watch | undefined> | undefined;
  /** When the watch failed. */
  #failedAt = Infinity;
  #isAllowed = true;
  /** When a person last used the desktop, on the scale of `performance.now()`. */
  #personAt = -Infinity;
  #calledAt = -Infinity;
  #lastCall: AgentCall | undefined;
  /** Cancels the stop that follows if Escape stays down. */
  #escape: (() => void) | undefined;
  /** Cancels the end of the hold: a repeating key is released and pressed again. */
  #released: (() => void) | undefined;
  readonly #running = new Set<AbortController>();
  /** The programs in which agents may act; every program if left out. */
  programs?: ProgramPermission;
  /** Called when agents' actions are stopped. */
  readonly stops: Set<() => void> = new Set();

  constructor(readonly operator: Operator) {}

  /** Whether agents may act: no person has stopped them. */
  get isAllowed(): boolean {
    return this.#isAllowed;
  }

  /** Whether an agent called recently. */
  get isAtWork(): boolean {
    return this.#running.size > 0 || performance.now() - this.#calledAt < AT_WORK_MS;
  }

  /** Allows agents to act, or forbids it and stops their current actions. */
  allow(allowed: boolean): void {
    this.#isAllowed = allowed;
    if (!allowed) this.#stopRunning(STOPPED);
  }

  /** Records input by a person and stops agents' running calls. */
  personActs(): void {
    this.#personAt = performance.now();
    this.#stopRunning(IN_USE);
  }

  /** The last call of an agent; undefined before the first. */
  get lastCall(): AgentCall | undefined {
    return this.#lastCall;
  }

  /** Records a call by an agent, even one that only looks. */
  toolCalled({ name }: Pick<CalledAction, "name">, { client = "" }: NotedCaller): undefined {
    this.#calledAt = performance.now();
    this.#lastCall = { client: client.slice(0, NAME_LIMIT), tool: name };
  }

  /**
   * Runs an agent's call.
   * @param run The call; its signal is aborted when a person takes over.
   * @throws StateError if agents may not act now.
   */
  async guard<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    await this.#watch();
    this.#check();
    const stopping = new AbortController();
    this.#running.add(stopping);
    try {
      return await run(stopping.signal);
    } finally {
      this.#running.delete(stopping);
      this.#calledAt = performance.now();
    }
  }

  /** Stops watching a person's input. */
  async close(): Promise<void> {
    this.#endEscape();
    this.programs?.close();
    this.#released?.();
    const watching = this.#watching;
    this.#watching = undefined;
    await (await watching)?.close();
  }

  #check(): void {
    if (!this.#isAllowed) throw new StateError(STOPPED);
    if (performance.now() - this.#personAt < PAUSE_MS) throw new StateError(IN_USE);
  }

  #stopRunning(reason: string): void {
    for (const running of this.#running) running.abort(new StateError(reason));
    for (const stop of this.stops) stop();
  }

  /** Watches input from the first acting call. Where input cannot be watched, agents act unwatched. */
  async #watch(): Promise<void> {
    if (performance.now() - this.#failedAt > RETRY_MS) {
      [this.#watching, this.#failedAt] = [undefined, Infinity];
    }
    this.#watching ??= this.operator.desktop.observer.watch({
      actions: (batch) => this.#observe(batch),
      problem: (kind) => {
        if (kind === "ended") this.#watching = undefined; // the next call watches again
      },
    }).catch(() => void (this.#failedAt = performance.now()));
    await this.#watching;
  }

  #observe(batch: readonly ObservedAction[]): void {
    for (const { action, injected } of batch) {
      if (injected) continue;
      this.personActs();
      if (action.type === "key" && action.key === "escape") this.#observeEscape(action.down);
    }
  }

  /** A repeating key is pressed again and again, with or without releases in between. */
  #observeEscape(down: boolean): void {
    this.#released?.();
    if (down) this.#escape ??= deadline(ESCAPE_MS, () => this.allow(false));
    else this.#released = deadline(REPEAT_MS, () => this.#endEscape());
  }

  #endEscape(): void {
    this.#escape?.();
    this.#escape = undefined;
  }
}
