/** Runs actions in the form in which a model writes them. */

import { ChangedError, ExpectedError, ForbiddenError, InputError, StateError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeValue } from "../../core/printable.ts";
import { StepGuard } from "../actions/step_guard.ts";
import type { Values } from "../schema/schema.ts";
import type { ACT_INPUT, DIALECT_NAMES } from "../actions/agents.ts";
import { ACT_PICTURES } from "./call_pictures.ts";
import type { AgentCaller, AgentServer } from "./desk.ts";
import type { GuardedCall } from "./call.ts";
import { ANTHROPIC, NOT_EXECUTED, resultText, TOOLSET, TOOLSET_NAME } from "./dialects/anthropic.ts";
import { callsOf, type Dialect, type ModelAction, type ModelCall, SCREENSHOT } from "./dialects/dialect.ts";
import { GOOGLE } from "./dialects/google.ts";
import { OPENAI } from "./dialects/openai.ts";
import type { Answer } from "./tool.ts";

// Runs a turn of Anthropic's models: `tool_use` blocks, each answered by a complete `tool_result`.

interface ActionAnswer {
  text: string;
  /** The part of the text that reports what the action did. */
  told?: string;
  /** A PNG file. */
  image?: Uint8Array<ArrayBuffer>;
}

/** A part of a result. */
type Content =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: "image/png"; data: string } };

/** A `tool_result` block, as the vendor's service accepts it. */
interface ToolResult {
  type: "tool_result";
  tool_use_id: string;
  toolset_name?: string;
  content: Content[];
  is_error?: true;
}

/** A checked `tool_use` block. */
interface ToolUse {
  id: string;
  dialect: Dialect;
  /** The action in the dialect's form. */
  action: ModelAction;
  /** The toolset member and its input; undefined for the older tool without members. */
  member?: { name: string; input: Record<string, unknown> };
}

/** Whether an entry of a request is a block rather than a bare action. */
function isToolUse(entry: Record<string, unknown>): boolean {
  return entry.type === "tool_use";
}

/**
 * Runs the blocks of a turn, in order, until one fails.
 * @param run Runs one action of a dialect.
 * @returns One result per block; after a failure, later blocks do not run, and their results say so.
 * @throws InputError, before anything runs, if an entry is not a block of the toolset or of the tool
 * `computer`.
 */
async function runTurn(
  blocks: readonly Record<string, unknown>[],
  run: (dialect: Dialect, action: ModelAction, index: number) => Promise<ActionAnswer>,
): Promise<ToolResult[]> {
  const uses = blocks.map(toolUse), results: ToolResult[] = [];
  for (const [index, use] of uses.entries()) {
    if (results.at(-1)?.is_error) {
      results.push(resultOf(use, [textPart(NOT_EXECUTED)], true));
      continue;
    }
    try {
      results.push(resultOf(use, contentOf(use, await run(use.dialect, use.action, index))));
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      const shown = error instanceof ChangedError && error.picture ? [imagePart(error.picture)] : [];
      results.push(resultOf(use, [textPart(error.message), ...shown], true));
    }
  }
  return results;
}

function toolUse(block: Record<string, unknown>, index: number): ToolUse {
  const { type, id, name, toolset_name: toolset, input } = block, where = `actions[${index}]`;
  if (type !== "tool_use") throw new InputError(`${where} must be a tool_use block like the others`);
  if (typeof id !== "string" || !id) {
    throw new InputError(`${where}.id must be a non-empty string, not ${describeValue(id)}`);
  }
  if (!isJsonObject(input)) {
    throw new InputError(`${where}.input must be a JSON object, not ${describeValue(input)}`);
  }
  if (toolset === TOOLSET_NAME && typeof name === "string") {
    return { id, dialect: TOOLSET, action: { ...input, name }, member: { name, input } };
  }
  if (toolset === undefined && name === "computer") return { id, dialect: ANTHROPIC, action: input };
  throw new InputError(
    `${where} must have toolset_name "computer" or call the tool "computer", not ${
      describeValue(toolset ?? name)
    }`,
  );
}

