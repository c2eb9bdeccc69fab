/**
 * MCP with other projects' programs: the conformance suite, the inspector, and a client on standard input.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fromFileUrl, join } from "@std/path";
import { kept, mustFetch, whyUnavailable } from "../support/config.ts";
import { need, needTime } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
/** The suite's checks that deskhand does not support; the test also fails if one of them passes. */
const NOT_OFFERED = fromFileUrl(new URL("mcp_not_offered.yaml", import.meta.url));

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

/**
 * Installs an npm package once, with Node 22, which these packages need: `npx` uses a second of processor
 * time per start.
 * @returns The folder of their programs.
 */
async function installed(spec: string): Promise<string> {
  const name = `${spec.replace(/^@/, "").replaceAll(/[/@]/g, "-")}-node-22`;
  const folder = await kept(`npm/${name}`, async (folder) => {
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await mustFetch("npm", ["install", ...options, "--prefix", folder, "node@22", spec]);
  });
  return join(folder, "node_modules", ".bin");
}

/** Runs a program of an npm package on Node 22. Deno 2.9.6 sometimes hangs while it loads them. */
async function node22(spec: string, program: string, ...args: string[]) {
  const bin = await installed(spec);
  return await temporary(async (cwd) => {
    const { code, stdout, stderr } = await new Deno.Command(join(bin, program), {
      args,
      cwd,
      stdin: "null",
      env: { NO_COLOR: "1", PATH: `${bin}:${Deno.env.get("PATH")}` },
    }).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  });
}

const npm = need("npm");
const unreached = npm.ignore ? undefined : await whyUnavailable(() => installed(INSPECTOR));
if (unreached) console.error(`\n!!! SKIPPED: witnesses of MCP are not there: ${unreached} !!!\n`);
const witnesses = { ignore: npm.ignore || unreached !== undefined };

Deno.test({
  name: "the conformance suite fails only in optional features that deskhand does not offer",
  ...witnesses,
  async fn() {
    await using program = new Program(["--http", "0", "--desktop", "virtual"]);
    const url = `${await program.controlUrl()}/mcp`.replace("127.0.0.1", "localhost");
    const suites: [string, ...string[]][] = [
      ["0.2.0-alpha.12", "--requirements", "2026-07-28", "--expected-failures", NOT_OFFERED],
      ...[
        "server-initialize",
        "ping",
        "tools-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
      ]
        .map((scenario): [string, ...string[]] => ["0.1.16", "--scenario", scenario]),
    ];
    for (const [version, ...options] of suites) {
      const suite = `@modelcontextprotocol/conformance@${version}`;
      const { code, stdout, stderr } = await node22(suite, "conformance", "server", "--url", url, ...options);
      assertEquals(code, 0, `${options}\n${stdout.slice(-6000)}\n${stderr}`);
    }
    assertEquals(program.stderr.includes("internal error"), false, program.stderr);
  },
});

