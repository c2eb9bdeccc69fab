/**
 * The TypeScript client, from its package: types, the docs' programs in Node, retries, events, generated
 * code.
 */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import ts from "typescript";
import { BadRequest, ConnectionFailed, Desk, Unavailable } from "../../clients/typescript/src/mod.ts";
import { LISTED_ENDPOINTS } from "../../control/http/endpoints.ts";
import { openApi } from "../../control/http/openapi.ts";
import { VERSION } from "../../core/version.ts";
import { clientModel } from "../../tools/clients/model.ts";
import { pythonClient, snakeCase } from "../../tools/clients/python.ts";
import { clientSources, writeClients } from "../../tools/clients/sources.ts";
import { controlApi } from "../support/control.ts";
import { need } from "../support/need.ts";
import { freePort, Program } from "../support/program.ts";
import { mustRun } from "../support/shell.ts";
import { installTypescript, programsOf } from "./pages.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

Deno.test({ ...need("node", "npm"), name: "the TypeScript client, from its tarball" }, async (t) => {
  await using client = await installTypescript();
  const [page] = programsOf(await Deno.readTextFile(`${ROOT}docs/clients.md`), "js");
  const [readme] = programsOf(await Deno.readTextFile(`${ROOT}clients/typescript/README.md`), "ts");
  await t.step("the programs of docs/clients.md and the README run unchanged in Node", async () => {
    await using program = new Program(["--desktop", "virtual", "--http", "0"]);
    const env = { DESKHAND_URL: await program.controlUrl() };
    const run = async (name: string, source: string) => {
      await Deno.writeTextFile(`${client.folder}/${name}`, source);
      return await mustRun("node", [`${client.folder}/${name}`], { env });
    };
    assertMatch(await run("page.mjs", page), /^300 200\n280 180 1\n(?:hit|miss|unsure)\nNotes\n408\n$/);
    assertEquals(await run("readme.mjs", readme), "300\n");
    const { actions } = await (await fetch(`${env.DESKHAND_URL}/api/history`)).json();
    const keys = actions.filter(({ key }: { key?: string }) => key === "shift");
    assertEquals(keys.map(({ down }: { down: boolean }) => down), [true, false]);
  });
  await t.step("its declarations are correct, and a misspelled button does not compile", async () => {
    await Deno.writeTextFile(`${client.folder}/good.ts`, page);
    await Deno.writeTextFile(`${client.folder}/wrong.ts`, page.replace('button: "left"', 'button: "lfet"'));
    const names = ["good.ts", "wrong.ts"].map((name) => `${client.folder}/${name}`);
    const found = ts.getPreEmitDiagnostics(ts.createProgram(names, {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
      types: [],
      strict: true,
      noEmit: true,
    }));
    const said = found.map(({ file, messageText }) =>
      `${file?.fileName.replace(/.*\//, "")}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`
    );
    assertEquals(said.length, 1, said.join("\n"));
    assertMatch(said[0], /^wrong\.ts: Type '"lfet"' is not assignable/);
  });
});

/**
 * A fetch that returns the next of a list: a status, with Retry-After in seconds, or an error; and its calls.
 */
function answering(...answers: (number | [status: number, after: string] | Error)[]) {
  const calls: string[] = [];
  const fetch = (_url: unknown, init?: RequestInit) => {
    calls.push(init!.method!);
    const answer = answers.shift() ?? 200;
    if (answer instanceof Error) return Promise.reject(answer);
    const [status, after] = typeof answer === "number" ? [answer] : answer;
    const headers = after === undefined ? undefined : { "retry-after": after };
    return Promise.resolve(
      Response.json(status === 200 ? { ok: true } : { error: "no" }, { status, headers }),
    );
  };
  return { fetch: fetch as typeof globalThis.fetch, calls };
}

Deno.test("retries what is safe to repeat, but not an action that may have happened", async () => {
  const lost = new TypeError("terminated"), refused = new TypeError("fetch failed: ECONNREFUSED");
  const position = (desk: Desk) => desk.position(), move = (desk: Desk) => desk.move({ x: 1, y: 2 });
  const cases: [
    name: string,
    answers: Parameters<typeof answering>,
    call: (desk: Desk) => Promise<unknown>,
    calls: number,
    // deno-lint-ignore no-explicit-any -- each error has other parameters
    error?: new (...values: any[]) => Error,
  ][] = [
    ["a GET whose connection is lost", [lost], position, 2],
    ["an action whose connection is lost", [lost], move, 1, ConnectionFailed],
    ["a refused GET", [refused], position, 2],
    ["a refused action", [refused], move, 2],
    ["a 503 for a GET", [503], position, 2],
    ["a 503 for an action", [503], move, 1, Unavailable],
    ["a 503 with a time for an action", [[503, "0"]], move, 2],
    ["503 again and again", [[503, "0"], [503, "0"], [503, "0"]], move, 2, Unavailable],
  ];
  for (const [name, answers, call, count, error] of cases) {
    const { fetch, calls } = answering(...answers);
    const made = call(new Desk({ url: "http://127.0.0.1:1", retries: 1, fetch }));
    if (error) await assertRejects(() => made, error, undefined, name);
    else await made;
    assertEquals(calls.length, count, name);
  }
});

