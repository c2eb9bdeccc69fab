/** Endpoints for AI agents: MCP, and the models' own actions. What they need is loaded when the first of them is called. */

import { MCP_PATH } from "./access/rules.ts";
import type { Endpoint, Services } from "./endpoint.ts";
import { BODY_LIMIT, readBody } from "./request_body.ts";
import { headersOf } from "./responses.ts";

/** Handlers of MCP, by the services that they work with. */
const handlers = new WeakMap<Services, Promise<(request: Request) => Promise<Response>>>();

async function loadHandler({ agents }: Services) {
  const [desk, { mcpHandler }] = await Promise.all([agents(), import("../agents/mcp.ts")]);
  return mcpHandler(desk);
}

const MCP: Endpoint = {
  method: "POST",
  path: MCP_PATH,
  id: "mcp",
  summary: "Tools for AI agents, by the Model Context Protocol",
  effect: "look", // each tool is checked by itself
  body: { type: "object", description: "A message of JSON-RPC 2.0" },
  answer: { "application/json": { type: "object" }, "text/event-stream": { type: "string" } },
  statuses: { 202: "A notification is taken" },
  async handle({ request, services }) {
    const body = await readBody(request, BODY_LIMIT);
    const loading = handlers.get(services) ?? loadHandler(services);
    handlers.set(services, loading);
    const { url, method, headers, signal } = request;
    const answer = await (await loading)(new Request(url, { method, headers, body, signal }));
    const own = Object.fromEntries(answer.headers);
    return new Response(answer.body, {
      status: answer.status,
      headers: headersOf(answer.headers.get("content-type") ?? "application/json", own),
    });
  },
};

/** Every one of them. */
export const AGENT_ENDPOINTS: readonly Endpoint[] = [MCP];
