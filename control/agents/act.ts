/** Runs actions as a model writes them. */

import { ExpectedError, ForbiddenError, InputError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Values } from "../actions/schema.ts";
import type { ACT_INPUT, DIALECT_NAMES } from "./act_fields.ts";
import type { AgentCaller, AgentServer } from "./desk.ts";
import { ANTHROPIC } from "./dialects/anthropic.ts";
import { callsOf, type Dialect, type ModelAction, type ModelCall, SCREENSHOT } from "./dialects/dialect.ts";
import { GOOGLE } from "./dialects/google.ts";
import { OPENAI } from "./dialects/openai.ts";
import { ACT_PICTURES } from "./picture.ts";
import type { Answer } from "./tool.ts";
import { type ActionAnswer, isToolUse, runTurn, type ToolResult } from "./turn.ts";

/** The dialects by their names. */
const DIALECTS: Record<typeof DIALECT_NAMES[number], Dialect> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  google: GOOGLE,
  gemini: GOOGLE,
};

/** The answer to actions. */
export interface ActAnswer {
  /** False if a block of a turn failed; its result says why. */
  ok: boolean;
  /** A PNG file in base64. */
  image?: string;
  text?: string;
  /** A result for each block of `tool_use`. */
  results?: ToolResult[];
}

/** A request of `/api/act`, checked. */
type Request = Values<typeof ACT_INPUT>;

/**
 * Runs one action, or several in order until one fails.
 * @param counted Receives the number of finished actions of a list; blocks of `tool_use` do not count.
 * @throws InputError if the dialect lacks an action, or the action does not fit the screen; StateError if it cannot
 * be done now. The message names the index of an action in a list. A block of `tool_use` that fails is a result with
 * `is_error`.
 */
export async function act(
  desk: AgentServer,
  request: Request,
  caller: AgentCaller,
  counted = { done: 0 },
): Promise<ActAnswer> {
  const dialect = DIALECTS[request.dialect], actions = actionsOf(request);
  const run = (dialect: Dialect, calls: ModelCall[]) =>
    runCalls(desk, calls, callerOf(caller, request, dialect));
  if (dialect === ANTHROPIC && actions.some(isToolUse)) {
    const results = await runTurn(actions, (dialect, action) => run(dialect, callsOf(dialect, action)));
    return { ok: !results.some(({ is_error }) => is_error), results };
  }
  const answers: ActionAnswer[] = [];
  for (const [index, action] of actions.entries()) {
    try {
      answers.push(await run(dialect, callsOf(dialect, flat(action))));
      counted.done++;
    } catch (error) {
      throw request.actions ? failedAt(index, error) : error;
    }
  }
  if (request.actions && !answers.at(-1)?.image) answers.push(await run(dialect, [SCREENSHOT]));
  const image = answers.at(-1)?.image;
  const text = answers.map(({ text }) => text).filter((text) => text).join("\n");
  return { ok: true, ...(image ? { image: image.toBase64() } : {}), ...(text ? { text } : {}) };
}

function actionsOf({ action, actions }: Request): ModelAction[] {
  if (action && actions) throw new InputError("action and actions cannot both be given");
  if (!action && !actions) throw new InputError("Missing action");
  return actions ?? [action!];
}

/** An action with its fields on the same level as its name; Gemini writes the fields into an object of their own. */
function flat(action: ModelAction): ModelAction {
  return isJsonObject(action.args) ? { ...action.args, name: action.name } : action;
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

/** Runs the calls of one action; the answer has the picture of the last call. */
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
  if (!answer) throw new ForbiddenError(`the tool ${tool} is not open here`);
  if (answer.error) throw answer.error;
  return answer;
}

/** The error of an action in a list, with the action's place in the list; the actions before it were done. */
function failedAt(index: number, error: unknown): unknown {
  if (error instanceof ExpectedError) error.message = `actions[${index}]: ${error.message}`;
  return error;
}
