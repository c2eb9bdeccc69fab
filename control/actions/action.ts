/**
 * Rows of the table of actions. A row defines an action's input and result, whether the action reads or acts,
 * and how it runs. HTTP, the prompt, the live socket and recordings translate rows into their own forms.
 */

import type { Bytes } from "../../core/bytes.ts";
import type { OverdueError } from "../../core/errors.ts";
import type { Point } from "../desktop/input.ts";
import type { WindowInfo } from "../desktop/windows.ts";
import type { Finder } from "../find/find.ts";
import type { ChangeFollower } from "../observe/follower.ts";
import type { SeenPictures } from "../observe/mod.ts";
import type { Caller, FollowedCall } from "../operator/calls.ts";
import type { PressGuard } from "../operator/activation.ts";
import type { Operator } from "../operator/operator.ts";
import type { AgentPermission } from "../operator/permission.ts";
import type { TextReader } from "../read/reader.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { Fields, Values } from "../schema/schema.ts";
import type { Traces } from "../trace/traces.ts";

/** The effect of an action on the desktop, which decides where it is available. */
export type Effect =
  /** Shows the screen; available under `--read-only`. */
  | "read"
  /** Reveals what a person typed, such as a recording; not available under `--read-only`. */
  | "private"
  /** Changes the desktop or the recorder; not available under `--read-only`. */
  | "act";

export interface ActionContext {
  operator: Operator;
  recorder: Recorder;
  /** Whether AI agents may act. */
  permission: AgentPermission;
  /** Searches for pictures. */
  finder: Finder;
  /** Reads text on the screen; loaded on first use. */
  reader(): Promise<TextReader>;
  /** Changes of the screen and the windows; loaded on first use. */
  followed(): Promise<ChangeFollower>;
  /** The pictures given to callers; loaded on first use. */
  seen(): Promise<SeenPictures>;
  /** The traces; loaded on first use. */
  traces(): Promise<Traces>;
  /** Address of the control API, without a trailing slash; undefined if it is not running. */
  url: string | undefined;
  /** Aborted when the caller leaves or cancels, or when the call exceeds its time limit. */
  readonly signal: AbortSignal;
  /** The window expected under a press whose place was chosen in a picture. */
  readonly expects?: PressGuard | undefined;
  /** The windows just before the action, as `listWindows` takes them; left out unless it is observed. */
  readonly windows?: readonly WindowInfo[] | undefined;
  /** @throws OverdueError if the call has exceeded its time limit. */
  check?(): void;
  /**
   * Runs a part of an action that waits and looks before the action does anything.
   * @throws OverdueError at once if the program stops during the wait; the errors of `wait`.
   */
  looking<T>(wait: () => Promise<T>): Promise<T>;
  /**
   * Called when the large part of the input, such as a file, is no longer needed, though the action
   * continues.
   */
  inputRead(): void;
  /**
   * Reports the place of a click before the click, if the action itself finds the place; left out unless the
   * action is observed.
   */
  aimAt?(point: Point): Promise<void>;
  /**
   * Checks whether the caller has left; if so, aborts the signal. Called after a wait, before the action does
   * anything.
   * @returns undefined if deskhand cannot know.
   */
  hasLeft(): Promise<boolean | undefined>;
}

// The context of one call.

/** The parts of a context shared by all calls. */
export interface SharedContext extends
  Pick<
    ActionContext,
    "operator" | "recorder" | "permission" | "finder" | "url" | "reader" | "followed" | "seen" | "traces"
  > {
  /** Aborted with an OverdueError when waits must end, because the program is stopping. */
  readonly stopping: AbortSignal;
}

/** Details of one run that are known before it starts. */
export interface RunDetails extends Pick<ActionContext, "aimAt" | "expects" | "windows"> {
  followed?: FollowedCall | undefined;
}

/**
 * A context that requests the caller's signal only on first use: creating and aborting a request's signal
 * takes 18 us.
 */
export class CallContext implements ActionContext {
  readonly operator: ActionContext["operator"];
  readonly recorder: ActionContext["recorder"];
  readonly permission: ActionContext["permission"];
  readonly finder: ActionContext["finder"];
  readonly url: ActionContext["url"];
  readonly reader: ActionContext["reader"];
  readonly followed: ActionContext["followed"];
  readonly seen: ActionContext["seen"];
  readonly traces: ActionContext["traces"];
  readonly aimAt: ActionContext["aimAt"];
  readonly expects: ActionContext["expects"];
  readonly windows: ActionContext["windows"];
  readonly #caller: Caller;
  readonly #programStops: AbortSignal;
  #signal: AbortSignal | undefined;
  /** The error of a call that was ended before its action finished. */
  #error: OverdueError | undefined;
  #stopping: AbortController | undefined;

  constructor(shared: SharedContext, caller: Caller, { aimAt, expects, windows }: RunDetails) {
    this.aimAt = aimAt;
    this.expects = expects;
    this.windows = windows;
    this.operator = shared.operator;
    this.recorder = shared.recorder;
    this.permission = shared.permission;
    this.finder = shared.finder;
    this.url = shared.url;
    this.reader = shared.reader;
    this.followed = shared.followed;
    this.seen = shared.seen;
    this.traces = shared.traces;
    this.#programStops = shared.stopping;
    this.#caller = caller;
  }

  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    this.#stopping = new AbortController();
    if (this.#error) this.#stopping.abort(this.#error);
    return this.#signal = AbortSignal.any([this.#caller.signal, this.#stopping.signal]);
  }

  /** Ends the call, which then has no further effect on the desktop. */
  end(error: OverdueError): void {
    this.#error = error;
    this.#stopping?.abort(error);
  }

