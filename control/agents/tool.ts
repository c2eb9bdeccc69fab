/**
 * Rows of the table of agents' tools, and fields shared by several tools. A tool defines how a model requests
 * an action, with places in the picture that the model sees.
 */

import { ExpectedError, InputError, TimeLimitError } from "../../core/errors.ts";
import { checkNesting, isJsonObject } from "../../core/json.ts";
import { describeValue } from "../../core/printable.ts";
import type { Action, ActionOutput, AnyAction, Effect, ResultOf } from "../actions/action.ts";
import { BACKGROUND as ELEMENT_BACKGROUND } from "../actions/elements.ts";
import { ELEMENT_PLACE } from "../actions/element_fields.ts";
import { TEXT_QUERY } from "../actions/find.ts";
import type { StepAim } from "../actions/step_guard.ts";
import { WINDOW_QUERY } from "../actions/windows.ts";
import { BUTTONS, type Point, type Region, type WindowInfo } from "../desktop/desktop.ts";
import type { DrawnMark } from "../image/shrink.ts";
import type { Judgement } from "../operator/calls.ts";
import type { Seen } from "../observe/mod.ts";
import type { Held } from "../operator/held.ts";
import type { Operator } from "../operator/operator.ts";
import { HOLD } from "../schema/fields.ts";
import {
  choice,
  type Field,
  type Fields,
  group,
  integer,
  inWords,
  type JsonSchema,
  objectSchema,
  optional,
  parseFields,
  type Values,
} from "../schema/schema.ts";
import type { View, ViewSetting } from "../view/view.ts";
import type { KnownWindows } from "../windows/list.ts";
import { lenient } from "./lenient.ts";
import type { Marks, ShownElementLists } from "./shown_elements.ts";

/** A tool's answer in words and pictures. */
export interface Answer {
  text: string;
  /** PNG files. */
  pictures: Uint8Array<ArrayBuffer>[];
  /** True if a call of an acting tool only read. */
  isReading?: boolean;
  /** The last line of the text, if it reports what the call did. */
  told?: string;
  /** True if the tool verified its effect by reading it back, so that no picture has to show it. */
  isReadBack?: boolean;
  /** The answer as values, for programs. */
  structured?: Record<string, unknown>;
  /** The verdict on the whole call, if it stopped the steps. */
  stoppedBy?: Judgement;
  /** Number of steps performed. */
  done?: number;
  /** The line about the failed step, if the text has other lines too. */
  failure?: string;
  /** Whether the call failed; the text gives the reason. */
  isError?: boolean;
  /** The error that failed the whole call. */
  error?: Error;
}

/** How a part of the desktop becomes a picture. */
export interface PartShape {
  /** How often each pixel is repeated; once if left out. */
  zoom?: number;
  /** Numbers to draw into the picture. */
  marks?: readonly DrawnMark[];
  /** The part's window, which is captured without those that cover it; the screen if left out. */
  window?: WindowInfo | undefined;
}

/** Size below which parts are enlarged, in pixels. */
const SMALL = 300;

/** How often each pixel of a part is repeated: small parts are enlarged to make their letters readable. */
export const zoomOf = ({ width, height }: Region) => Math.max(width, height) < SMALL ? 2 : 1;

