/**
 * Runs agents' tool calls, each within its limits, and logs them. It contains the table of tools; none of
 * them runs programs or touches files.
 */

import { InputError, UsageError } from "../../core/errors.ts";
import { describeValue, nearest, printable } from "../../core/printable.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { Size } from "../image/bitmap.ts";
import type { ToolOutcome } from "../operator/calls.ts";
import { type Held, heldName } from "../operator/held.ts";
import type { Question } from "../operator/agent_policy.ts";
import { type View, viewOf, type ViewSetting } from "../view/view.ts";
import { type GuardedCall, ToolCall } from "./call.ts";
import { MCP_PICTURES, type PictureLimit } from "./call_pictures.ts";
import { Marks, ShownElementLists } from "./shown_elements.ts";
import { WindowReport } from "./window_report.ts";
import { type Answer, type AnyTool, inputOf, listed, type ListedTool, type Tool } from "./tool.ts";
import { act } from "./tools/act.ts";
import { type FileReader, filesTool, openTool } from "./tools/files.ts";
import * as typing from "./tools/keyboard.ts";
import * as pointing from "./tools/pointer.ts";
import * as looking from "./tools/screen.ts";
import { LONGEST_MS } from "./tools/screen.ts";
import { see } from "./tools/see.ts";
import { position, press, release, steps } from "./tools/steps.ts";
import { clipboard, elements, window, windows } from "./tools/windows.ts";
import { isJsonObject } from "../../core/json.ts";
import { type Fields, type JsonSchema, objectSchema } from "../schema/schema.ts";

// Limits how long a model's action holds a key or button: the model may never return.

/** Releases the keys and buttons that calls leave down, after a time limit or when agents are stopped. */
class Leases {
  /** Release timers, by the name of the held key or button. */
  readonly #timers = new Map<string, { held: Held; timer: ReturnType<typeof setTimeout> }>();

