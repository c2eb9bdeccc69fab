/** A generated client: the program of docs/clients.md, run as printed. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import openapiTS, { astToString } from "openapi-typescript";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { config } from "../support/config.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const PAGE = await Deno.readTextFile(`${ROOT}/docs/clients.md`);
const DEFAULT_URL = "http://localhost:4000";

/** The page's program in a language, with the address replaced. */
function programOf(language: string, url: string): string {
  const [, source] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "m").exec(PAGE)!;
  assertStringIncludes(source, DEFAULT_URL);
  return source.replace(DEFAULT_URL, url);
}

async function run(command: string, args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, env: { NO_COLOR: "1" } }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The program's output: the pointer position and the screenshot's length. */
const PRINTED = /^300 200\n\d{4,}\n$/;

Deno.test("a generated TypeScript client type-checks and runs, and a misspelled value does not compile", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0", "--token", "x".repeat(20)]);
  const url = await program.controlUrl(), headers = { authorization: `Bearer ${"x".repeat(20)}` };
  const document = await (await fetch(`${url}/openapi.json`, { headers })).json();
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/deskhand.d.ts`, astToString(await openapiTS(document)));
    const source = programOf("ts", url).replace('"…"', JSON.stringify("x".repeat(20)));
    const client = `${folder}/client.ts`, wrong = `${folder}/wrong.ts`;
    await Deno.writeTextFile(client, source);
    await Deno.writeTextFile(wrong, source.replace('button: "left"', 'button: "lfet"'));
    const [ran, checked] = await Promise.all([
      run(Deno.execPath(), ["run", "-A", "--no-check", ...config(), client]),
      run(Deno.execPath(), ["check", ...config(), client, wrong]),
    ]);
    assertMatch(ran.stdout, PRINTED, ran.stderr);
    // One type check of both, since each takes seconds.
    assertStringIncludes(checked.stderr, `Type '"lfet"' is not assignable`);
    const places = checked.stderr.match(/^ {4}at file:.*/gm) ?? [];
    assertEquals(places.map((place) => /wrong\.ts/.test(place)), [true], checked.stderr);
  });
});

Deno.test("operations have unique names, and every JSON answer has fields", () => {
  const rows = ENDPOINTS.filter(({ part }) => !part);
  assertEquals(new Set(rows.map(({ id }) => id)).size, rows.length);
  for (const { id, answer } of rows) {
    assertMatch(id, /^[a-z][a-zA-Z]+$/);
    const { properties } = (answer["application/json"] ?? { properties: {} }) as { properties?: object };
    assertEquals(properties !== undefined, true, `the answer of ${id} has no fields`);
  }
});
