/** The executable's options, each tested on the lone file. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { OptionName } from "../../cli/option_table.ts";
import { MAIN_OPTIONS } from "../../cli/subcommand.ts";
import { VERSION } from "../../core/version.ts";
import { MCP_HEADERS } from "../support/agent_tools.ts";
import { certificate } from "../support/certificate.ts";
import { need } from "../support/need.ts";
import { rawStatus, sendRaw } from "../support/notify_socket.ts";
import type { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { statusOf } from "../support/uploads.ts";
import { lone, LoneFile } from "./lone.ts";
import { SERVED_CASES } from "./served_options.ts";

// Shared by the checks of single options.

/** Asserts that the executable obeys an option. */
export type OptionCheck = (file: LoneFile) => Promise<void>;

const VIRTUAL = ["--desktop", "virtual"];
export const CONTROL = [...VIRTUAL, "--http", "0"];
/** A VNC server that does not exist. */
const GONE = ["--desktop", "vnc://127.0.0.1:1"];
const SECRET = "a-secret-of-enough-letters";

/** The response of the MCP tool `screen` over HTTP, with these options. */
async function screenOf(file: LoneFile, ...options: string[]): Promise<string> {
  await using program = file.start([...CONTROL, ...options]);
  const answer = await fetch(`${await program.controlUrl()}/mcp`, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "screen" } }),
  });
  return await answer.text();
}

/** The status of a four-byte upload. */
export async function uploaded(
  file: LoneFile,
  name: string,
  options: string[],
  headers: HeadersInit = {},
): Promise<number> {
  await using program = file.start(["--files", file.folder, "--files-port", "0", ...options]);
  return await statusOf(
    fetch(`${await program.filesUrl()}/${name}`, { method: "PUT", body: "mine", headers }),
  );
}

/** A share that `deskhand share` created in the running executable. */
interface Shared {
  /** The link: the first line that `share` prints. */
  link: string;
  /** The output of `share --list`. */
  list: string;
}

/**
 * Shares a file or a folder.
 * @param name Of the file or folder in the served folder.
 * @param use Receives the share while the file server runs.
 */
export async function shared(
  file: LoneFile,
  name: string,
  options: string[],
  use: (share: Shared) => Promise<void> | void,
): Promise<void> {
  const folder = join(file.folder, "to-share"), env = { XDG_STATE_HOME: join(file.folder, "state") };
  await Deno.mkdir(join(folder, "in"), { recursive: true });
  await Deno.writeTextFile(join(folder, "shared.txt"), "shared");
  const args = ["--files", folder, "--files-port", "0", "--allow-share", "--allow-upload"];
  {
    await using program = file.start(args, env);
    const port = ["--files-port", new URL(await program.filesUrl()).port];
    const made = await file.run(["share", join(folder, name), ...options, ...port], "", env);
    assertEquals(made.code, 0, made.stderr);
    const { stdout } = await file.run(["share", "--list", ...port], "", env);
    await use({ link: made.stdout.split("\n")[0], list: stdout });
  } // ends what writes into the folder
  await Deno.remove(env.XDG_STATE_HOME, { recursive: true });
}

/** Creates a link with `deskhand link` in the running executable; returns the list of links. */
async function linked(file: LoneFile, ...options: string[]): Promise<string> {
  await using program = file.start([...CONTROL, "--token", SECRET]);
  const link = ["link", "--http", new URL(await program.controlUrl()).port, "--token", SECRET];
  const made = await file.run([...link, ...options]);
  assertEquals([made.code, made.stderr], [0, ""]);
  return (await file.run([...link, "--list"])).stdout;
}

/** Asserts that a control API answers only callers with the token. */
async function answersOnly(program: Program, token: string): Promise<void> {
  const url = `${await program.controlUrl()}/api/position`;
  for (const [headers, status] of [[{}, 401], [{ authorization: `Bearer ${token}` }, 200]] as const) {
    assertEquals(await statusOf(fetch(url, { headers })), status);
  }
}

/** The output of `deskhand trace` for a trace of one move. */
async function traced(file: LoneFile, options: string[]): Promise<string> {
  const folder = join(file.folder, `traces${options.length}`);
  assertEquals((await file.run([...VIRTUAL, "--trace", folder, "-c", "m1-2"])).code, 0);
  const [{ name }] = Deno.readDirSync(folder);
  const { code, stdout, stderr } = await file.run(["trace", join(folder, name), ...options]);
  assertEquals(code, 0, stderr);
  return stdout;
}

