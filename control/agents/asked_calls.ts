/**
 * Calls over MCP that wait for an answer of the client's own user. The protocol asks by the result of a call, which the
 * client then sends again with the answer (https://modelcontextprotocol.io, "Elicitation"); meanwhile the call goes on
 * here, so that no step of it is done twice.
 */

import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ProgramPermission } from "../operator/program_permission.ts";
import { type AnswerWord, OPEN_MS, type Question, questionText } from "../operator/questions.ts";
import type { Answer } from "./tool.ts";

/** The answers that a client may give for its user: what outlasts the session is for the person at the desktop. */
const ANSWERS = ["once", "session", "deny"] as const satisfies readonly AnswerWord[];
/** The name of the question in a result. */
const NAME = "allow";

/** Signs the numbers of calls, which clients carry. */
const CODEC = createRequestStateCodec({
  key: crypto.getRandomValues(new Uint8Array(32)),
  ttlSeconds: OPEN_MS / 1000,
});
export const verifyState = CODEC.verify;

/** A call in progress. */
interface Asked {
  result: Promise<Answer | undefined>;
  stopping: AbortController;
  question: PromiseWithResolvers<Question>;
}

/** Starts a call. @param asks Called with each question that the call opens or joins. */
type Start = (signal: AbortSignal, asks: (question: Question) => void) => Promise<Answer | undefined>;

/** The calls of one desktop that may ask their clients. */
export class AskedCalls {
  readonly #calls = new Map<string, Asked>();

  constructor(readonly permission: ProgramPermission) {}

  /**
   * Begins a call, or goes on with the one whose question the client has answered.
   * @returns The call's answer, or the result that asks the client's user.
   */
  async run(context: ServerContext, signal: AbortSignal, start: Start) {
    const { mcpReq } = context, state = mcpReq.requestState<{ call: string }>();
    const present = state && this.#calls.get(state.call);
    const id = present ? state.call : crypto.randomUUID(), call = present ?? this.#begin(id, start);
    if (present) await this.#answer(present, inputResponse(mcpReq.inputResponses, NAME));
    const stop = () => call.stopping.abort(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      const asked = call.question.promise.then((question) => ({ question }));
      const outcome = await Promise.race([call.result.then((answer) => ({ answer })), asked]);
      if ("answer" in outcome) return outcome;
      return { asks: await this.#asking(id, outcome.question, context) };
    } finally {
      signal.removeEventListener("abort", stop); // the client's next request has a signal of its own
    }
  }

  #begin(id: string, start: Start): Asked {
    const call: Asked = {
      stopping: new AbortController(),
      question: Promise.withResolvers(),
      result: Promise.resolve(undefined),
    };
    call.result = start(call.stopping.signal, (question) => call.question.resolve(question));
    this.#calls.set(id, call);
    call.result.finally(() => this.#calls.delete(id)).catch(() => {});
    return call;
  }

  async #answer(call: Asked, view: ReturnType<typeof inputResponse>): Promise<void> {
    const { id } = await call.question.promise;
    call.question = Promise.withResolvers();
    const given = view.kind === "elicit" && view.action === "accept" ? view.content?.answer : "deny";
    this.permission.questions.answer(id, ANSWERS.find((word) => word === given) ?? "deny");
  }

  async #asking(call: string, question: Question, context: ServerContext) {
    const { asks, wants } = questionText(question), message = `${asks} ${wants}`;
    const answer = { type: "string" as const, title: "Allow?", enum: [...ANSWERS] };
    return inputRequired({
      inputRequests: {
        [NAME]: inputRequired.elicit({
          message,
          requestedSchema: { type: "object", required: ["answer"], properties: { answer } },
        }),
      },
      requestState: await CODEC.mint({ call }, context),
    });
  }
}