/** The context of one tool call. */
export interface ToolContext {
  readonly operator: Operator;
  /** Aborted when the client leaves, a person takes over, or the time is over. */
  readonly signal: AbortSignal;
  /** The windows as this call knows them. */
  readonly windows: KnownWindows;
  /** The part of the desktop that pictures show. */
  readonly view: View;
  /** The coordinate space: the picture, or the model's own space. */
  readonly space: View;
  /** The picture size setting. */
  readonly setting: ViewSetting;
  /** The marks of the last picture that had any. */
  readonly marks: Marks;
  /** The elements that the agent was shown last. */
  readonly shownElements: ShownElementLists;
  /** Whether only looking is allowed. */
  readonly readOnly: boolean;
  /** Keys and buttons that this call pressed and did not release, by name. */
  readonly kept: Map<string, Held>;
  /** Remaining time for the tool, in milliseconds, minus a reserve for the picture. */
  timeLeft(): number;
  /**
   * Waits before the tool does anything, for a time in milliseconds.
   * @throws The signal's reason; OverdueError if the program stops.
   */
  pause(ms: number): Promise<void>;
  run<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
  ): Promise<ResultOf<O>>;
  /**
   * The desktop place that a place in the picture stands for.
   * @param prefix The text before the coordinate's name in messages.
   * @throws InputError if it is outside the picture.
   */
  place(point: Point, prefix?: string): Point;
  /**
   * The place in the picture for a desktop place that this call found itself, through a text or an element:
   * it was not chosen in an earlier picture.
   */
  found(point: Point): Point;
  /** Converts optional coordinates like `place`; the pointer position if both are left out. */
  placeOrPointer(point: Partial<Point>): Promise<Point>;
  /** The part of the desktop that a part of the picture shows. */
  region(region: Region, prefix?: string): Region;
  /** The place in the picture that shows a place on the desktop. */
  shown(point: Point): Point;
  /**
   * A part of the last picture as a PNG file in the screen's own pixels.
   * @param region In desktop pixels.
   * @throws InputError if there is no picture yet or it does not show the region.
   */
  seen(region: Region): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The new picture, if an error reports that the screen no longer matches the picture of a place; undefined
   * for other errors.
   */
  changed(error: unknown): Promise<Answer | undefined>;
  /** A picture of the view, or of a region of it, with its text. */
  picture(region?: Region, cursor?: boolean): Promise<Answer>;
  /**
   * A picture of a part of the desktop; its text is only the size.
   * @param area In desktop pixels.
   */
  pictureOf(area: Region, shape?: PartShape): Promise<Answer>;
  /**
   * Runs a part of the call and reports what its last action did.
   * @returns The result; `seen` is left out if no acting action ran.
   */
  observe<T>(run: () => Promise<T>): Promise<{ result: T; seen?: Judgement }>;
  /**
   * Runs one of several steps and reports what it did.
   * @param isLast Whether no later step acts, so that the step's effect may take its time.
   * @returns The result; `seen` is left out if the step did not act or the call is not observed.
   */
  callStep<T>(run: () => Promise<T>, isLast: boolean): Promise<{ result: T; seen?: Seen }>;
  /**
   * Waits until the screen is still, ignoring carets and videos, for at most 2 s; returns immediately on a
   * desktop that knows its state.
   * @param stillMs How long it must be still, in milliseconds; that of a step if left out.
   */
  settle(stillMs?: number): Promise<void>;
  /** Calls an available tool within this call. */
  call(tool: Tool, values: Record<string, unknown>): Promise<Answer>;
  /** The tool of a step. @throws InputError if no such tool exists or it is not available. */
  step(name: unknown): Tool;
}

/** A row of the table. */
export interface Tool<I extends Fields = Fields> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly input: I;
  /** Whether the tool's effect may be hard to undo. */
  readonly destructive?: boolean;
  /** Whether calling the tool twice has the same effect as once. */
  readonly idempotent?: boolean;
  /** Whether the tool accepts `look`, and its default. */
  readonly picture?: "if asked" | "unless refused";
  /** Maximum wait for the call's effect on windows, in milliseconds; no wait if left out. */
  readonly settleMs?: number;
  /** The target of the tool's input; omitted if the tool neither presses nor types. */
  readonly aim?: StepAim;
  /** The toolset that this tool belongs to; left out for a separate tool. */
  readonly partOf?: string;
  /** Whether the answer itself reports what the call did to windows, so that no line about it is added. */
  readonly tellsEffect?: boolean;
  /** The time that a call requests in its fields, in milliseconds, such as the duration of a wait. */
  ownMs?(values: Values<I>): number;
  run(values: Values<I>, context: ToolContext): Promise<Answer> | Answer;
}

/** A row of the table of tools: the tool's effect is that of its action. */
type ToolRow<I extends Fields> = Omit<Tool<I>, "effect"> & { action: Pick<AnyAction, "effect"> };

// deno-lint-ignore no-explicit-any
export type AnyTool = Tool<any>;