  /**
   * @param ms Maximum time for which a button or key stays down, in milliseconds.
   */
  constructor(readonly runner: ActionRunner, readonly ms: number) {
    runner.permission.stops.add(() => this.#releaseAll());
  }

  /**
   * Takes over the keys and buttons that a call leaves pressed.
   * @param kept The keys and buttons that the call pressed and did not release, by name.
   */
  take(kept: ReadonlyMap<string, Held>): void {
    const down = new Set(this.runner.operator.held().map(heldName));
    for (const name of this.#timers.keys()) if (!down.has(name)) this.#forget(name);
    for (const [name, held] of kept) this.#begin(name, held);
  }

  #begin(name: string, held: Held): void {
    this.#forget(name); // a key that is pressed again is held from then on
    const timer = setTimeout(() => this.#release(name), this.ms);
    Deno.unrefTimer(timer); // everything is released when the program ends
    this.#timers.set(name, { held, timer });
  }

  #forget(name: string): void {
    clearTimeout(this.#timers.get(name)?.timer);
    this.#timers.delete(name);
  }

  #release(name: string): void {
    const lease = this.#timers.get(name);
    this.#forget(name);
    if (lease) this.runner.operator.releaseOwned([lease.held]).catch(() => {}); // an unavailable desktop holds nothing
  }

  #releaseAll(): void {
    for (const name of [...this.#timers.keys()]) this.#release(name);
  }
}

export interface AgentSettings {
  view: ViewSetting;
  /** The display that pictures show; the primary one if left out. */
  display?: string;
  /** The available tools; all if left out. */
  tools?: readonly string[];
  /** Programs that agents may open; none if left out. */
  programs?: readonly string[];
  /** Reads the served folder, if there is one. */
  files?: FileReader;
  /** Receives one line per call. */
  log?: (line: string) => void;
  /**
   * Maximum time of a call in addition to the time in its arguments, in milliseconds; {@linkcode LONGEST_MS}
   * if left out.
   */
  longestMs?: number;
  /** Receives errors that are bugs. */
  report: (error: unknown) => void;
}

/** A caller and its picture settings. */
export interface AgentCaller {
  /** The caller's name for itself. */
  client: string;
  /** The caller's interface. */
  by: "mcp" | "act" | "http";
  signal: AbortSignal;
  /** Picture size, if the client gives one. */
  size?: Size;
  /** Picture size for this model, if neither `size` nor `--view` gives one. */
  view?: ViewSetting;
  /** Receives the questions to a person that the call waits for. */
  asks?(question: Question): void;
  /** Adds a line about the windows to answers of acting calls. */
  tellsWindows?: boolean;
  /** The call's place in a list of actions; left out for a single call. */
  step?: GuardedCall;
  /** The caller's picture limit; that of MCP if left out. */
  pictures?: PictureLimit;
  /** Size of the caller's coordinate space; the picture's size if left out. */
  space?: Size;
}

/** Runs the tools of one desktop. */
export class AgentServer {
  readonly #open: readonly AnyTool[];
  readonly #leases: Leases;
  readonly #longestMs: number;
  readonly #marks = new Marks();
  readonly #shownElements = new ShownElementLists();
  /** Names of the listed tools. */
  readonly #offered: readonly string[];
  /** Calls in progress. */
  readonly #calls = new Set<Promise<Answer>>();
  readonly #windows: WindowReport;

  /**
   * @throws UsageError if `tools` names an unknown tool.
   */
  constructor(readonly runner: ActionRunner, readonly settings: AgentSettings) {
    const { tools: names, longestMs = LONGEST_MS } = settings;
    this.#longestMs = longestMs;
    this.#windows = new WindowReport(runner);
    this.#leases = new Leases(runner, longestMs);
    if (names) checkTools(names);
    const allowed = names && namesOf(names);
    const programs = settings.programs ?? runner.operator.desktop.programs?.names;
    this.#open = toolsOf({ ...settings, ...(programs ? { programs } : {}) }).filter((tool) =>
      runner.isOpen(tool) && (allowed?.includes(tool.name) ?? true)
    );
    this.#offered = allowed ?? OFFERED;
  }

  /** Whether a tool is listed for clients. */
  offers(name: string): boolean {
    return this.#offered.includes(name);
  }

  /** The tools listed for clients. Without `--tools`, the classic ones are also available but not listed. */
  list(): ListedTool[] {
    return this.#open.filter(({ name }) => this.#offered.includes(name)).map(listed);
  }

  /**
   * Calls a tool.
   * @param steps Whether the steps of `do` may also be called.
   * @returns undefined if the tool does not exist or is not available. A failed call is an answer with
   * `isError`.
   */
  async call(
    name: string,
    given: Record<string, unknown>,
    caller: AgentCaller,
    steps = false,
  ): Promise<Answer | undefined> {
    const tool = this.#find(name);
    if (!tool || tool.partOf && !steps) return undefined;
    const start = performance.now();
    const answered = this.runner.calls.toolCalled(tool, caller), kept = new Map<string, Held>();
    const calling = this.#callOf(given, caller, kept).answer(tool, given);
    this.#calls.add(calling);
    const answer = await calling.finally(() => this.#calls.delete(calling));
    this.#leases.take(kept);
    const { log } = this.settings;
    const ms = performance.now() - start;
    const outcome = () => outcomeOf({ tool: name, given, answer }, this.#fieldsOf);
    answered(outcome);
    log?.(logLine(caller.client, name, outcome(), ms));
    return answer;
  }

  /** Resolves once the calls in progress have ended and been logged. */
  async settled(): Promise<void> {
    while (this.#calls.size) await Promise.allSettled(this.#calls);
  }

  #find(name: string): Tool | undefined {
    const isOpen = (name: string | undefined) => this.#open.find((tool) => tool.name === name);
    return isOpen(name) ?? STEPS.find((step) => step.name === name && isOpen(step.partOf));
  }

  readonly #fieldsOf = (name: string) => {
    const tool = this.#find(name);
    return tool && inputOf(tool);
  };

  #callOf(
    given: Record<string, unknown>,
    { size, space, view: preferred, pictures = MCP_PICTURES, tellsWindows, step, by, client, signal, asks }:
      AgentCaller,
    kept: Map<string, Held>,
  ): ToolCall {
    const { runner, settings } = this;
    const setting = settings.view === "auto" ? preferred ?? "auto" : settings.view;
    return new ToolCall({
      runner,
      by,
      client,
      isSensitive: given.sensitive === true,
      setting,
      pictures,
      marks: this.#marks,
      shownElements: this.#shownElements,
      view: () => this.#view(size, setting),
      space,
      signal,
      limitMs: this.#longestMs,
      windows: tellsWindows ? this.#windows : undefined,
      step,
      asks,
      kept,
      find: (name) => this.#find(name),
      report: settings.report,
    });
  }

  #view(size: Size | undefined, setting: ViewSetting): View {
    const own = viewOf(this.runner.operator.screen(), setting, this.settings.display);
    if (!size) return own;
    const { area } = own;
    if (size.width > area.width || size.height > area.height) {
      throw new InputError(`view must not be larger than the screen, ${area.width}x${area.height}`);
    }
    return { ...size, area };
  }
}

