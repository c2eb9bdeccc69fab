/** The control API without a socket: answers, errors, headers. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import Ajv from "ajv/2020";
import { ENDPOINTS } from "../../../control/http/endpoints.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { formatRecording } from "../../support/recordings.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { controlApi } from "../../support/control.ts";
import { statusOf } from "../../support/uploads.ts";

const FIXED_HEADERS = {
  "access-control-allow-origin": "*",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/** WebSocket paths. */
const SOCKETS = ["/api/live", "/api/listen"];

Deno.test("the contract's four endpoints answer as specified", async () => {
  const { request } = controlApi();
  assertEquals(await (await request("POST", "/api/move", { x: 12, y: 34 })).json(), { ok: true });
  assertEquals(await (await request("GET", "/api/position")).json(), { x: 12, y: 34 });
  const click = await request("POST", "/api/click", { x: 5, y: 6, button: "left" });
  assertEquals(click.status, 200);
  assertEquals(await click.json(), { ok: true });
  const shot = await request("GET", "/api/screenshot");
  assertEquals(shot.headers.get("content-type"), "image/bmp");
  assertEquals(new TextDecoder().decode((await shot.bytes()).subarray(0, 2)), "BM");
});

Deno.test("a click without position and button is a left click at the pointer", async () => {
  const { request } = controlApi();
  await request("POST", "/api/move", { x: 12, y: 34 });
  assertEquals((await request("POST", "/api/click", { at: "pointer" })).status, 200);
  const { actions } = await (await request("GET", "/api/history")).json();
  assertEquals(actions.at(-1), { type: "button", button: "left", down: false, x: 12, y: 34 });
});

Deno.test("an unknown path names the closest one", async () => {
  const { request } = controlApi();
  const ask = async (path: string) => (await (await request("GET", path)).json()).error;
  assertEquals(
    await ask("/api/postion"),
    "no such path (did you mean /api/position?); GET /api lists all paths",
  );
  assertEquals(await ask("/favicon.gif"), "no such path; GET /api lists all paths");
});

Deno.test("every answer has the same headers, including errors and preflights", async () => {
  const { request } = controlApi();
  for (
    const [method, path, body] of [
      ["GET", "/api/position"],
      ["GET", "/api/screenshot"],
      ["GET", "/nowhere"],
      ["DELETE", "/api/move"],
      ["OPTIONS", "/api/move"],
      ["OPTIONS", "/nowhere"],
      ["HEAD", "/api/position"],
      ["POST", "/api/move", "{"],
      ["POST", "/api/move", {}],
    ] as [string, string, unknown?][]
  ) {
    const response = await request(method, path, body);
    for (const [name, value] of Object.entries(FIXED_HEADERS)) {
      assertEquals(response.headers.get(name), value, `${name} of ${method} ${path}`);
    }
    await response.body?.cancel();
  }
});

Deno.test("a wrong method is a 405 that names the right ones, an unknown path a 404", async () => {
  const { request } = controlApi();
  const wrong = await request("GET", "/api/move");
  assertEquals([wrong.status, wrong.headers.get("allow")], [405, "POST, OPTIONS"]);
  assertMatch((await wrong.json()).error, /POST/);
  assertEquals((await request("PUT", "/api/position")).headers.get("allow"), "GET, HEAD, OPTIONS");
  for (const path of ["/api/", "/api/nothing", "/API/position", "/api/position/", "//api/position"]) {
    const response = await request("GET", path);
    assertEquals(response.status, 404, path);
    assertEquals(Object.keys(await response.json()), ["error"]);
  }
});

Deno.test("a preflight names methods and headers and touches nothing", async () => {
  const { request, desktop } = controlApi();
  const response = await request("OPTIONS", "/api/click", undefined, {
    headers: { origin: "http://example.com", "access-control-request-method": "POST" },
  });
  assertEquals(response.status, 204);
  assertEquals(response.headers.get("access-control-allow-methods"), "POST, OPTIONS");
  assertEquals(response.headers.get("access-control-allow-headers"), "Authorization, Content-Type");
  assertEquals(await response.text(), "");
  assertEquals(desktop.log, []);
});

Deno.test("a refused caller gets what is the same for everybody, and nothing else", async () => {
  const { request, desktop } = controlApi({
    guard: () => ({ status: 401, message: "no", waivable: true }),
  });
  assertEquals((await request("GET", "/")).status, 200);
  for (const { method, path, public: open } of ENDPOINTS) {
    const status = await statusOf(request(method, path, method === "GET" ? undefined : {}));
    assertEquals(status, open ? 200 : 401, path);
  }
  assertEquals((await request("GET", "/nowhere")).status, 401);
  assertEquals(desktop.log, []);
});

