/** Parts of the checks that the executable obeys its options. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { Program } from "../support/program.ts";
import type { LoneFile } from "./lone.ts";
import { statusOf } from "../support/files.ts";

/** Shows that the executable obeys an option. */
export type OptionCheck = (file: LoneFile) => Promise<void>;

export const VIRTUAL = ["--desktop", "virtual"];
export const CONTROL = [...VIRTUAL, "--http", "0"];
export const SECRET = "a-secret-of-enough-letters";

/** The answer of MCP's tool `screen` over HTTP, with these options. */
export async function screenOf(file: LoneFile, ...options: string[]): Promise<string> {
  await using program = file.start([...CONTROL, ...options]);
  const answer = await fetch(`${await program.controlUrl()}/mcp`, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "screen" } }),
  });
  return await answer.text();
}

/** The status of the answer to an upload of four bytes. */
export async function uploaded(file: LoneFile, name: string, options: string[]): Promise<number> {
  await using program = file.start(["--files", file.folder, "--files-port", "0", ...options]);
  return await statusOf(fetch(`${await program.filesUrl()}/${name}`, { method: "PUT", body: "mine" }));
}

/** Shares a file by the executable, of the executable that runs, and lists the shares. */
export async function shared(file: LoneFile, ...options: string[]): Promise<string> {
  await using program = file.start(["--files", file.folder, "--files-port", "0", "--allow-share"]);
  const name = join(file.folder, "shared.txt"),
    port = ["--files-port", new URL(await program.filesUrl()).port];
  await Deno.writeTextFile(name, "shared");
  const made = await file.run(["share", name, ...options, ...port]);
  assertEquals(made.code, 0, made.stderr);
  return (await file.run(["share", "--list", ...port])).stdout;
}

/** Makes a link by the executable, of the executable that runs, and lists the links. */
export async function linked(file: LoneFile, ...options: string[]): Promise<string> {
  await using program = file.start([...CONTROL, "--token", SECRET]);
  const link = ["link", "--http", new URL(await program.controlUrl()).port, "--token", SECRET];
  const made = await file.run([...link, ...options]);
  assertEquals([made.code, made.stderr], [0, ""]);
  return (await file.run([...link, "--list"])).stdout;
}

/** Shows that a control API answers callers with the token, and no others. */
export async function answersOnly(program: Program, token: string): Promise<void> {
  const url = `${await program.controlUrl()}/api/position`;
  for (const [headers, status] of [[{}, 401], [{ authorization: `Bearer ${token}` }, 200]] as const) {
    assertEquals(await statusOf(fetch(url, { headers })), status);
  }
}

/** The output of `deskhand trace` for a trace of one move. */
export async function traced(file: LoneFile, options: string[]): Promise<string> {
  const folder = join(file.folder, `traces${options.length}`);
  assertEquals((await file.run([...VIRTUAL, "--trace", folder, "-c", "m1-2"])).code, 0);
  const [{ name }] = Deno.readDirSync(folder);
  const { code, stdout, stderr } = await file.run(["trace", join(folder, name), ...options]);
  assertEquals(code, 0, stderr);
  return stdout;
}