Deno.test("null means an omitted value on standard input, too", async () => {
  await using program = new Program(["mcp", "--desktop", "virtual"]);
  const send = (id: number | undefined, method: string, params: unknown) =>
    program.write(JSON.stringify({ jsonrpc: "2.0", ...id ? { id } : {}, method, params }));
  const clientInfo = { name: "tester", version: "1" };
  await send(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await send(undefined, "notifications/initialized", null);
  await send(2, "tools/list", null);
  await program.printed(/"name":"see"/);
  await send(3, "tools/call", { name: "see", arguments: null });
  await program.printed(/menuitem \\"File\\"/);
  await program.endInput();
  assertEquals((await program.ended()).code, 0);
});

Deno.test({
  name: "the inspector lists and calls tools over HTTP and on standard input",
  ...witnesses,
  async fn() {
    await using program = new Program(["--http", "0", "--desktop", "virtual", "--tools", "classic"]);
    const inspect = async (...words: string[]) => {
      const { code, stdout, stderr } = await node22(
        INSPECTOR,
        "mcp-inspector",
        ...["--cli", "--connect-timeout", "120000"], // a busy machine starts a server slowly
        ...words,
      );
      assertEquals(code, 0, stderr);
      return stdout;
    };
    const http = [`${await program.controlUrl()}/mcp`, "--transport", "http", "--method"];
    assertStringIncludes(await inspect(...http, "tools/list"), '"screenshot"');
    const click = ["tools/call", "--tool-name", "click", "--tool-arg", "x=10", "y=20"];
    assertStringIncludes(await inspect(...http, ...click), "clicked left at 10,20 of 1280x720");
    const type = ["--method", "tools/call", "--tool-name", "type", "--tool-arg", "text=héllo 😀"];
    const stdio = [
      "--",
      Deno.execPath(),
      "run",
      "-A",
      MAIN,
      "mcp",
      "--desktop",
      "virtual",
      "--tools",
      "classic",
    ];
    assertStringIncludes(await inspect(...type, ...stdio), "typed 7 characters");
  },
});

Deno.test("on standard input a client is served until its input ends, and only messages are written", async () => {
  await using program = new Program(["mcp", "--desktop", "virtual", "--tools", "do,screen"]);
  const send = (id: number, method: string, params?: unknown) =>
    program.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  const clientInfo = { name: "tester", version: "1" };
  await send(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await program.printed(/"id":1\b/);
  await send(2, "tools/list");
  await program.printed(/"id":2\b/);
  await send(3, "tools/call", { name: "screen" });
  await program.printed(/"id":3\b/);
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  await send(4, "tools/call", { name: "do", arguments: { actions: deep } }); // read as JSON
  await program.write(
    `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"do","arguments":{"actions":${deep}}}}`,
  );
  await program.printed(/"id":5\b/);
  await program.endInput();
  const { code, stdout, stderr } = await program.ended();
  assertEquals([code, stderr], [0, ""]);
  const messages = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const byId = new Map(messages.map((message) => [message.id, message.result]));
  assertEquals(byId.get(2).tools.map(({ name }: { name: string }) => name), ["screen", "do"]);
  assertStringIncludes(byId.get(3).content[0].text, "screenshot: 1280x720");
  for (const id of [4, 5]) {
    assertEquals(byId.get(id).content[0].text, "an argument is nested deeper than 32 levels");
  }
  assert(messages.every(({ jsonrpc }) => jsonrpc === "2.0"));
});

Deno.test("a message that is too long ends the program, which says so", async () => {
  await using program = new Program(["mcp", "--desktop", "virtual"]);
  const clientInfo = { name: "tester", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await program.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  await program.printed(/"id":1\b/);
  const writing = program.write("a".repeat(11 << 20)).catch(() => {}); // the program ends before it has read everything
  const { code, stderr } = await program.ended();
  assertEquals([code, stderr], [1, "deskhand: the client sent a message longer than the 10 MiB allowed\n"]);
  await writing;
});

Deno.test("a client may end its input while a tool holds a key, without a warning", () =>
  temporary(async (folder) => {
    const log = join(folder, "agents.log");
    await using program = new Program(["mcp", "--desktop", "virtual", "--agent-log", log]);
    const send = (id: number, method: string, params: unknown) =>
      program.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const clientInfo = { name: "tester", version: "1" };
    await send(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    await program.printed(/"id":1\b/);
    await send(2, "tools/call", { name: "key", arguments: { keys: "a", hold_ms: 20_000 } });
    let id = 2;
    await until(async () => {
      await send(++id, "tools/call", { name: "screen" });
      return program.stdout.includes("held down: key a");
    });
    await program.endInput();
    const { code, stderr } = await program.ended();
    assertEquals([code, stderr], [0, ""]);
    assertStringIncludes(await Deno.readTextFile(log), '"outcome":"the call was cancelled"');
  }));

Deno.test("an unknown tool, or an impossible view or log, exits with 2", async () => {
  for (
    const [option, value, message] of [
      ["--tools", "clik", "did you mean click?"],
      ["--view", "huge", "--view takes auto, large, full or the long edge"],
      ["--agent-log", "/", "--agent-log /: "],
    ]
  ) {
    await using program = new Program(["mcp", "--desktop", "virtual", option, value]);
    const { code, stderr } = await program.ended();
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
  }
});

/** The ways in which a client reaches deskhand. */
const WAYS: [string, (folder: string) => Promise<AsyncDisposable & { transport: Transport }>][] = [
  ["over HTTP", async () => {
    const program = new Program(["--http", "0", "--desktop", "virtual"]);
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", await program.controlUrl()));
    return { transport, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
  }],
  ["on standard input", (folder) => {
    const args = ["run", "-A", MAIN, "mcp", "--desktop", "virtual"];
    const env = { ...Deno.env.toObject(), XDG_STATE_HOME: folder };
    const transport = new StdioClientTransport({ command: Deno.execPath(), args, env });
    return Promise.resolve({ transport, [Symbol.asyncDispose]: () => transport.close() });
  }],
];

for (const [way, transportOf] of WAYS) {
  Deno.test(
    `a client ${way} with a 9 s timeout of its own waits 12 s in one call, due to progress notifications`,
    needTime("waits for longer than a limit of clients"),
    async () => {
      await temporary(async (folder) => {
        await using connection = await transportOf(folder);
        const client = new Client({ name: "tester", version: "1" }), told: number[] = [];
        await client.connect(connection.transport);
        const limits = { timeout: 9000, resetTimeoutOnProgress: true };
        const { content } = await client.callTool({ name: "wait", arguments: { ms: 12_000 } }, {
          ...limits,
          onprogress: ({ progress }) => told.push(progress),
        });
        assertEquals(content, [{ type: "text", text: "waited 12000 ms" }]);
        assert(told.length >= 2, `${told}`); // a busy machine takes longer
        await client.close();
      });
    },
  );
}