Deno.test("the list and the OpenAPI document have every endpoint of the table", async () => {
  const { request } = controlApi();
  const list = await (await request("GET", "/api")).json();
  assertEquals(
    list.endpoints.map((row: { method: string; path: string }) => `${row.method} ${row.path}`),
    ENDPOINTS.filter(({ part }) => !part).map(({ method, path }) => `${method} ${path}`),
  );
  const api = await (await request("GET", "/openapi.json")).json();
  assertEquals(api.openapi, "3.1.0");
  for (const { method, path, body } of ENDPOINTS.filter(({ part }) => !part)) {
    const operation = api.paths[path][method.toLowerCase()];
    assert(operation.summary && operation.responses[SOCKETS.includes(path) ? 101 : 200], path);
    if (body) {
      const schema = operation.requestBody.content["application/json"].schema;
      assertEquals(schema, JSON.parse(JSON.stringify(body)), path);
    }
  }
  assertEquals(api.paths["/api/recording"].put.requestBody.required, true);
  assertEquals(api.paths["/api/recording/stop"].post.requestBody.required, false);
  const ids = Object.values(api.paths).flatMap((path) =>
    Object.values(path as Record<string, { operationId: string }>).map(({ operationId }) => operationId)
  );
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("every answer matches the OpenAPI document", async () => {
  const { request } = controlApi({
    desktop: new ElementsDesktop([{ key: "a", name: "Save", states: ["focused"] }]),
  });
  const { paths } = await (await request("GET", "/openapi.json")).json();
  // deno-lint-ignore no-explicit-any -- ajv's types do not describe its default export to Deno
  const ajv = new (Ajv as any)({ strict: false, logger: false });
  const recording = formatRecording(newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0)));
  const SENT: [status: number, method: string, target: string, body?: unknown][] = [
    ...ENDPOINTS.filter(({ part, method, path }) =>
      !part && method === "GET" && !/events|live|listen/.test(path)
    )
      .map(({ path }): [number, string, string] => [
        { "/api/recording": 409, "/api/trace": 404 }[path] ?? 200,
        "GET",
        path === "/api/pixel" ? `${path}?x=1&y=1` : path,
      ]),
    [426, "GET", "/api/live"],
    [409, "GET", "/api/listen"],
    [414, "GET", `/api/position?${"a".repeat(9000)}`],
    [400, "GET", "/api/pixel"],
    [200, "GET", "/api/screenshot?format=png"],
    [200, "POST", "/api/wait", { still: { ms: 1 } }],
    [408, "POST", "/api/wait", { pixel: { x: 1, y: 1, hex: "123456" }, timeout_ms: 1 }],
    [413, "POST", "/api/type", { text: "a".repeat(100_000) }],
    [200, "PUT", "/api/recording", JSON.parse(recording)],
    [200, "GET", "/api/recording"],
    [409, "POST", "/api/recording/stop", {}],
  ];
  for (const [status, method, target, body] of SENT) {
    const response = await request(method, target, body);
    const name = `${method} ${target.slice(0, 40)}`;
    assertEquals(response.status, status, name);
    const { content } = paths[target.split("?")[0]][method.toLowerCase()].responses[status] ?? {};
    const type = response.headers.get("content-type")!.split(";")[0];
    assert(content?.[type], `${name}: ${status} ${type} is not in the document`);
    if (type !== "application/json") await response.body!.cancel();
    else assert(ajv.validate(content[type].schema, await response.json()), `${name}: ${ajv.errorsText()}`);
  }
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path as object))) {
    assert(operation.responses[429] && operation.responses[500], operation.operationId);
  }
});

Deno.test("read-only opens what looks and refuses the rest", async () => {
  const { request, desktop } = controlApi({ readOnly: true });
  const closed = ENDPOINTS.filter(({ effect }) => effect !== "read");
  assertEquals(closed.filter(({ path }) => path === "/api/click" || path === "/api/recording").length, 4);
  for (const { method, path } of closed) {
    const response = await request(method, path, method === "GET" ? undefined : {});
    assertEquals(response.status, 403, path);
    assertMatch((await response.json()).error, /--read-only/);
  }
  const listed: { path: string }[] = (await (await request("GET", "/api")).json()).endpoints;
  const open = ENDPOINTS.filter(({ effect, part }) => effect === "read" && !part).map(({ path }) => path);
  assertEquals(listed.map(({ path }) => path), open);
  assertEquals((await request("GET", "/api/position")).status, 200);
  assertEquals((await request("GET", "/api/pixel?x=1&y=1")).status, 200);
  assertEquals((await request("GET", "/api/screenshot")).status, 200);
  assertEquals(desktop.log, []);
});

Deno.test("an incomplete WebSocket handshake is a client error", async () => {
  const { request, reported } = controlApi();
  const whole = {
    upgrade: "websocket",
    connection: "keep-alive, Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const wrong: [method: string, headers: Record<string, string>][] = [
    ["GET", { upgrade: "websocket" }],
    ["GET", { ...whole, upgrade: "h2c" }],
    ["GET", { ...whole, connection: "keep-alive" }],
    ["GET", { ...whole, "sec-websocket-version": "8" }],
    ["HEAD", whole],
  ];
  for (const [method, headers] of wrong) {
    const answer = await request(method, "/api/live", undefined, { headers });
    assertEquals([answer.status, answer.headers.get("sec-websocket-version")], [426, "13"]);
  }
  assertEquals(reported, []);
});

Deno.test("page files and API descriptions are compressed for clients that accept it", async () => {
  const api = controlApi();
  const get = (path: string, accepted: string) =>
    api.request("GET", path, undefined, { headers: { "accept-encoding": accepted } });
  for (const path of ["/", "/page.js", "/page.css", "/icon.svg", "/api", "/openapi.json"]) {
    const [plain, gzip] = [await get(path, "gzip;q=0"), await get(path, "br, gzip")];
    for (const answer of [plain, gzip]) assertEquals(answer.headers.get("vary"), "accept-encoding", path);
    assertEquals(plain.headers.get("content-encoding"), null, path);
    assertEquals(gzip.headers.get("content-encoding"), "gzip", path);
    assertEquals(gzip.headers.get("content-type"), plain.headers.get("content-type"), path);
    const decoded = gzip.body!.pipeThrough(new DecompressionStream("gzip"));
    assertEquals(await new Response(decoded).text(), await plain.text(), path);
  }
  // Answers that may hold a secret are not compressed.
  for (const path of ["/api/recording", "/api/position"]) {
    const answer = await get(path, "gzip");
    assertEquals([answer.headers.get("vary"), answer.headers.get("content-encoding")], [null, null], path);
    await answer.body?.cancel();
  }
});
