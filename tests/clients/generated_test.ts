/** The generated parts of the clients match the program. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { LISTED_ENDPOINTS } from "../../control/http/endpoints.ts";
import { openApi } from "../../control/http/openapi.ts";
import { VERSION } from "../../core/version.ts";
import { clientModel } from "../../tools/clients/model.ts";
import { pythonClient, snakeCase } from "../../tools/clients/python.ts";
import { clientSources } from "../../tools/clients/sources.ts";

Deno.test("the clients' operations are what `deno task reference` writes", async () => {
  for (const [path, text] of await clientSources()) {
    assertEquals(await Deno.readTextFile(path), text, `${path}: run deno task reference`);
  }
});

Deno.test("the model has every endpoint but the page, its socket and MCP", () => {
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

/** A document with one operation. */
const documentOf = (path: string, method: string, operation: object) => ({
  info: { version: "1" },
  paths: { [path]: { [method]: { operationId: "probe", summary: "Probe", ...operation } } },
});
const answer = (content: object) => ({ responses: { 200: { content } } });
const JSON_OK = { "application/json": { schema: { type: "object", properties: { ok: { const: true } } } } };

Deno.test("what an answer is decides the methods of an operation", () => {
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

Deno.test("an operation that takes a file or fields is a method for each", () => {
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

Deno.test("a field of some values, with both truths among them, is any bool in Python", () => {
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

Deno.test("names in Python", () => {
  assertEquals(["click", "placeWindow", "openApi"].map(snakeCase), ["click", "place_window", "open_api"]);
});