function contentOf({ member }: ToolUse, { image, text, told }: ActionAnswer): Content[] {
  const words = member ? resultText(member.name, member.input) || (image ? "" : text) : text;
  return [
    ...(words ? [textPart(words)] : []),
    ...(member && told && words !== text ? [textPart(told)] : []),
    ...(image ? [imagePart(image)] : []),
  ];
}

const textPart = (text: string): Content => ({ type: "text", text });

function imagePart(png: Uint8Array<ArrayBuffer>): Content {
  return { type: "image", source: { type: "base64", media_type: "image/png", data: png.toBase64() } };
}

function resultOf({ id, member }: ToolUse, content: Content[], isError = false): ToolResult {
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(member ? { toolset_name: TOOLSET_NAME } : {}),
    content,
    ...(isError ? { is_error: true } : {}),
  };
}

const DIALECTS: Record<typeof DIALECT_NAMES[number], Dialect> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  google: GOOGLE,
  gemini: GOOGLE,
};

interface ActAnswer {
  /** False if a block of a turn failed; its result gives the reason. */
  ok: boolean;
  /** A PNG file in base64. */
  image?: string;
  text?: string;
  /** One result per `tool_use` block or call in a vendor's envelope. */
  results?: (ToolResult | TurnAnswer)[];
}

/** A checked request of `/api/act`. */
type Request = Values<typeof ACT_INPUT>;

/**
 * Runs one action, or several in order until one fails.
 * @param counted Receives the number of finished actions of a list; `tool_use` blocks do not count.
 * @throws InputError if the dialect lacks an action or the action does not fit the screen; StateError if it
 * cannot be done now. The message names the index of an action in a list. A `tool_use` block that fails is a
 * result with `is_error`.
 */
export async function act(
  desk: AgentServer,
  request: Request,
  caller: AgentCaller,
  counted = { done: 0 },
): Promise<ActAnswer> {
  const dialect = DIALECTS[request.dialect], actions = actionsOf(request);
  const stepOf = await listOf(desk, request, actions.length);
  const run = (dialect: Dialect, calls: ModelCall[], index: number) =>
    runCalls(desk, calls, { ...callerOf(caller, request, dialect), ...stepOf(index) });
  if (dialect === ANTHROPIC && actions.some(isToolUse)) {
    const results = await runTurn(
      actions,
      (dialect, action, index) => run(dialect, callsOf(dialect, action), index),
    );
    return { ok: !results.some(({ is_error }) => is_error), results };
  }
  const flatActions = actions.map(flat), { acknowledged = false } = request;
  if (dialect === GOOGLE) flatActions.forEach((action) => checkConfirmed(action, acknowledged));
  if (dialect !== ANTHROPIC && actions.some(isEnvelope)) {
    return await runEnvelopes(
      actions,
      acknowledged,
      (action, index) => run(dialect, action ? callsOf(dialect, flat(action)) : [SCREENSHOT], index),
    );
  }
  const answers: ActionAnswer[] = [];
  for (const [index, action] of actions.entries()) {
    try {
      answers.push(await run(dialect, callsOf(dialect, flat(action)), index));
      counted.done++;
    } catch (error) {
      throw request.actions ? failedAt(index, error) : error;
    }
  }
  if (request.actions && !answers.at(-1)?.image) {
    answers.push(await run(dialect, [SCREENSHOT], actions.length));
  }
  const image = answers.at(-1)?.image;
  const text = answers.map(({ text }) => text).filter((text) => text).join("\n");
  return { ok: true, ...(image ? { image: image.toBase64() } : {}), ...(text ? { text } : {}) };
}

/**
 * The guard of a list, which stops it before an action that would press or type blindly.
 * @returns A function that maps an action's index to its place in the list; for a single action, to
 * undefined.
 */
