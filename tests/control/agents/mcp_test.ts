/** MCP over HTTP: both eras, and what the transport asks of the server. */

import { assert, assertEquals } from "@std/assert";
import { controlApi } from "../../support/control.ts";
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