Deno.test("the error of an action list reports how many were done before it", async () => {
  const api = controlApi();
  const fetch =
    ((url, { method, body, headers } = {}) =>
      api.request(method!, new URL(url as string).pathname, body, { headers })) as typeof globalThis.fetch;
  const desk = new Desk({ url: "http://127.0.0.1:1", retries: 0, fetch });
  const far = { x: 99_999, y: 2 }, near = { x: 1, y: 2 };
  const steps = [near, near, far].map((place) => ({ action: "move", ...place }));
  const stopped = await assertRejects(() => desk.steps({ steps }), BadRequest);
  assertEquals([stopped.done, (await desk.position()).x], [2, 1]);
  const actions = [near, far].map(({ x, y }) => ({ action: "mouse_move", coordinate: [x, y] }));
  const acted = await assertRejects(() => desk.act({ dialect: "anthropic", actions }), BadRequest);
  assertEquals(acted.done, 1);
  const alone = await assertRejects(() => desk.move(far), BadRequest);
  assertEquals(alone.done, undefined);
});

Deno.test("the error for a missing deskhand says how to start one", async () => {
  const desk = new Desk({ url: `http://127.0.0.1:${freePort()}`, retries: 0 });
  const error = await assertRejects(() => desk.move({ x: 1, y: 2 }), ConnectionFailed, "deskhand --http");
  assertEquals(error.mayHaveHappened, false);
});

Deno.test("receives events as they happen, and finds windows by title", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0"]);
  const desk = new Desk({ url: await program.controlUrl() });
  assertEquals((await desk.window({ title: "notes" }).all()).map(({ title }) => title), ["Notes"]);
  assertEquals((await desk.window({ title: "Clock" }).activate()).active, true);
  await assertRejects(() => desk.window({ title: "none" }).activate(), Error, "none");
  const stream = desk.events(), first = stream.next();
  // The stream reports input after its start: clicks continue until it has reported one.
  let isTold = false;
  first.then(() => isTold = true);
  for (let x = 0; !isTold; x = (x + 7) % 600) await desk.click({ x, y: 300, button: "left" });
  assertEquals(typeof (await first).value?.at, "number");
  await stream.return(undefined);
});

// The generated parts of the clients match the program.

Deno.test("writes the clients' operations once, and leaves unchanged files alone", async () => {
  await writeClients();
  const files = await clientSources(), nodes = () => files.map(([path]) => Deno.statSync(path).ino);
  const before = nodes();
  for (const [path, text] of files) assertEquals(await Deno.readTextFile(path), text);
  await writeClients();
  assertEquals(nodes(), before);
});

Deno.test("the model has every endpoint except the page, its sockets and MCP", () => {
  const { operations, version, shapes } = clientModel(openApi(LISTED_ENDPOINTS));
  const known = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  const missing = LISTED_ENDPOINTS.map(({ method, path }) => `${method} ${path}`).filter((row) =>
    !known.has(row)
  );
  assertEquals(missing.sort(), ["GET /", "GET /api/listen", "GET /api/live", "POST /mcp"]);
  assertEquals(version, VERSION);
  for (const names of [operations.map(({ id }) => id), shapes.map(({ name }) => name)]) {
    assertEquals(new Set(names).size, names.length, "two have one name");
  }
});

/** An OpenAPI document with one operation. */
const documentOf = (path: string, method: string, operation: object) => ({
  info: { version: "1" },
  paths: { [path]: { [method]: { operationId: "probe", summary: "Probe", ...operation } } },
});
const answer = (content: object) => ({ responses: { 200: { content } } });
const JSON_OK = { "application/json": { schema: { type: "object", properties: { ok: { const: true } } } } };

Deno.test("the response types decide an operation's methods", () => {
  const format = (values: string[]) => [{
    name: "format",
    required: false,
    schema: { type: "string", enum: values },
  }];
  const cases: [name: string, operation: object, methods: [id: string, kind: string][]][] = [
    ["JSON", answer(JSON_OK), [["probe", "json"]]],
    ["bytes", answer({ "image/bmp": {}, "image/png": {} }), [["probe", "bytes"]]],
    ["text", answer({ "text/plain": {} }), [["probe", "text"]]],
    ["events", answer({ "text/event-stream": {} }), [["probe", "events"]]],
    ["JSON or text", { ...answer({ ...JSON_OK, "text/plain": {} }), parameters: format(["json", "text"]) }, [
      ["probe", "json"],
      ["probeAsText", "text"],
    ]],
  ];
  for (const [name, operation, methods] of cases) {
    const { operations } = clientModel(documentOf("/api/probe", "get", operation));
    assertEquals(operations.map(({ id, answer }) => [id, answer.kind]), methods, name);
  }
});

Deno.test("an operation that accepts a file or fields has a method for each", () => {
  const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const document = documentOf("/api/probe", "post", {
    ...answer(JSON_OK),
    parameters: [{ name: "limit", required: false, schema: { type: "integer" } }],
    requestBody: { content: { "image/png": { schema: {} }, "application/json": { schema } } },
  });
  const methods = clientModel(document).operations.map((
    { id, whole, query, body },
  ) => [id, whole, query.length, body.length]);
  assertEquals(methods, [["probe", "bytes", 1, 0], ["probeByFields", undefined, 0, 1]]);
});

Deno.test("a field whose values include true and false is a bool in Python", () => {
  const schema = {
    type: "object",
    properties: { observe: { enum: [false, true, "elements"] }, one: { enum: [true, 2] } },
  };
  const document = documentOf("/api/probe", "post", {
    ...answer(JSON_OK),
    requestBody: { content: { "application/json": { schema } } },
  });
  const text = pythonClient(clientModel(document));
  assertStringIncludes(text, 'observe: Optional[Union[bool, Literal["elements"]]] = None');
  assertStringIncludes(text, "one: Optional[Literal[True, 2]] = None");
});

Deno.test("converts names to Python's snake case", () => {
  assertEquals(["click", "placeWindow", "openApi"].map(snakeCase), ["click", "place_window", "open_api"]);
});