async function listOf(
  { runner }: AgentServer,
  { any_window: anyWindow = false }: Request,
  count: number,
): Promise<(index: number) => { step?: GuardedCall }> {
  if (count === 1) return () => ({});
  const guard = await StepGuard.begin(runner.knownWindows(), anyWindow);
  return (index) => ({ step: { guard, number: index + 1, isLast: index >= count - 1 } });
}

function actionsOf({ action, actions }: Request): ModelAction[] {
  if (action && actions) throw new InputError("action and actions cannot both be given");
  if (!action && !actions) throw new InputError("Missing action");
  return actions ?? [action!];
}

/**
 * Moves an action's fields to the level of its name; Gemini puts them in a separate object, `args`, or
 * `arguments` in the Interactions API.
 */
function flat(action: ModelAction): ModelAction {
  const { name, args, arguments: given } = action, fields = args ?? given;
  return isJsonObject(fields) ? { ...fields, name } : action;
}

/**
 * @throws StateError if Google's service asks the user to confirm an action and the caller has not done so.
 */
function checkConfirmed({ safety_decision: decision }: ModelAction, isAcknowledged: boolean): void {
  if (isAcknowledged || !isJsonObject(decision) || decision.decision !== "require_confirmation") return;
  throw new StateError(
    `the model's provider requires confirmation (${
      describeValue(decision.explanation ?? "no reason given")
    }): ask the ` +
      'user, then send the action again with "acknowledged":true',
  );
}

function callerOf(caller: AgentCaller, { view, observe = false }: Request, dialect: Dialect): AgentCaller {
  return {
    ...caller,
    tellsWindows: observe,
    size: view,
    space: dialect.space,
    view: dialect.view,
    pictures: ACT_PICTURES,
  };
}

/** Runs the calls of one action; the answer has the last call's picture. */
async function runCalls(desk: AgentServer, calls: ModelCall[], caller: AgentCaller): Promise<ActionAnswer> {
  const texts: string[] = [];
  let image: ActionAnswer["image"], told: string | undefined;
  for (const { tool, ...given } of calls) {
    const answer = checked(await desk.call(tool, given, caller, true), tool);
    texts.push(answer.text);
    image = answer.pictures[0] ?? image;
    told = answer.told ?? told;
  }
  return { text: texts.join("\n"), image, told };
}

function checked(answer: Answer | undefined, tool: string): Answer {
  if (!answer) throw new ForbiddenError(`the tool ${tool} is not available here`);
  if (answer.error) throw answer.error;
  return answer;
}

/** The error of an action in a list, with its index; the actions before it were performed. */
function failedAt(index: number, error: unknown): unknown {
  if (error instanceof ExpectedError) error.message = `actions[${index}]: ${error.message}`;
  return error;
}

// Turns of OpenAI's and Google's models in the vendors' own envelopes: `computer_call` (openai 7,
// resources/responses) and `function_call` of the Interactions API (@google/genai 3), each with a complete
// answer. The caller decides on a vendor's safety questions: calls are rejected until the caller acknowledges
// them.

interface Answered {
  text: string;
  /** A PNG file. */
  image?: Uint8Array<ArrayBuffer>;
}

/** Runs an action of the turn's dialect; without an action, takes a picture. */
type RunAction = (action: ModelAction | undefined, index: number) => Promise<Answered>;

/** An answer in the vendor's format. */
type TurnAnswer = Record<string, unknown>;

/** Whether an entry of a request is such an envelope rather than a bare action. */
function isEnvelope({ type }: Record<string, unknown>): boolean {
  return type === "computer_call" || type === "function_call";
}

/** A checked envelope. */
interface Call {
  entry: Record<string, unknown>;
  callId: string;
  actions: ModelAction[];
}

/**
 * Runs the envelopes of a turn, in order, until one fails.
 * @param isAcknowledged Whether the caller has answered the vendor's safety questions.
 * @returns One answer per envelope; those after a failure say so. The text is the reason of the failure, for
 * which OpenAI's answers have no field.
 * @throws InputError, before anything runs, if an entry is not an envelope; StateError if a safety question
 * is not acknowledged.
 */
