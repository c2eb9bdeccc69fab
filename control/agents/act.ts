/** Runs an action as a model writes it. */

import { ForbiddenError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Values } from "../actions/schema.ts";
import type { ACT_INPUT, DIALECT_NAMES } from "./act_fields.ts";
import type { AgentCaller, AgentDesk } from "./desk.ts";
import { ANTHROPIC } from "./dialects/anthropic.ts";
import { callsOf, type Dialect } from "./dialects/dialect.ts";
import { GOOGLE } from "./dialects/google.ts";
import { OPENAI } from "./dialects/openai.ts";
import type { Answer } from "./tool.ts";

/** The dialects by their names. */
const DIALECTS: Record<typeof DIALECT_NAMES[number], Dialect> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  google: GOOGLE,
  gemini: GOOGLE,
};

/** What is answered. */
export interface ActAnswer {
  ok: true;
  /** A PNG file in base64. */
  image?: string;
  text?: string;
}

/**
 * Runs an action.
 * @throws InputError if it is no action of the dialect, or does not fit the screen; StateError if it cannot be done now.
 */
export async function act(
  desk: AgentDesk,
  { dialect: name, action, view }: Values<typeof ACT_INPUT>,
  { client, signal }: AgentCaller,
): Promise<ActAnswer> {
  const dialect = DIALECTS[name], texts: string[] = [];
  let image: Uint8Array<ArrayBuffer> | undefined;
  // Gemini writes its arguments into an object of their own.
  const flat = isJsonObject(action.args) ? { ...action.args, name: action.name } : action;
  for (const { tool, ...given } of callsOf(dialect, flat)) {
    const caller = { client, signal, size: view, space: dialect.space };
    const answer = checked(await desk.call(tool, given, caller, true), tool);
    texts.push(answer.text);
    image = answer.pictures[0] ?? image;
  }
  return {
    ok: true,
    ...(image ? { image: image.toBase64() } : {}),
    ...(texts.length ? { text: texts.join("\n") } : {}),
  };
}

function checked(answer: Answer | undefined, tool: string): Answer {
  if (!answer) throw new ForbiddenError(`the tool ${tool} is not open here`);
  if (answer.error) throw answer.error;
  return answer;
}
