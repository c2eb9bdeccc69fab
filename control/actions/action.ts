/**
 * Rows of the table of actions. A row states once an action's input and result, whether the action reads or acts, and
 * how it runs. HTTP, the prompt, the live socket and recordings translate rows into their own forms.
 */

import type { Bytes } from "../../core/bytes.ts";
import type { Point } from "../desktop/input.ts";
import type { Finder } from "../find/find.ts";
import type { ChangeFollower } from "../observe/follower.ts";
import type { SeenPictures } from "../observe/mod.ts";
import type { Operator, PressGuard } from "../operator/operator.ts";
import type { AgentPermission } from "../operator/permission.ts";
import type { TextReader } from "../read/reader.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { Fields, Values } from "../schema/schema.ts";
import type { Traces } from "../trace/traces.ts";

/** Effect of an action on the desktop, which decides where the action is open. */
export type Effect =
  /** Shows the screen; open under `--read-only`. */
  | "read"
  /** Reveals what a person typed, as a recording does; closed under `--read-only`. */
  | "private"
  /** Changes the desktop or the recorder; closed under `--read-only`. */
  | "act";

export interface ActionContext {
  operator: Operator;
  recorder: Recorder;
  /** Whether AI agents may act. */
  permission: AgentPermission;
  /** Looks for pictures. */
  finder: Finder;
  /** Reads text on the screen; loaded by the first caller. */
  reader(): Promise<TextReader>;
  /** The changes of the screen and the windows; loaded by the first caller. */
  followed(): Promise<ChangeFollower>;
  /** The pictures that callers were given; loaded by the first caller. */
  seen(): Promise<SeenPictures>;
  /** The traces; loaded by the first caller. */
  traces(): Promise<Traces>;
  /** The address of the control API, without a final slash; undefined where it does not run. */
  url: string | undefined;
  /** A signal that is aborted when the caller goes away or cancels, or the call outlives its bound. */
  readonly signal: AbortSignal;
  /** The window expected at a press whose place was chosen in a picture. */
  readonly expects?: PressGuard | undefined;
  /** @throws OverdueError if the call has outlived its bound. */
  check?(): void;
  /** Whether the large part of the input, such as a file, is no longer needed, though the action goes on. */
  inputRead(): void;
  /**
   * Reports the place of a click before the click, if the action itself finds the place; left out unless the action is
   * observed.
   */
  aimAt?(point: Point): Promise<void>;
  /**
   * Asks whether the caller has left; if so, aborts the signal. Called after a wait, before the action does anything.
   * @returns undefined if deskhand cannot know.
   */
  hasLeft(): Promise<boolean | undefined>;
}

/** Result of an action: JSON with these fields (no result if there are no fields), or content of one of these types. */
export type ActionOutput = Fields | readonly MediaType[];

export type ResultOf<O extends ActionOutput> = O extends readonly MediaType[] ? Content
  : keyof O extends never ? void
  : O extends Fields ? Values<O>
  : never;

/** A bound of the calls of an action that run at once. */
interface Limit {
  count: number;
  /** Message for a caller past the limit. */
  message: string;
}

/** A row of the table. */
export interface Action<I extends Fields = Fields, O extends ActionOutput = ActionOutput> {
  /** A verb of its own, such as `click`; also the operation's id in the OpenAPI document. */
  readonly name: string;
  /** One line for help and documents. */
  readonly summary: string;
  readonly effect: Effect;
  readonly input: I;
  readonly output: O;
  readonly limit?: Limit;
  /**
   * Whether the action may wait for as long as the caller says, so that deskhand watches whether the caller
   * leaves.
   */
  readonly waits?: boolean;
  /**
   * Runs the action.
   * @param values Checked against {@linkcode input}.
   * @throws ExpectedError with a message for the caller.
   */
  run(values: Values<I>, context: ActionContext): Promise<ResultOf<O>>;
}

/** An action of any shape, as tables and lists hold it. */
// deno-lint-ignore no-explicit-any
export type AnyAction = Action<any, any>;

/**
 * Makes a row, with the types of its fields inferred for `run`.
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

/** The key of a picture that its caller named, beside those of agents, which have the agents' names. */
export function namedPicture(name: string): string {
  return `named ${name}`;
}

/** Whether `output` is content rather than JSON. */
export function isContent(output: ActionOutput): output is readonly MediaType[] {
  return Array.isArray(output);
}

// Bytes that an action gives: pictures, recordings.

/** The media types that actions give. */
type MediaType = "image/bmp" | "image/png" | "application/json" | "text/plain" | "text/x-shellscript";

/** Bytes in pieces, each made when the reader asks for it. The reader calls {@linkcode end} when it stops. */
export class Content {
  readonly #pieces: Iterator<Bytes, void> | AsyncIterator<Bytes, void>;
  readonly #endings: (() => void)[] = [];
  #hasEnded = false;

  /**
   * @param length Bytes of all pieces together; undefined if unknown before the pieces are made.
   * @param pieces The pieces; each is valid until the reader asks for the next.
   * @param fileName The name under which a browser saves the content; if left out, the browser shows the content.
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

  /** A plain text, whole. */
  static ofText(text: string): Content {
    const bytes = new TextEncoder().encode(text);
    return new Content("text/plain", bytes.length, [bytes]);
  }

  /** The next piece; undefined after the last one, and after {@linkcode end}. */
  async next(): Promise<Bytes | undefined> {
    if (this.#hasEnded) return undefined;
    return (await this.#pieces.next()).value ?? undefined;
  }

  /** Registers what must happen when the content is not read any more. */
  onEnd(ending: () => void): this {
    this.#endings.push(ending);
    return this;
  }

  /** Ends the reading of the content, at its end or before. Safe to call twice. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const ending of this.#endings) ending();
  }

  /** Reads all of the content. */
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