/**
 * Makes a row, inferring the types of its fields for `run`.
 * @example
 * tool({
 *   name: "pixel",
 *   title: "Read a pixel's colour",
 *   description: "The colour of the screen at a place of the screenshot, such as #20242c.",
 *   action: ACTIONS.pixel,
 *   input: { x: X, y: Y },
 *   run: async (point, context) => said((await context.run(ACTIONS.pixel, context.place(point))).hex),
 * });
 */
export function tool<const I extends Fields>({ action, ...row }: ToolRow<I>): Tool<I> {
  return { ...row, effect: action.effect };
}

/**
 * Maximum time in which a click or a key opens a window, in milliseconds: every call without effect waits
 * this long.
 */
export const SETTLE_MS = 250;

/** An answer in words. */
export function said(text: string): Answer {
  return { text, pictures: [] };
}

/** The text about a focus that was taken and returned, to append to other text. */
export const focusText = (focus?: string) => focus === undefined ? "" : `; focus ${focus}`;

/** A place with the size of its picture, such as `700,410 of 1456x819`. */
export function placeText({ space, shown }: ToolContext, point: Point): string {
  const { x, y } = shown(point);
  return `${x},${y} of ${space.width}x${space.height}`;
}

// The list of tools for clients, and the check of their arguments.

/** A tool in an MCP listing. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  annotations: Record<string, boolean>;
}

/** Pictures that a call may add: none, the whole view, or the active window. */
const LOOKS = [false, true, "window"] as const;
type Look = Field<typeof LOOKS[number], false>;

const LOOK = {
  "if asked": look(""), // the server's instructions describe it once for all tools
  "unless refused": look("default true"),
};

function look(description: string): Look {
  return {
    required: false,
    schema: { enum: LOOKS, description },
    parse(value, name) {
      const known = LOOKS.find((look) => look === value);
      if (known !== undefined) return known;
      throw new InputError(`${name} must be true, false or "window", not ${describeValue(value)}`);
    },
  };
}

/** The fields that a tool accepts, including `look`. */
export function inputOf({ input, picture: looks }: Tool): Fields & { look?: Look } {
  return looks ? { ...input, look: LOOK[looks] } : input;
}

/** Schema keywords that would waste a model's context, since errors name the allowed values. */
const LIMITS = ["minimum", "maximum", "minLength", "minItems", "maxItems", "pattern"];

/** Removes limits and empty descriptions from a schema. */
function lean(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword, value]) =>
    !LIMITS.includes(keyword) && value !== ""
  );
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, leanValue(value)]));
}

function leanValue(value: unknown): unknown {
  return isJsonObject(value) ? lean(value) : value;
}

/** Describes a tool. */
export function listed(tool: Tool): ListedTool {
  const { name, title, description, effect, destructive = false, idempotent = false } = tool;
  const looks = effect === "read";
  // Hints that equal the protocol's defaults are left out: destructive, not idempotent, and open-world.
  return {
    name,
    title,
    description,
    inputSchema: { ...lean(objectSchema(inputOf(tool))), type: "object" },
    annotations: looks ? { readOnlyHint: true } : {
      ...(destructive ? {} : { destructiveHint: false }),
      ...(idempotent ? { idempotentHint: true } : {}),
    },
  };
}

/**
 * Checks the arguments of a call. The message about a missing word lists the possible words.
 * @throws InputError naming the wrong argument and the allowed values.
 */
export function argumentsOf(tool: Tool, given: Record<string, unknown>): Values<ReturnType<typeof inputOf>> {
  checkNesting(given, "an argument");
  const fields = inputOf(tool), values = parsedArguments(fields, lenient(objectSchema(fields), given));
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown === undefined) return values;
  const known = Object.keys(fields).join(", ") || "nothing";
  throw new InputError(`${tool.name} has no field ${JSON.stringify(unknown)}; it takes ${known}`);
}

function parsedArguments<F extends Fields>(fields: F, given: Record<string, unknown>): Values<F> {
  try {
    return parseFields(fields, given, "", "the arguments");
  } catch (error) {
    const name = error instanceof InputError && /^Missing (\w+)$/.exec(error.message)?.[1];
    const words = name && Object.hasOwn(fields, name) && fields[name].schema.enum;
    if (!Array.isArray(words)) throw error;
    throw new InputError(`Missing ${name}: one of ${words.join(", ")}`, { cause: error });
  }
}