  async looking<T>(wait: () => Promise<T>): Promise<T> {
    const stops = this.#programStops, { promise: ended, reject } = Promise.withResolvers<never>();
    stops.throwIfAborted();
    const end = () => {
      this.end(stops.reason);
      reject(stops.reason);
    };
    stops.addEventListener("abort", end);
    const waited = wait();
    try {
      return await Promise.race([waited, ended]); // what a look waits for may not answer
    } catch (error) {
      waited.then((late) => late instanceof Content && late.end(), () => {});
      throw error;
    } finally {
      stops.removeEventListener("abort", end);
    }
  }

  check(): void {
    if (this.#error) throw this.#error;
  }

  inputRead(): void {
    this.#caller.inputRead?.();
  }

  async hasLeft(): Promise<boolean | undefined> {
    return this.#caller.hasLeft ? await this.#caller.hasLeft() : this.#caller.signal.aborted;
  }
}

// Rows.

/** An action's result: JSON with these fields (no fields, no result), or content of one of these types. */
export type ActionOutput = Fields | readonly MediaType[];

export type ResultOf<O extends ActionOutput> = O extends readonly MediaType[] ? Content
  : keyof O extends never ? void
  : O extends Fields ? Values<O>
  : never;

/** A limit on simultaneous calls of an action. */
interface Limit {
  count: number;
  /** Message for a caller above the limit. */
  message: string;
}

/** How long an action itself may wait, apart from its turns on the desktop. */
export interface Bound {
  /** Maximum time, apart from times that its fields give, in milliseconds. */
  takesMs: number;
  /** The event that the action waits for, in words. */
  waitsFor: string;
}

/** A row of the table. */
export interface Action<I extends Fields = Fields, O extends ActionOutput = ActionOutput> {
  /** A verb, such as `click`, unique in the table; also the operation ID in the OpenAPI document. */
  readonly name: string;
  /** One line for help and documents. */
  readonly summary: string;
  readonly effect: Effect;
  readonly input: I;
  readonly output: O;
  readonly limit?: Limit;
  /** The time limit of an action that is not in the table. */
  readonly bound?: Bound;
  /**
   * Whether the caller chooses how long the action takes, so that deskhand must notice when the caller
   * leaves.
   */
  readonly waits?: boolean;
  /**
   * Whether no agent may run the action, which WebDriver's clients, who count as agents, run by name: always,
   * since it decides about agents, or while agents are limited to some programs, since its presses are not
   * checked.
   */
  readonly refusesAgents?: "always" | "if limited";
  /**
   * Runs the action.
   * @param values Checked against {@linkcode input}.
   * @throws ExpectedError with a message for the caller.
   */
  run(values: Values<I>, context: ActionContext): Promise<ResultOf<O>>;
}

/** An action of any shape, for tables and lists. */
// deno-lint-ignore no-explicit-any
export type AnyAction = Action<any, any>;

/**
 * Makes a row, inferring the types of its fields for `run`.
 * @example
 * action({
 *   name: "move",
 *   summary: "Move the pointer",
 *   effect: "act",
 *   input: { x: X, y: Y },
 *   output: {},
 *   run: (point, context) => context.operator.move(point, context),
 * });
 */
export function action<const I extends Fields, const O extends ActionOutput>(
  row: Action<I, O>,
): Action<I, O> {
  return row;
}

/** Key of a picture that its caller named; agents' pictures have the agents' names as keys. */
export function namedPicture(name: string): string {
  return `named ${name}`;
}

/** Whether `output` is content rather than JSON. */
export function isContent(output: ActionOutput): output is readonly MediaType[] {
  return Array.isArray(output);
}

// Bytes that an action returns: pictures, recordings.

/** The media types that actions return. */
type MediaType = "image/bmp" | "image/png" | "application/json" | "text/plain" | "text/x-shellscript";

/** Bytes in pieces, each made when the reader requests it. The reader calls {@linkcode end} when it stops. */
export class Content {
  readonly #pieces: Iterator<Bytes, void> | AsyncIterator<Bytes, void>;
  readonly #endings: (() => void)[] = [];
  #hasEnded = false;

  /**
   * @param length Total bytes of all pieces; undefined if unknown in advance.
   * @param pieces The pieces; each is valid until the reader requests the next.
   * @param fileName The name under which a browser saves the content; by default, the browser displays it.
   */
  constructor(
    readonly type: MediaType,
    readonly length: number | undefined,
    pieces: Iterable<Bytes> | AsyncIterable<Bytes>,
    readonly fileName?: string,
  ) {
    this.#pieces = Symbol.asyncIterator in pieces
      ? pieces[Symbol.asyncIterator]() as AsyncIterator<Bytes, void>
      : pieces[Symbol.iterator]() as Iterator<Bytes, void>;
  }

  /** Makes content from a plain text. */
  static ofText(text: string): Content {
    const bytes = new TextEncoder().encode(text);
    return new Content("text/plain", bytes.length, [bytes]);
  }

  /** Returns the next piece; undefined after the last one, and after {@linkcode end}. */
  async next(): Promise<Bytes | undefined> {
    if (this.#hasEnded) return undefined;
    return (await this.#pieces.next()).value ?? undefined;
  }

  /** Registers a cleanup for when the content is no longer read. */
  onEnd(ending: () => void): this {
    this.#endings.push(ending);
    return this;
  }

  /** Ends reading, at the end of the content or before. Safe to call twice. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const ending of this.#endings) ending();
  }

  /** Reads the whole content. */
  async bytes(): Promise<Bytes> {
    const pieces: Bytes[] = [];
    try {
      for (let piece = await this.next(); piece; piece = await this.next()) pieces.push(piece.slice());
    } finally {
      this.end();
    }
    return await new Blob(pieces).bytes();
  }
}