async function runEnvelopes(
  entries: readonly Record<string, unknown>[],
  isAcknowledged: boolean,
  run: RunAction,
): Promise<ActAnswer> {
  const calls = entries.map(callOf), results: TurnAnswer[] = [];
  calls.forEach((call, i) => checkSafety(call, i, isAcknowledged));
  let failure: string | undefined, hasPictures = true;
  const failed = (error: unknown): string => {
    if (!(error instanceof ExpectedError)) throw error;
    failure ??= error.message;
    return error.message;
  };
  for (const [index, call] of calls.entries()) {
    let answered: Answered = { text: "" };
    try {
      if (failure !== undefined) throw new StateError("skipped: an earlier call in this turn failed");
      for (const action of call.actions) answered = await run(action, index);
    } catch (error) {
      answered = { text: failed(error) };
    }
    try {
      if (hasPictures) answered.image ??= (await run(undefined, index)).image;
    } catch (error) { // the calls' results are reported all the same
      hasPictures = false;
      answered.text = [answered.text, failed(error)].filter((text) => text).join("\n");
    }
    results.push(turnAnswer(call, answered, failure !== undefined));
  }
  return { ok: failure === undefined, ...(failure === undefined ? {} : { text: failure }), results };
}

function callOf(entry: Record<string, unknown>, index: number): Call {
  const where = `actions[${index}]`, isOpenAi = entry.type === "computer_call";
  if (!isEnvelope(entry)) throw new InputError(`${where} must be a call, like the others`);
  const id = isOpenAi ? entry.call_id : entry.id;
  if (typeof id !== "string" || !id) {
    const field = isOpenAi ? "call_id" : "id";
    throw new InputError(
      `${where}.${field} must be a non-empty string, not ${describeValue(id)}`,
    );
  }
  const actions = isOpenAi ? entry.actions ?? [entry.action] : [entry];
  if (!Array.isArray(actions) || !actions.length || !actions.every(isJsonObject)) {
    throw new InputError(`${where}.actions must be an array of actions, not ${describeValue(actions)}`);
  }
  return { entry, callId: id, actions };
}

/** The open safety questions of a call; none if the caller also sends their acknowledgement. */
function questionsOf({ entry }: Call): unknown[] {
  const { pending_safety_checks: checks, acknowledged_safety_checks: acknowledged } = entry;
  if (!Array.isArray(checks)) return [];
  const known = Array.isArray(acknowledged) ? acknowledged.filter(isJsonObject).map(({ id }) => id) : [];
  return checks.filter((check) => !isJsonObject(check) || !known.includes(check.id));
}

function checkSafety(call: Call, index: number, isAcknowledged: boolean): void {
  const [question] = questionsOf(call);
  if (question === undefined || isAcknowledged) return;
  const { message, code } = isJsonObject(question) ? question : {};
  throw new StateError(
    `actions[${index}] has a pending safety check from the model's provider (${
      describeValue(message ?? code ?? "no reason given")
    }): ask the user, then resend it with "acknowledged":true`,
  );
}

function turnAnswer({ entry, callId }: Call, { text, image }: Answered, isError: boolean): TurnAnswer {
  const data = image?.toBase64() ?? "";
  if (entry.type === "computer_call") {
    const checks = entry.pending_safety_checks;
    return {
      type: "computer_call_output",
      call_id: callId,
      output: {
        type: "computer_screenshot",
        ...(data ? { image_url: `data:image/png;base64,${data}` } : {}),
      },
      ...(Array.isArray(checks) && checks.length ? { acknowledged_safety_checks: checks } : {}),
    };
  }
  return {
    type: "function_result",
    call_id: callId,
    name: entry.name,
    ...(isError ? { is_error: true } : {}),
    result: [
      ...(text ? [{ type: "text", text }] : []),
      ...(data ? [{ type: "image", mime_type: "image/png", data }] : []),
    ],
  };
}