// Ends calls in time: the limit common to all calls, plus the time that a call itself requests.

/**
 * Maximum time that one call may request, in milliseconds: the models' own tools hold keys and wait up to 300
 * s.
 */
export const LONGEST_OWN_MS = 300_000;

/** Ends a call through its signal when the time is over. Dispose it when the call has ended. */
export class Deadline implements Disposable {
  readonly #start = performance.now();
  readonly #ending = new AbortController();
  #ownMs = 0;
  #timer!: ReturnType<typeof setTimeout>;

  /**
   * @param limitMs The limit of a call, in milliseconds, excluding the time that the call requests.
   */
  constructor(readonly limitMs: number) {
    this.#begin();
  }

  /** Aborted with a TimeLimitError when the time is over. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Remaining time, in milliseconds. */
  get leftMs(): number {
    return this.#start + this.#allMs - performance.now();
  }

  get #allMs(): number {
    return this.limitMs + this.#ownMs;
  }

  /**
   * Extends the limit by time that the call requests.
   * @param ms In milliseconds; at most {@linkcode LONGEST_OWN_MS} counts per call.
   */
  extend(ms: number): void {
    if (!ms) return;
    this.#ownMs = Math.min(LONGEST_OWN_MS, this.#ownMs + ms);
    clearTimeout(this.#timer);
    this.#begin();
  }

  #begin(): void {
    const late = () => new TimeLimitError(`the call timed out after ${this.#allMs / 1000} s`);
    this.#timer = setTimeout(() => this.#ending.abort(late()), Math.max(0, this.leftMs));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Adds to the reason why a call ended how many of its steps were done: its time is over, or a person took
 * over.
 * @param error The call's own reason.
 * @param number The number of the step in progress, from 1.
 * @param verb What the step does.
 */
export function stoppedAt(error: unknown, number: number, all: number, verb: string): unknown {
  if (error instanceof ExpectedError) {
    error.message += `; ${number - 1} of ${all} steps were done, and step ${number} (${verb}) was under way`;
  }
  return error;
}

/** Keys held during an action. */
export const HELD_KEYS = inWords(HOLD, "Keys held, such as shift+alt");
/** A window, by words that describe it. */
export const WINDOW = {
  title: inWords(WINDOW_QUERY.title, "Part of it"),
  class: inWords(WINDOW_QUERY.class, ""),
  pid: inWords(WINDOW_QUERY.pid, ""),
};

/** A text on the screen. An empty one counts as left out, so `minLength` is 1. */
export const TEXT: Field<string, true> = { ...TEXT_QUERY.text, schema: { type: "string", minLength: 1 } };

/**
 * An element instead of x and y, also as an object; the tool that lists elements describes the form. Some
 * models' services do not accept a schema with two types.
 */
export const ELEMENT = { ...ELEMENT_PLACE, schema: { type: "string", minLength: 1 } };

/** Whether an act on an element leaves the pointer and the focus alone; one tool's description covers all. */
export const BACKGROUND: typeof ELEMENT_BACKGROUND = inWords(ELEMENT_BACKGROUND, "");

/** A coordinate or a length in pixels of the screenshot, as the tool descriptions explain once. */
function pixels(least: number): Field<number, true> {
  return { ...integer(least, 1_000_000, ""), schema: { type: "integer" } };
}

export const X = pixels(0);
export const Y = pixels(0);
export const LENGTH = pixels(1);
export const OPTIONAL_PLACE = { x: optional(X), y: optional(Y) };
export const BUTTON = optional(choice(BUTTONS, "default left"));
export const REGION_FIELDS = { x: X, y: Y, width: LENGTH, height: LENGTH };
/** A part of the screenshot. Its schema names the fields in words, which take a third of the tokens. */
export const REGION = optional({
  ...group(REGION_FIELDS, ""),
  schema: { type: "object", description: "{x, y, width, height} of the screenshot" },
});