/** The tools that these settings make available. */
function toolsOf({ programs = [], files }: AgentSettings): AnyTool[] {
  return [
    see,
    act,
    ...TOOLS,
    ...(programs.length ? [openTool(programs)] : []),
    ...(files ? [filesTool(files)] : []),
  ];
}

/** The tools listed without `--tools`, if available. */
const OFFERED = ["see", "act", "open", "files"];
/** The `--tools` word for the single-purpose tools. */
const CLASSIC = "classic";

/** The tool names that `--tools` stands for. */
function namesOf(words: readonly string[]): string[] {
  const classic = [...TOOLS.map(({ name }) => name), "open", "files"];
  return words.flatMap((word) => word === CLASSIC ? classic : [word]);
}

/**
 * Checks the names given to `--tools`.
 * @throws UsageError if a tool does not exist.
 */
export function checkTools(names: readonly string[]): void {
  const known = [CLASSIC, "see", "act", ...TOOLS.map(({ name }) => name), "open", "files"];
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    throw new UsageError(
      `--tools: unknown tool ${JSON.stringify(name)}${meant ? ` (did you mean ${meant}?)` : ""}; available: ${
        known.join(", ")
      }`,
    );
  }
}

const windowsTools = { windows, window };

const { screenshot, screen, pixel, find, wait } = looking;

/** Every tool, in the order in which clients list them; those of one module by name. */
const TOOLS: readonly AnyTool[] = [
  screenshot,
  screen,
  pixel,
  find,
  wait,
  elements,
  ...Object.values(pointing),
  ...Object.values(typing),
  clipboard,
  ...Object.values(windowsTools),
  steps,
];

/** Steps of `do`, and of models' own actions, that are not separate tools. */
const STEPS: readonly AnyTool[] = [press, release, position];

// The log of agents' calls: one JSON line per call. Texts, and values that no tool accepts, are logged only
// as their length.

interface AnsweredCall {
  tool: string;
  given: Record<string, unknown>;
  answer: Answer;
}

/** The fields that a tool accepts; undefined if there is no such tool. */
type FieldsOf = (tool: string) => Fields | undefined;

/** The outcome of a call as the log and traces keep it. */
function outcomeOf({ tool, given, answer }: AnsweredCall, fieldsOf: FieldsOf): ToolOutcome {
  const hidden: unknown[] = []; // the next line collects the texts that the error must not quote
  const values = loggedArguments(given, fieldsOf(tool) ?? {}, { fieldsOf, hidden });
  return { values, error: answer.isError ? withoutValues(answer.failure ?? answer.text, hidden) : undefined };
}

/**
 * @param client The client's name for itself.
 * @param ms Duration of the call, in milliseconds.
 */
