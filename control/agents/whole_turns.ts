/**
 * Turns of OpenAI's and Google's models in the vendors' own envelopes: `computer_call` (openai 7,
 * resources/responses) and `function_call` of the Interactions API (@google/genai 3), each with a ready answer. A safety
 * question of the vendor's is a decision of the caller: it is refused until the caller acknowledges it.
 */

import { ExpectedError, InputError, StateError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeValue } from "../../core/printable.ts";
import type { ModelAction } from "./dialects/dialect.ts";

/** The answer to an action. */
interface Answered {
  text: string;
  /** A PNG file. */
  image?: Uint8Array<ArrayBuffer>;
}

/** Runs an action of the turn's dialect; without an action takes a picture. */
export type RunAction = (action: ModelAction | undefined, index: number) => Promise<Answered>;

/** An answer in the vendor's form. */
export type TurnAnswer = Record<string, unknown>;

/** Whether an entry of a request is an envelope of these, and no bare action. */
export function isEnvelope({ type }: Record<string, unknown>): boolean {
  return type === "computer_call" || type === "function_call";
}

/** An envelope, checked. */
interface Call {
  entry: Record<string, unknown>;
  callId: string;
  actions: ModelAction[];
}

/**
 * Runs the envelopes of a turn, in order, until one fails.
 * @param isAcknowledged Whether the caller has answered the vendor's safety questions.
 * @returns One answer for each envelope; those behind a failure say so.
 * @throws InputError, before anything runs, if an entry is no envelope; StateError if a safety question is not
 * acknowledged.
 */
export async function runEnvelopes(
  entries: readonly Record<string, unknown>[],
  isAcknowledged: boolean,
  run: RunAction,
): Promise<{ ok: boolean; results: TurnAnswer[] }> {
  const calls = entries.map(callOf), results: TurnAnswer[] = [];
  calls.forEach((call, i) => checkSafety(call, i, isAcknowledged));
  let failure: string | undefined;
  for (const [index, call] of calls.entries()) {
    let answered: Answered = { text: "" };
    try {
      if (failure !== undefined) throw new StateError("skipped: an earlier call in this turn failed");
      for (const action of call.actions) answered = await run(action, index);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      failure ??= error.message;
      answered = { text: error.message };
    }
    const image = answered.image ?? (await run(undefined, index)).image;
    results.push(resultOf(call, { ...answered, ...(image ? { image } : {}) }, failure !== undefined));
  }
  return { ok: failure === undefined, results };
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

/** The safety questions of a call; none if it has none, or the caller sends along that they are acknowledged. */
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

function resultOf({ entry, callId }: Call, { text, image }: Answered, isError: boolean): TurnAnswer {
  const data = image?.toBase64() ?? "";
  if (entry.type === "computer_call") {
    const checks = entry.pending_safety_checks;
    return {
      type: "computer_call_output",
      call_id: callId,
      output: { type: "computer_screenshot", image_url: `data:image/png;base64,${data}` },
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
