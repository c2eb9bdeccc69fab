/**
 * Rows of the table of agents' tools, and the fields that several tools share. A tool says how a model asks for an
 * action, in places of the picture that the model sees.
 */

import { ExpectedError, InputError, TimeLimitError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
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
import { lenient } from "./lenient.ts";
import type { Marks, ShownElementLists } from "./shown_elements.ts";

/** Words and pictures that a tool answers. */
export interface Answer {
  text: string;
  /** PNG files. */
  pictures: Uint8Array<ArrayBuffer>[];
  /** True where a call of a tool that acts has only read. */
  isReading?: boolean;
  /** The last line of the text, if it says what the call did. */
  told?: string;
  /** True where the tool read its effect back, so that no picture has to show it. */
  isReadBack?: boolean;
  /** The words as values, for programs. */
  structured?: Record<string, unknown>;
  /** The verdict on the whole call, if its steps were stopped for it. */
  stoppedBy?: Judgement;
  /** The number of steps that were done. */
  done?: number;
  /** The line about the step that failed, where the text has other lines, too. */
  failure?: string;
  /** Whether the call failed; the text says why. */
  isError?: boolean;
  /** The error that made the whole call fail. */
  error?: Error;
}

/** How a part of the desktop becomes a picture. */
export interface PartShape {
  /** How often each pixel is repeated; once if left out. */
  zoom?: number;
  /** Numbers that are drawn in. */
  marks?: readonly DrawnMark[];
  /** The window of which it is a part, which is captured without those that cover it; the screen if left out. */
  window?: WindowInfo | undefined;
}

/** The length below which parts are enlarged, in pixels. */
const SMALL = 300;

/** How often each pixel of a part is repeated: small parts are enlarged, so that their letters can be read. */
export const zoomOf = ({ width, height }: Region) => Math.max(width, height) < SMALL ? 2 : 1;

/** The means of a tool during one call. */
export interface ToolContext {
  readonly operator: Operator;
  /** A signal that is aborted when the client goes away, a person takes over, or the time is over. */
  readonly signal: AbortSignal;
  /** The part of the desktop that pictures show. */
  readonly view: View;
  /** The space of coordinates: the picture, or a space of the model's own. */
  readonly space: View;
  /** The setting of the size of pictures. */
  readonly setting: ViewSetting;
  /** The marks of the last picture that has some. */
  readonly marks: Marks;
  /** The elements that the agent was shown last. */
  readonly shownElements: ShownElementLists;
  /** Whether only looking is open. */
  readonly readOnly: boolean;
  /** Keys and buttons that this call pressed and did not release, by name. */
  readonly kept: Map<string, Held>;
  /** The time that the tool may still take, in milliseconds; a reserve for the picture is subtracted. */
  timeLeft(): number;
  run<I extends Fields, O extends ActionOutput>(
    action: Action<I, O>,
    values: Values<I>,
  ): Promise<ResultOf<O>>;
  /**
   * The place on the desktop that a place of the picture stands for.
   * @param prefix What stands before the coordinate's name in messages.
   * @throws InputError if it is outside the picture.
   */
  place(point: Point, prefix?: string): Point;
  /**
   * The place of the picture for a place of the desktop that this call found itself, by a text or an element: an action there
   * was not chosen in an earlier picture.
   */
  found(point: Point): Point;
  /** Converts optional coordinates like `place`; the pointer's place if both are left out. */
  placeOrPointer(point: Partial<Point>): Promise<Point>;
  /** The part of the desktop that a part of the picture stands for. */
  region(region: Region, prefix?: string): Region;
  /** The place of the picture that shows a place of the desktop. */
  shown(point: Point): Point;
  /**
   * A part of the last picture as a PNG file in the screen's own pixels.
   * @param region In pixels of the desktop.
   * @throws InputError if there is no picture yet, or it does not show the region.
   */
  seen(region: Region): Promise<Uint8Array<ArrayBuffer>>;
  /** The new picture for an error that the screen is another one than in the picture of its place; undefined for other errors. */
  changed(error: unknown): Promise<Answer | undefined>;
  /** A picture of the view, or of a region of it, and the text that belongs to it. */
  picture(region?: Region, cursor?: boolean): Promise<Answer>;
  /**
   * A picture of a part of the desktop, whose text is its size alone.
   * @param area In pixels of the desktop.
   */
  pictureOf(area: Region, shape?: PartShape): Promise<Answer>;
  /**
   * Runs a part of the call and tells what its last action did.
   * @returns The result; `seen` is left out if no acting action ran.
   */
  observe<T>(run: () => Promise<T>): Promise<{ result: T; seen?: Judgement }>;
  /**
   * Runs a step of several and tells what it did.
   * @param isLast Whether no later step acts, so that the step's effect may take its time.
   * @returns The result; `seen` is left out if the step did not act, or the call is not observed.
   */
  callStep<T>(run: () => Promise<T>, isLast: boolean): Promise<{ result: T; seen?: Seen }>;
  /**
   * Waits until the screen is still, carets and films aside, 2 s at most; at once on a desktop that knows its state.
   * @param stillMs The time for which it must be still, in milliseconds; that of a step if left out.
   */
  settle(stillMs?: number): Promise<void>;
  /** Calls a tool that is open, within this call. */
  call(tool: Tool, values: Record<string, unknown>): Promise<Answer>;
  /** The tool of a step. @throws InputError if no tool has this name, or the tool is not open. */
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
  /** Whether using the tool twice has the same effect as once. */
  readonly idempotent?: boolean;
  /** Whether the tool takes `look`, and its default. */
  readonly picture?: "if asked" | "unless refused";
  /** The longest wait for the call's effect on windows, in milliseconds; no wait if left out. */
  readonly settleMs?: number;
  /** The target of the tool's input; left out if the tool neither presses nor types. */
  readonly aim?: StepAim;
  /** The toolset that this tool belongs to; left out for a tool of its own. */
  readonly partOf?: string;
  /** Whether the answer itself tells what the call did to windows, so that no line about it is added. */
  readonly tellsEffect?: boolean;
  /** The time that a call asks for by its fields, in milliseconds, such as the time of a wait. */
  ownMs?(values: Values<I>): number;
  run(values: Values<I>, context: ToolContext): Promise<Answer> | Answer;
}

/** A row of the table of tools: the tool's effect is that of its action. */
type ToolRow<I extends Fields> = Omit<Tool<I>, "effect"> & { action: Pick<AnyAction, "effect"> };

// deno-lint-ignore no-explicit-any
export type AnyTool = Tool<any>;

/**
 * Makes a row, with the types of its fields inferred for `run`.
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
 * The longest time in which a click or a key opens a window, in milliseconds: each call without effect waits for this
 * time.
 */
export const SETTLE_MS = 250;

/** An answer in words. */
export function said(text: string): Answer {
  return { text, pictures: [] };
}

/** The words about a focus that was taken and given back, which follow others. */
export const focusText = (focus?: string) => focus === undefined ? "" : `; focus ${focus}`;

/** A place and the picture that it is of, such as `700,410 of 1456x819`. */
export function placeText({ space, shown }: ToolContext, point: Point): string {
  const { x, y } = shown(point);
  return `${x},${y} of ${space.width}x${space.height}`;
}

// The list of tools for clients, and the check of clients' arguments.

/** A tool as MCP lists it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  annotations: Record<string, boolean>;
}

/** The pictures that a call may add: none, the whole view, or the active window. */
const LOOKS = [false, true, "window"] as const;
type Look = Field<typeof LOOKS[number], false>;

const LOOK = {
  "if asked": look(""), // the server's instructions say it once for all tools
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

/** The fields that a tool takes, `look` among them. */
export function inputOf({ input, picture: looks }: Tool): Fields & { look?: Look } {
  return looks ? { ...input, look: LOOK[looks] } : input;
}

/** Keywords of a schema that take a model's context without use, since errors name the allowed values. */
const LIMITS = ["minimum", "maximum", "minLength", "minItems", "maxItems", "pattern"];

/** A schema without limits and empty descriptions. */
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
  // Hints that equal the defaults of the protocol are left out: a tool is destructive, not idempotent, and open-world.
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
 * Checks the arguments of a call. The message of a missing word lists the words that there are.
 * @throws InputError that names the wrong argument and the allowed values.
 */
export function argumentsOf(tool: Tool, given: Record<string, unknown>): Values<ReturnType<typeof inputOf>> {
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

// The end of a call in time: a limit that all calls have, and the time that a call asks for itself.

/** The longest time that one call may ask for, in milliseconds: the models' own tools hold keys and wait up to 300 s. */
export const LONGEST_OWN_MS = 300_000;

/** Ends a call by its signal when the time is over. Dispose it when the call has ended. */
export class Deadline implements Disposable {
  readonly #start = performance.now();
  readonly #ending = new AbortController();
  #ownMs = 0;
  #timer!: ReturnType<typeof setTimeout>;

  /**
   * @param limitMs The limit of a call, in milliseconds, without the time that the call asks for.
   */
  constructor(readonly limitMs: number) {
    this.#begin();
  }

  /** A signal that is aborted with a TimeLimitError when the time is over. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The time until the end, in milliseconds. */
  get leftMs(): number {
    return this.#start + this.#allMs - performance.now();
  }

  get #allMs(): number {
    return this.limitMs + this.#ownMs;
  }

  /**
   * Moves the end by time that the call asks for.
   * @param ms In milliseconds; of all that one call asks for at most {@linkcode LONGEST_OWN_MS} counts.
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
 * Adds to the reason why a call ends within its steps how many of them were done: its time is over, or a person takes over.
 * @param error The reason, which is the call's own.
 * @param number The number of the step in progress, from 1.
 * @param verb What the step does.
 */
export function stoppedAt(error: unknown, number: number, all: number, verb: string): unknown {
  if (error instanceof ExpectedError) {
    error.message += `; ${number - 1} of ${all} steps were done, and step ${number} (${verb}) was under way`;
  }
  return error;
}

/** Keys that are held during an action. */
export const HELD_KEYS = inWords(HOLD, "Keys held, such as shift+alt");
/** A window by words about it. */
export const WINDOW = {
  title: inWords(WINDOW_QUERY.title, "Part of it"),
  class: inWords(WINDOW_QUERY.class, ""),
  pid: inWords(WINDOW_QUERY.pid, ""),
};

/** A text on the screen. An empty one counts as left out, as `minLength` says. */
export const TEXT: Field<string, true> = { ...TEXT_QUERY.text, schema: { type: "string", minLength: 1 } };

/**
 * An element instead of x and y, also as an object; the tool that lists elements describes the form. Some models' services
 * take no schema of two types.
 */
export const ELEMENT = { ...ELEMENT_PLACE, schema: { type: "string", minLength: 1 } };

/** Whether an act on an element leaves the pointer and the focus alone; the description stands with one tool for all. */
export const BACKGROUND: typeof ELEMENT_BACKGROUND = inWords(ELEMENT_BACKGROUND, "");

/** A coordinate or a length in pixels of the screenshot, which the descriptions of the tools say for all. */
function pixels(least: number): Field<number, true> {
  return { ...integer(least, 1_000_000, ""), schema: { type: "integer" } };
}

export const X = pixels(0);
export const Y = pixels(0);
export const LENGTH = pixels(1);
export const OPTIONAL_PLACE = { x: optional(X), y: optional(Y) };
export const BUTTON = optional(choice(BUTTONS, "default left"));
export const REGION_FIELDS = { x: X, y: Y, width: LENGTH, height: LENGTH };
/** A part of the screenshot. Its schema names the fields in words, which are a third of the tokens. */
export const REGION = optional({
  ...group(REGION_FIELDS, ""),
  schema: { type: "object", description: "{x, y, width, height} of the screenshot" },
});
