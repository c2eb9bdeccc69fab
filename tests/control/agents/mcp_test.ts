/** MCP over HTTP: clients of both eras, and the rules of the transport for servers. */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { mcpHandler } from "../../../control/agents/mcp.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { BusyError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { controlApi, servicesOf } from "../../support/control.ts";
import { ask, MCP_HEADERS } from "../../support/mcp.ts";
import { until } from "../../support/until.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "tester", version: "1" },
};

for (const version of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
  Deno.test(`a client of ${version} is served`, async () => {
    const { result } = await ask(controlApi(), "initialize", {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "tester", version: "1" },
    });
    assertEquals([result.protocolVersion, result.serverInfo.name], [version, "deskhand"]);
  });
}

Deno.test("a client of 2026-07-28 is served without a session, and the log knows its name", async () => {
  const lines: string[] = [];
  const { request, desktop } = controlApi({ agents: { log: (line) => lines.push(line) } });
  const headers = {
    ...MCP_HEADERS,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "move",
  };
  const params = { name: "move", arguments: { x: 3, y: 4 }, _meta: META };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const answer = await request("POST", "/mcp", body, { headers });
  assertEquals([answer.status, answer.headers.get("access-control-allow-origin")], [200, "*"]);
  const { result } = await answer.json();
  assertEquals(result.resultType, "complete");
  assertEquals(desktop.log, [{ type: "move", x: 3, y: 4 }]);
  assertEquals(JSON.parse(lines[0]).client, "tester");
  const mismatch = await request("POST", "/mcp", body, { headers: { ...headers, "mcp-name": "click" } });
  assertEquals([mismatch.status, (await mismatch.json()).error.code], [400, -32020]);
});

Deno.test("a body that is no JSON is answered with 400 and -32700", async () => {
  const answer = await controlApi().request("POST", "/mcp", "{nonsense", { headers: MCP_HEADERS });
  assertEquals([answer.status, (await answer.json()).error.code], [400, -32700]);
});

Deno.test("one call begins in a turn of the event loop; of those that wait, 256 are not refused", async () => {
  const COUNT = 300;
  const { handler, turns, end } = await turnsOfLists();
  const settled = await Promise.allSettled(Array.from({ length: COUNT }, () => handler(listRequest())));
  end();
  const answers = settled.filter((one) => one.status === "fulfilled");
  const refusals = settled.filter((one) => one.status === "rejected");
  assertEquals([answers.length, refusals.length], [257, COUNT - 257]);
  for (const { value } of answers) {
    assertEquals([value.status, (await value.text()).length > 10], [200, true]);
  }
  for (const { reason } of refusals) assertInstanceOf(reason, BusyError);
  assertEquals([turns.length, new Set(turns).size], [257, 257]);
});

Deno.test("a call of MCP whose client leaves before it begins never begins", async () => {
  const { handler, turns, end } = await turnsOfLists();
  const leaving = new AbortController();
  const calls = [handler(listRequest()), handler(listRequest(leaving.signal)), handler(listRequest())];
  leaving.abort();
  const [first, second, third] = await Promise.allSettled(calls);
  end();
  assertEquals([first, second, third].map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assertEquals(turns.length, 2);
  for (const one of [first, third]) if (one.status === "fulfilled") await one.value.text();
});

Deno.test("GET and DELETE of /mcp are 405", async () => {
  for (const method of ["GET", "DELETE"]) {
    assertEquals((await controlApi().request(method, "/mcp")).status, 405);
  }
});

Deno.test("/.well-known/ is a 404 for callers without the token, and other paths are not", async () => {
  const { request } = controlApi({ guard: () => ({ status: 401, message: "no", waivable: true }) });
  assertEquals((await request("GET", "/.well-known/oauth-protected-resource/mcp")).status, 404);
  assertEquals((await request("GET", "/.well-knownx")).status, 401);
  assertEquals((await request("POST", "/mcp", "{}")).status, 401);
});

Deno.test("a page may send the headers of MCP", async () => {
  const answer = await controlApi().request("OPTIONS", "/mcp");
  const allowed = answer.headers.get("access-control-allow-headers")!.toLowerCase().split(", ");
  for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"]) assert(allowed.includes(name), name);
});

Deno.test("a client that hangs up ends what its call does", async () => {
  const api = controlApi(), leaving = new AbortController();
  const params = { name: "key", arguments: { keys: "a", hold_ms: 10_000 } };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const asked = api.request("POST", "/mcp", body, { headers: MCP_HEADERS, signal: leaving.signal });
  await until(() => api.operator.held().length > 0);
  leaving.abort();
  await asked.catch(() => {});
  await until(() => api.operator.held().length === 0);
});

function listRequest(signal?: AbortSignal): Request {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  return new Request("http://127.0.0.1/mcp", { method: "POST", headers: MCP_HEADERS, body, signal });
}

/** A handler of MCP that has been called before, and the turn of the event loop in which each list is asked for. */
async function turnsOfLists() {
  const turns: number[] = [], desk = await servicesOf(new Operator(new VirtualDesktop())).agents();
  let turn = 0, isCounting = true;
  const count = () => {
    turn++;
    if (isCounting) setImmediate(count);
  };
  const { list } = desk;
  desk.list = () => {
    turns.push(turn);
    return list.call(desk);
  };
  const handler = mcpHandler(desk);
  await (await handler(listRequest())).text();
  turns.length = 0;
  count();
  return { handler, turns, end: () => isCounting = false };
}
