/** Endpoints for AI agents: MCP and the models' own actions. Their modules are loaded on first use. */

import { attempt, ExpectedError } from "../../core/errors.ts";
import {
  anyObject,
  flag,
  ignoredIn,
  list,
  namingIgnored,
  objectSchema,
  optional,
  parseFields,
  text,
} from "../schema/schema.ts";
import { ACT_INPUT } from "../actions/agents.ts";
import { MCP_PATH } from "./access/rules.ts";
import type { Endpoint, Services } from "./endpoint.ts";
import { passedOn } from "../../http/stream.ts";
import { readBody, readJson, WatchedClient } from "./request.ts";
import { errorAnswer, headersOf, jsonText } from "./responses.ts";

/** MCP handlers by their services. */
const handlers = new WeakMap<Services, ReturnType<typeof loadHandler>>();

const STREAM = "text/event-stream";

/**
 * Converts the answer to a form that the client accepts. The protocol requires clients to accept both forms,
 * but many name only one, or none.
 * @param accept The client's Accept header.
 */
async function inForm(accept: string, answer: Response): Promise<Response> {
  const isStream = answer.headers.get("content-type")?.startsWith(STREAM) ?? false;
  const takes = (type: string) => accept.includes(type) || /\*\/\*|(application|text)\/\*/.test(accept);
  if (isStream && !takes(STREAM)) {
    const last = (await answer.text()).split("\n").filter((line) => line.startsWith("data: ")).at(-1) ??
      "data: {}";
    return reshaped(answer, last.slice("data: ".length), "application/json");
  }
  if (!isStream && answer.ok && answer.status !== 202 && !takes("application/json") && takes(STREAM)) {
    return reshaped(answer, `event: message\ndata: ${await answer.text()}\n\n`, STREAM);
  }
  return answer;
}

function reshaped({ status, headers }: Response, body: string, type: string): Response {
  const own = new Headers(headers);
  own.set("content-type", type);
  own.delete("content-length");
  return new Response(body, { status, headers: own });
}

async function loadHandler({ agents }: Services) {
  const [desk, { mcpHandler }] = await Promise.all([agents(), import("../agents/mcp.ts")]);
  return mcpHandler(desk);
}

/** Maximum size of a message, in bytes: it may contain a picture to find. */
const MESSAGE_LIMIT = 4 * 1024 * 1024;

/** Fields common to JSON-RPC 2.0 messages (https://www.jsonrpc.org/specification). */
const JSON_RPC = {
  type: "object",
  properties: { jsonrpc: { const: "2.0" }, id: { type: ["string", "integer", "null"] } },
  required: ["jsonrpc"],
};

const MCP: Endpoint = {
  method: "POST",
  path: MCP_PATH,
  id: "mcp",
  summary: "Tools for AI agents over the Model Context Protocol",
  effect: "read", // each tool has its own check
  mayAct: true,
  body: {
    ...JSON_RPC,
    description: "A JSON-RPC 2.0 request or notification",
    properties: { ...JSON_RPC.properties, method: { type: "string" }, params: { type: "object" } },
    required: ["jsonrpc", "method"],
  },
  answer: {
    "application/json": {
      ...JSON_RPC,
      description: "A JSON-RPC 2.0 response",
      properties: { ...JSON_RPC.properties, result: { type: "object" }, error: { type: "object" } },
    },
    "text/event-stream": { type: "string" },
  },
  statuses: { 202: "The notification was accepted" },
  async handle({ request, services }) {
    const body = await readBody(request, MESSAGE_LIMIT);
    const loading = handlers.get(services) ?? loadHandler(services);
    handlers.set(services, loading);
    const { url, method, signal } = request;
    const message = attempt(() => JSON.parse(new TextDecoder().decode(body))); // the library reports invalid JSON
    const headers = new Headers(request.headers), wanted = headers.get("accept") ?? "*/*";
    headers.set("accept", "application/json, text/event-stream");
    headers.set("content-type", "application/json");
    const inner = { method, headers, signal, ...message === undefined && { body } };
    const answer = await inForm(wanted, await (await loading)(new Request(url, inner), message));
    const own = Object.fromEntries(answer.headers), type = answer.headers.get("content-type");
    const isRunning = answer.body && type?.startsWith(STREAM); // the tool may still be running
    return new Response(isRunning ? passedOn(answer.body!) : answer.body, {
      status: answer.status,
      headers: headersOf(type ?? "application/json", own),
    });
  },
};

const ACT: Endpoint = {
  method: "POST",
  path: "/api/act",
  id: "act",
  summary: "Do actions in the form in which the models of Anthropic, OpenAI and Google write them",
  effect: "read", // each tool has its own check
  mayAct: true,
  body: objectSchema(ACT_INPUT),
  answer: {
    "application/json": objectSchema({
      ok: flag("false if a block of tool_use failed"),
      image: optional(text("A PNG file in base64")),
      text: optional(text("The answers of the actions, or the requested information")),
      results: optional(list(
        anyObject({ description: "A block of tool_result, a computer_call_output, or a function_result" }),
        "The results of blocks of tool_use, and of calls in a vendor's envelope, in their order",
      )),
    }),
  },
  statuses: {
    400: "An action is wrong; done is the number of completed actions of a list",
    408: "The wait timed out",
    409:
      "A person is using the desktop, or stopped the agents; or a vendor's safety check is not acknowledged",
  },
  async handle({ request, peer, services }) {
    const values = parseFields(ACT_INPUT, await readJson(request));
    const [desk, { act }] = await Promise.all([services.agents(), import("../agents/act.ts")]);
    const client = request.headers.get("user-agent") ?? "unknown";
    using caller = new WatchedClient(request, peer, services.hasLeft);
    const counted = { done: 0 };
    try {
      const answer = await act(desk, values, { client, by: "act", signal: caller.signal }, counted);
      return jsonText(JSON.stringify(answer));
    } catch (error) {
      if (!values.actions || !(error instanceof ExpectedError)) throw namingIgnored(error, ignoredIn(values));
      return errorAnswer(error, () => {}, counted);
    }
  },
};

export const AGENT_ENDPOINTS: readonly Endpoint[] = [MCP, ACT];