function logLine(client: string, tool: string, { values, error = "ok" }: ToolOutcome, ms: number): string {
  const time = new Date().toISOString();
  return JSON.stringify({ time, client, tool, arguments: values, outcome: error, ms: Math.round(ms) });
}

/** Arguments that contain texts, or files in base64. */
const LONG = ["text", "png"];
/** Maximum length of an argument name that is logged in full, in UTF-16 code units. */
const NAME_LIMIT = 40;

/** The context in which a call's arguments are logged. */
interface Logging {
  fieldsOf: FieldsOf;
  /** Collects the values that are logged as their length. */
  hidden: unknown[];
}

/**
 * Replaces each text, and each value that its field does not accept, by its length in characters; omits even
 * the length if the text is `sensitive` or for an element.
 * @param fields The fields that the tool accepts.
 */
function loggedArguments(
  given: Record<string, unknown>,
  fields: Fields,
  logging: Logging,
): Record<string, unknown> {
  return loggedObject(given, objectSchema(fields), logging, fields);
}

function loggedObject(
  given: Record<string, unknown>,
  schema: JsonSchema,
  logging: Logging,
  fields: Fields = {},
): Record<string, unknown> {
  const known = schema.properties as Record<string, JsonSchema> | undefined ?? {};
  const isSensitive = given.sensitive === true || given.element !== undefined; // the text may be a password
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const own = Object.hasOwn(fields, name) ? fields[name].logged : undefined;
      if (own) return [name, own(value, (secret) => hide(secret, logging))];
      const isShown = !LONG.includes(name) && Object.hasOwn(known, name);
      const entry = isShown ? logged(value, known[name], logging) : hide(value, logging, isSensitive);
      return [printable(name, NAME_LIMIT), entry];
    }),
  );
}

function logged(value: unknown, schema: JsonSchema, logging: Logging): unknown {
  if (Array.isArray(value) && schema.type === "array") {
    return value.map((entry) => logged(entry, schema.items as JsonSchema, logging));
  }
  if (isJsonObject(value) && schema.type === "object") {
    return isStep(schema) ? loggedStep(value, logging) : loggedObject(value, schema, logging);
  }
  return isTaken(value, schema) ? value : hide(value, logging);
}

/** Whether a schema describes a step of `do`. */
function isStep({ properties }: JsonSchema): boolean {
  return Object.hasOwn(properties ?? {}, "tool");
}

/** Converts a step of `do` for the log: its fields are those of its tool. */
function loggedStep(step: Record<string, unknown>, logging: Logging): object {
  const { tool, ...given } = step, fields = typeof tool === "string" ? logging.fieldsOf(tool) : undefined;
  if (!fields) return loggedArguments(step, {}, logging);
  return { tool, ...loggedArguments(given, fields, logging) };
}

/**
 * Whether a primitive value, such as a text or a number, is one of a schema's listed values or has the
 * schema's type.
 */
function isTaken(value: unknown, { type, enum: words }: JsonSchema): boolean {
  if (Array.isArray(words)) return words.includes(value);
  const own = typeof value;
  return own === (type === "integer" ? "number" : type);
}

function hide(value: unknown, { hidden }: Logging, isSensitive = false): unknown {
  hidden.push(value);
  return isSensitive
    ? "secret"
    : { characters: [...typeof value === "string" ? value : JSON.stringify(value)].length };
}

/** Removes the values quoted in a message, as `describeValue` and JSON write them. */
function withoutValues(message: string, hidden: readonly unknown[]): string {
  return hidden.flatMap((value) => [value, ...textsIn(value)]).reduce<string>((text, value) => {
    const rest = text.replaceAll(`not ${describeValue(value)}`, "not what was given");
    return typeof value === "string" ? rest.replaceAll(JSON.stringify(value), '"…"') : rest;
  }, message);
}

/** The texts within a list or an object: a tool may accept such a value in its entries. */
function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((entry) => typeof entry === "string" ? [entry] : textsIn(entry));
}
