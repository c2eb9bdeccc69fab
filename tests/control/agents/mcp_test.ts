/** MCP over HTTP: clients of both protocol generations, and the transport's rules for servers. */

import { assert, assertEquals, assertInstanceOf, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { mcpHandler } from "../../../control/agents/mcp.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { BusyError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { createFilesHandler } from "../../../files/handler.ts";
import { ask, call, MCP_HEADERS, wordsOf } from "../../support/agent_tools.ts";
import { controlApi, PEER, servicesOf } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { temporary, until } from "../../support/shell.ts";

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

Deno.test("clients may cache the list of tools for an hour, and not share it", async () => {
  const headers = { ...MCP_HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } };
  const { result } = await (await controlApi().request("POST", "/mcp", body, { headers })).json();
  assertEquals([result.ttlMs, result.cacheScope, result.tools.length > 0], [3_600_000, "private", true]);
});

Deno.test("a body that is not JSON is answered with 400 and -32700", async () => {
  const answer = await controlApi().request("POST", "/mcp", "{nonsense", { headers: MCP_HEADERS });
  assertEquals([answer.status, (await answer.json()).error.code], [400, -32700]);
});

Deno.test("one call begins per turn of the event loop, and 256 may wait", async () => {
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

Deno.test("an MCP call whose client leaves before it begins never begins", async () => {
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

/** Accept headers of real clients, and the form of the answer. */
const ACCEPTS: [accept: string | undefined, form: RegExp][] = [
  ["application/json, text/event-stream", /^application\/json|^text\/event-stream/],
  ["application/json", /^application\/json/],
  ["text/event-stream", /^text\/event-stream/],
  ["*/*", /^application\/json|^text\/event-stream/],
  [undefined, /^application\/json|^text\/event-stream/],
];

for (const [accept, form] of ACCEPTS) {
  for (
    const [agent, type] of [["node", "application/json"], ["curl/8.0", "application/x-www-form-urlencoded"]]
  ) {
    Deno.test(`a client that accepts ${accept ?? "what it does not say"} and sends ${type} is answered`, async () => {
      const headers = { "content-type": type, "user-agent": agent, ...accept ? { accept } : {} };
      const message = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "see", arguments: null },
      };
      const answer = await controlApi().request("POST", "/mcp", message, { headers });
      const text = await answer.text();
      assertEquals(answer.status, 200, text);
      assertMatch(answer.headers.get("content-type")!, form);
      assertStringIncludes(
        JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result.content[0].text,
        "windows:",
      );
    });
  }
}

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

Deno.test("a page may send MCP's headers", async () => {
  const answer = await controlApi().request("OPTIONS", "/mcp");
  const allowed = answer.headers.get("access-control-allow-headers")!.toLowerCase().split(", ");
  for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"]) assert(allowed.includes(name), name);
});

Deno.test("a client that hangs up aborts its call", async () => {
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

/**
 * An MCP handler that has been called before, and the turn of the event loop in which each list is requested.
 */
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

// Tools that options enable: programs, and the served folder.

const namesOf = async (api: ReturnType<typeof controlApi>) =>
  (await ask(api, "tools/list")).result.tools.map(({ name }: { name: string }) => name) as string[];

Deno.test("without options no tool starts programs, and none reads files", async () => {
  const desktop = Object.assign(new VirtualDesktop(), { programs: undefined }); // like a real desktop
  const names = await namesOf(controlApi({ desktop }));
  assert(!names.includes("open") && !names.includes("files"));
});

Deno.test({
  name: "a listed program starts without deskhand's secrets and without anything that the model adds",
  ...need("sh"),
  fn: () =>
    temporary(async (folder) => {
      const program = join(folder, "program"), seen = join(folder, "seen");
      await Deno.writeTextFile(
        program,
        `#!/bin/sh\necho "$DESKHAND_TOKEN,$#,$1,$HOME" > ${seen}\nexit $#\n`,
        {
          mode: 0o755,
        },
      );
      const api = controlApi({ agents: { programs: [program] } });
      Deno.env.set("DESKHAND_TOKEN", "secret");
      try {
        const given = { program, arguments: ["--help"] };
        assertEquals(
          wordsOf(await call(api, "open", given)),
          'open has no field "arguments"; it takes program, file, url, look',
        );
        const { isError, content: [{ text }] } = await call(api, "do", {
          actions: [{ tool: "open", program }, { tool: "key", keys: "a" }],
          look: false,
        });
        assertEquals(isError, true);
        assertMatch(text!, /^1\. failed: process \d+ ended without a window; 1 more not done/);
        assertEquals(api.desktop.log, []);
        const read = async () => (await Deno.readTextFile(seen)).trimEnd(), home = Deno.env.get("HOME") ?? "";
        assertEquals(await read(), `,0,,${home}`);
        for (const [opening, argument] of [[{ file: folder }, folder], [{ url: "HTTP://a" }, "http://a/"]]) {
          const { content: [{ text }] } = await call(api, "open", { program, ...opening as object });
          assertMatch(text!, /exited immediately with code 1$/);
          assertEquals(await read(), `,1,${argument},${home}`);
        }
      } finally {
        Deno.env.delete("DESKHAND_TOKEN");
      }
    }),
});

/** Programs that cannot be opened, and the message. */
const REFUSED: [program: string, message: string, opening?: object][] = [
  ["false", 'must be an absolute path such as /home/ann/a.txt, not "--help"', { file: "--help" }],
  ["false", 'there is no file "/no/file"', { file: "/no/file" }],
  ["false", 'url must be a web address such as https://example.com/, not "file:///a"', { url: "file:///a" }],
  ["false", "file and url cannot both be given", { file: "/a", url: "http://a" }],
  ["clock", "clock of this desktop opens neither files nor addresses", { url: "http://a" }],
  ["sh", "program must be one of /no/program, false, clock, not"],
  ["/no/program", "program not found: /no/program"],
  ["false", "false exited immediately with code 1"],
];

for (const [program, message, opening] of REFUSED) {
  Deno.test(`opening ${program} is refused: ${message}`, async () => {
    const api = controlApi({ agents: { programs: ["/no/program", "false", "clock"] } });
    const result = await call(api, "open", { program, ...opening });
    assertEquals(result.isError, true);
    assertStringIncludes(wordsOf(result), message);
  });
}

Deno.test("under --read-only programs are closed and files are open", async () => {
  const agents = { programs: ["false"], files: () => Promise.reject(new Error("not read")) };
  const names = await namesOf(controlApi({ readOnly: true, agents }));
  assertEquals([names.includes("open"), names.includes("files")], [false, true]);
});

Deno.test("the served folder is listed and read, in parts, and nothing outside it", () =>
  temporary(async (folder) => {
    const root = join(folder, "root");
    await Deno.mkdir(join(root, "a b#"), { recursive: true });
    await Deno.writeTextFile(join(root, "a b#", "long.txt"), "0123456789".repeat(2500));
    await Deno.writeFile(join(root, "film.mp4"), new Uint8Array(5));
    await Deno.writeTextFile(join(root, "key.pem"), "secret");
    await Deno.writeTextFile(join(folder, "outside.txt"), "secret");
    const handler = createFilesHandler({ root, secrets: { files: [join(root, "key.pem")] } });
    const api = controlApi({
      agents: {
        files: async (path, headers) =>
          path.startsWith("/share")
            ? new Response("its share hangs", {
              status: path.includes("?") || path.endsWith(".txt") ? 503 : 301,
            })
            : await handler(new Request(`http://127.0.0.1${path}`, { headers }), PEER),
      },
    });
    const files = async (given: Record<string, unknown>) => wordsOf(await call(api, "files", given));
    assertEquals(await files({}), '"a b#"/\n"film.mp4" 5 bytes');
    assertEquals(await files({ path: "a b#" }), '"long.txt" 25000 bytes');
    const first = await files({ path: "a b#/long.txt" });
    assertEquals(first.length, 20_000 + "\n… 20000 of 25000 bytes; go on with from 20000".length);
    assertEquals(await files({ path: "/a b#/long.txt", from: 20_000 }), "0123456789".repeat(500));
    assertStringIncludes(
      await files({ path: "a b#/long.txt", from: 25_000 }),
      "from must be less than the file size, 25000",
    );
    assertEquals(await files({ path: "film.mp4" }), '"film.mp4" is not a text file: video/mp4, 5 bytes');
    for (const path of ["share", "share.txt"]) {
      const said = `${JSON.stringify(path)} cannot be read now: its disk or share may not respond`;
      assertEquals(await files({ path }), said);
    }
    for (const path of ["none.txt", "key.pem", "../outside.txt", "a b#/../../outside.txt", "\ud800"]) {
      const result = await call(api, "files", { path });
      assertEquals([result.isError, wordsOf(result)], [
        true,
        `there is no file ${JSON.stringify(path)} in the served folder`,
      ]);
    }
  }));