/** The check of each option. */
const CASES: Record<OptionName, OptionCheck> = {
  ...SERVED_CASES,
  async host(file) {
    await using program = file.start([...CONTROL, "--host", "127.0.0.2"]);
    const url = new URL(await program.controlUrl());
    url.hostname = "127.0.0.2";
    assertEquals((await fetch(`${url}api/position`)).status, 200);
    // When bound to all addresses, it prints those that other machines can use.
    await using open = file.start(["--files", "--files-port", "0", "--host", "0.0.0.0"]);
    await open.printed(/^ {2}http:\/\/[\d.]+:\d+\/$/m);
    const wrong = await file.run([...CONTROL, "--host", "192.0.2.1"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "192.0.2.1");
  },
  async token(file) {
    await using program = file.start([...CONTROL, "--token", SECRET]);
    await answersOnly(program, SECRET);
  },
  async "token-file"(file) {
    await Deno.writeTextFile(join(file.folder, "secret"), `${SECRET}\n`);
    await using program = file.start([...CONTROL, "--token-file", join(file.folder, "secret")]);
    await answersOnly(program, SECRET);
  },
  async "require-token"(file) {
    await using program = file.start([...CONTROL, "--require-token"], { DESKHAND_TOKEN: SECRET });
    await answersOnly(program, SECRET);
  },
  async "allow-origin"(file) {
    const origin = "https://example.com";
    await using program = file.start([...CONTROL, "--allow-origin", origin]);
    const url = `${await program.controlUrl()}/api/position`;
    for (const [from, status] of [[origin, 200], ["https://example.org", 401]] as const) {
      assertEquals(await statusOf(fetch(url, { headers: { origin: from } })), status, from);
    }
  },
  async "allow-host"(file) {
    await using program = file.start([...CONTROL, "--allow-host", "desk.example"]);
    const url = await program.controlUrl();
    for (const [host, status] of [["desk.example", 200], ["other.example", 403]] as const) {
      const answer = await sendRaw(
        url,
        `GET /api/position HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      assertEquals(rawStatus(answer), status, host);
    }
  },
  async cert(file) {
    const { cert, key } = await certificate(file.folder);
    await using program = file.start([...CONTROL, "--cert", cert, "--key", key]);
    const { port } = new URL(await program.controlUrl());
    using client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(cert)] });
    const answer = await fetch(`https://localhost:${port}/api/position`, { client });
    assertEquals(Object.keys(await answer.json()), ["x", "y"]);
  },
  async key(file) {
    const { cert } = await certificate(file.folder);
    assertEquals((await file.run([...CONTROL, "--cert", cert])).code, 2);
    assertEquals((await file.run([...CONTROL, "--key", cert])).code, 2);
    assertEquals((await file.run([...CONTROL, "--cert", cert, "--key", cert])).code, 2);
  },
  async look(file) {
    assertMatch(await linked(file, "--look"), /^1 {2}look/);
  },
  async hours(file) {
    const [, time] = /until (.*)/.exec(await linked(file, "--hours", "48"))!;
    assertEquals(Math.round((Date.parse(time) - Date.now()) / 3_600_000), 48);
  },
  async name(file) {
    assertMatch(await linked(file, "--name", "Ada"), / {2}Ada$/m);
  },
  async list(file) {
    assertMatch(await linked(file), /^1 {2}act {2}until /);
  },
  async revoke(file) {
    await using program = file.start([...CONTROL, "--token", SECRET]);
    const link = ["link", "--http", new URL(await program.controlUrl()).port, "--token", SECRET];
    assertEquals((await file.run(link)).code, 0);
    assertEquals((await file.run([...link, "--revoke", "1"])).code, 0);
    assertEquals((await file.run([...link, "--list"])).stdout, "no link is open\n");
  },
  async desktop(file) {
    assertEquals((await file.run([...VIRTUAL, "-c", "g"])).code, 0);
    const wrong = await file.run(["--desktop", "real"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "virtual");
  },
  async command(file) {
    const { code, stdout } = await file.run([...VIRTUAL, "-c", "m5-6; g", "--command", "m7-8", "-c", "g"]);
    assertEquals([code, stdout], [0, "5 6\n7 8\n"]);
  },
  async sound(file) {
    for (
      const [sound, reason] of [[[], /without --sound/], [["--sound"], /virtual desktop is silent/]] as const
    ) {
      await using program = file.start([...CONTROL, ...sound]);
      const answer = await fetch(`${await program.controlUrl()}/api/sound`);
      assertMatch((await answer.json()).reason, reason);
    }
  },
  async "read-only"(file) {
    const { code, stdout, stderr } = await file.run([...VIRTUAL, "--read-only", "-c", "g; m1-1"]);
    assertEquals(code, 1);
    assertMatch(stdout, /^\d+ \d+\n$/);
    assertStringIncludes(stderr, "--read-only");
  },
  async trace(file) {
    assertMatch(
      await traced(file, []),
      /move x=1 y=2 \(prompt; [\d.]+ ms\)\n(?:.*\n)*? +[\d.]+ end: deskhand has ended/,
    );
  },
  async json(file) {
    const lines = (await traced(file, ["--json"])).trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals([lines[0].kind, lines.at(-1).kind], ["trace", "end"]);
    assert(lines.some(({ kind, key }) => kind === "picture" && key));
  },
  async "desktop-password-file"(file) {
    const wrong = await file.run([...GONE, "--desktop-password-file", join(file.alone, "none"), "-c", "g"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "--desktop-password-file");
    const gone = await file.run([...GONE, "-c", "g"]);
    assertEquals(gone.code, 3);
    assertStringIncludes(gone.stderr, "vnc://127.0.0.1:1: ");
  },
  async "desktop-cert"(file) {
    const wrong = await file.run([...GONE, "--desktop-cert", "12", "-c", "g"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "--desktop-cert takes the SHA-256 of a certificate");
  },
  async "desktop-paste"(file) {
    const wrong = await file.run([...GONE, "--desktop-paste", "nothing", "-c", "g"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "--desktop-paste: keys contains an unknown key");
  },
  async "trace-limit"(file) {
    const wrong = await file.run([...VIRTUAL, "--trace", file.alone, "--trace-limit", "1", "-c", "g"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "--trace-limit takes 1M or more");
  },
  async "trace-days"(file) {
    const wrong = await file.run([...VIRTUAL, "--trace", file.alone, "--trace-days", "-1", "-c", "g"]);
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "--trace-days takes a number above 0");
  },
  async "trace-hide"(file) {
    const { code, stderr } = await file.run([
      ...[...VIRTUAL, "--trace", join(file.folder, "hiding"), "--trace-hide", "*secret*", "-c", "g"],
    ]);
    assertEquals(code, 0, stderr);
  },
  async view(file) {
    assertStringIncludes(await screenOf(file, "--view", "640"), "screenshot: 640x360");
  },
  async "view-display"(file) {
    assertStringIncludes(await screenOf(file, "--view-display", "none"), "there is no display");
  },
  async tools(file) {
    assertStringIncludes(await screenOf(file, "--tools", "click"), "Unknown tool: screen");
  },
  async "agent-allow"(file) {
    const path = join(file.folder, "agents.json");
    await Deno.writeTextFile(path, '{"default":"read"}');
    await using program = file.start([...CONTROL, "--agent-allow", path]);
    const url = `${await program.controlUrl()}/api/act`;
    const body = '{"dialect":"openai","action":{"type":"click","button":"left","x":5,"y":5}}';
    assertEquals(await statusOf(fetch(url, { method: "POST", body })), 403);
  },
  async "agent-open"(file) {
    const started = join(file.alone, "started"), program = join(file.alone, "mark");
    await Deno.writeTextFile(program, `#!/bin/sh\necho "$DESKHAND_TOKEN" > ${started}\n`, { mode: 0o755 });
    await using running = file.start([...CONTROL, "--agent-open", program]);
    const url = new URL("/mcp", await running.controlUrl());
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "open", arguments: { program } },
    };
    await (await fetch(url, { method: "POST", headers: MCP_HEADERS, body: JSON.stringify(body) })).text();
    assertEquals(await Deno.readTextFile(started), "\n");
  },
  async "agent-log"(file) {
    const log = join(file.alone, "agents.jsonl");
    await screenOf(file, "--agent-log", log);
    assertStringIncludes(await Deno.readTextFile(log), '"tool":"screen"');
  },
  async "wait-desktop"(file) {
    assertEquals((await file.run(["--http", "0", "--wait-desktop", "0.2"])).code, 3);
    await using program = file.start(["--http", "0", "--wait-desktop", "600"]);
    await program.printed(/^waiting 600 s for the desktop: .*DISPLAY is not set/m);
  },
  async remove(file) {
    const { code, stdout } = await file.run(["setup", "--remove"]);
    assertEquals(code, 0);
    assertMatch(stdout, /There is no KDE permission file/);
  },
  async "log-format"(file) {
    const log = join(file.folder, "requests.jsonl");
    await using program = file.start([...CONTROL, "--log", log, "--log-format", "json"]);
    const answer = await fetch(`${await program.controlUrl()}/api/position`, {
      headers: { "x-request-id": "abc-1" },
    });
    const text = await answer.text();
    assertEquals(answer.headers.get("x-request-id"), "abc-1");
    await until(() => Deno.readTextFileSync(log).includes("\n"));
    const { id, path, bytes } = JSON.parse(Deno.readTextFileSync(log));
    assertEquals([id, path, bytes], ["abc-1", "/api/position", text.length]);
  },
  async log(file) {
    const log = join(file.folder, "requests.log");
    await using program = file.start([...CONTROL, "--log", log]);
    await statusOf(fetch(`${await program.controlUrl()}/api/screen`));
    await until(() => Deno.readTextFileSync(log).includes("/api/screen"));
  },
  async help(file) {
    for (const word of ["--help", "-h"]) {
      const { code, stdout } = await file.run([word, "all"]);
      assertEquals(code, 0);
      for (const { name } of MAIN_OPTIONS) assertStringIncludes(stdout, `--${name}`);
      assertStringIncludes((await file.run([word])).stdout, "--help all");
    }
  },
  async version(file) {
    assertEquals(await file.run(["--version"]), { code: 0, stdout: `deskhand ${VERSION}\n`, stderr: "" });
  },
};

Deno.test({
  ignore: lone.ignore || need("openssl").ignore,
  name: "every option works in the executable",
  async fn(test) {
    await using file = await LoneFile.create();
    for (const [name, shows] of Object.entries(CASES)) {
      await test.step(`--${name}`, () => shows(file));
    }
    await test.step("leaves nothing behind", () => assertEquals(file.leftBehind(), []));
  },
});
