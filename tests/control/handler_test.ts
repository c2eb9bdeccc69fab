/** The control door without a socket: answers, errors, headers. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { ENDPOINTS } from "../../control/endpoints.ts";
import { controlDoor } from "../support/control.ts";

const FIXED_HEADERS = {
  "access-control-allow-origin": "*",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

Deno.test("the contract's four endpoints answer as it has them", async () => {
  const { request } = controlDoor();
  assertEquals(await (await request("POST", "/api/move", { x: 12, y: 34 })).json(), { ok: true });
  assertEquals(await (await request("GET", "/api/position")).json(), { x: 12, y: 34 });
  const click = await request("POST", "/api/click", { x: 5, y: 6, button: "left" });
  assertEquals(click.status, 200);
  assertEquals(await click.json(), { ok: true });
  const shot = await request("GET", "/api/screenshot");
  assertEquals(shot.headers.get("content-type"), "image/bmp");
  assertEquals(new TextDecoder().decode((await shot.bytes()).subarray(0, 2)), "BM");
});

Deno.test("every answer carries the same headers, errors and preflights too", async () => {
  const { request } = controlDoor();
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

const HUGE = "9".repeat(400);
const WRONG_BODIES: [path: string, body: unknown, status: number, error: string | RegExp][] = [
  ["/api/move", {}, 400, "Missing x"],
  ["/api/move", { x: 1 }, 400, "Missing y"],
  ["/api/move", { x: "a" }, 400, "Missing y"],
  ["/api/move", "", 400, "Missing x"],
  ["/api/move", { x: 1.5, y: 2 }, 400, /^x must be a whole number, not 1\.5$/],
  ["/api/move", { x: "1", y: 2 }, 400, /^x must be a whole number, not "1"$/],
  ["/api/move", { x: 1, y: null }, 400, /^y must be a whole number, not null$/],
  ["/api/move", { x: [1], y: 2 }, 400, /^x .* not an array$/],
  ["/api/move", { x: {}, y: 2 }, 400, /^x .* not an object$/],
  ["/api/move", { x: true, y: 2 }, 400, /^x .* not true$/],
  ["/api/move", `{"x":1e400,"y":2}`, 400, /^x must be a whole number/],
  ["/api/move", `{"x":${HUGE},"y":2}`, 400, /^x must be a whole number/],
  ["/api/move", `{"x":1e15,"y":2}`, 400, /^x must be a whole number/],
  ["/api/move", { x: 1280, y: 0 }, 400, "x must be from 0 to 1279 (the desktop), not 1280"],
  ["/api/move", { x: 0, y: -1 }, 400, "y must be from 0 to 719 (the desktop), not -1"],
  ["/api/move", `{"__proto__":{"x":1,"y":2}}`, 400, "Missing x"],
  ["/api/move", `{"constructor":1}`, 400, "Missing x"],
  ["/api/move", "[]", 400, /^the body must be a JSON object, not an array$/],
  ["/api/move", "null", 400, /^the body must be a JSON object, not null$/],
  ["/api/move", '"x"', 400, /^the body must be a JSON object/],
  ["/api/move", "{x:1}", 400, /not valid JSON/],
  ["/api/move", '{"x":1,"y":2', 400, /not valid JSON/],
  ["/api/move", "x=1&y=2", 400, /not valid JSON/],
  ["/api/move", "[".repeat(60_000), 400, /nested deeper than 32/],
  ["/api/move", '{"z":' + "[".repeat(31) + "]".repeat(31) + "}", 400, "Missing x"],
  ["/api/move", '{"z":' + "[".repeat(32) + "]".repeat(32) + "}", 400, /nested deeper than 32/],
  ["/api/move", `{"z":[${Array(100).fill('{"a":[]}')}]}`, 400, "Missing x"],
  ["/api/move", JSON.stringify({ z: "[{".repeat(100), 'a"[\\': '"{'.repeat(100) }), 400, "Missing x"],
  ["/api/move", `{"z":"${"z".repeat(65_536 - 8)}"}`, 400, "Missing x"],
  ["/api/move", `{"z":"${"z".repeat(65_536 - 7)}"}`, 413, /larger than the 65536 bytes/],
  ["/api/move", "[".repeat(32) + "]".repeat(32), 400, /^the body must be a JSON object/],
  ["/api/move", `{"x":1,"y":2,"z":"${"z".repeat(70_000)}"}`, 413, /larger than the 65536 bytes/],
  ["/api/click", { x: 1, y: 2 }, 400, "Missing button"],
  ["/api/click", { button: "left" }, 400, "Missing x"],
  [
    "/api/click",
    { x: 1, y: 2, button: "LEFT" },
    400,
    /^button must be one of left, middle, right, back, forward/,
  ],
  ["/api/click", { x: 1, y: 2, button: 1 }, 400, /^button must be one of/],
  ["/api/click", { x: 1, y: 2, button: "left", count: 4 }, 400, /^count must be a whole number from 1 to 3/],
  ["/api/click", { x: 1, y: 2, button: "left", count: 0 }, 400, /^count /],
  ["/api/scroll", {}, 400, "Missing direction"],
  ["/api/scroll", { direction: "up" }, 400, "Missing amount"],
  ["/api/scroll", { direction: "north", amount: 1 }, 400, /^direction must be one of up, down, left, right/],
  ["/api/scroll", { direction: "up", amount: 0 }, 400, /^amount must be a whole number from 1 to 1000/],
  ["/api/scroll", { direction: "up", amount: 1, x: 3 }, 400, "Missing y"],
  ["/api/press", {}, 400, "Missing button"],
  ["/api/press", { key: "nokey" }, 400, /^key must be a name/],
  ["/api/press", { key: "a", button: "left" }, 400, /cannot both be given/],
  ["/api/release", { button: "none" }, 400, /^button must be one of/],
  ["/api/drag", { from: { x: 1, y: 2 } }, 400, "Missing to"],
  ["/api/drag", { from: { x: 1 }, to: { x: 1, y: 2 } }, 400, "Missing from.y"],
  ["/api/drag", { from: 5, to: { x: 1, y: 2 } }, 400, /^from must be a JSON object, not 5$/],
  ["/api/drag", { from: { x: 0, y: 0 }, to: { x: 5000, y: 0 } }, 400, /^to\.x must be from 0 to 1279/],
  ["/api/key", {}, 400, "Missing keys"],
  ["/api/key", { keys: "" }, 400, /^keys must be a text of at least one character/],
  ["/api/key", { keys: "ctrl+" }, 400, /empty part/],
  ["/api/key", { keys: "ctrl+banana" }, 400, /unknown key "banana"/],
  ["/api/type", {}, 400, "Missing text"],
  ["/api/type", { text: 5 }, 400, /^text must be a text/],
  ["/api/recording/play", { speed: "2" }, 400, /^speed must be a number from 0\.05 to 100, not "2"$/],
  ["/api/recording/play", { speed: 0.04 }, 400, /^speed must be a number from 0\.05 to 100/],
  ["/api/recording/play", { speed: 100.5 }, 400, /^speed must be a number from 0\.05 to 100/],
  ["/api/recording/play", { times: 10_001 }, 400, /^times must be a whole number from 1 to 10000/],
  ["/api/wait", {}, 400, /^Missing pixel or stable$/],
  ["/api/wait", { pixel: { x: 1, y: 1, hex: "red" } }, 400, /^pixel\.hex must be a colour/],
  ["/api/wait", { pixel: { x: 1, y: 1, hex: "#000000", tolerance: 300 } }, 400, /^pixel\.tolerance /],
  ["/api/wait", { stable: { ms: 0 } }, 400, /^stable\.ms /],
  ["/api/wait", { stable: { ms: 10, width: 5000 } }, 400, /^width must be from 1 to 1280/],
  ["/api/wait", { pixel: { x: 1, y: 1, hex: "#123456" }, timeout_ms: 30 }, 408, /within 30 ms$/],
];

for (const [path, body, status, error] of WRONG_BODIES) {
  const shown = (typeof body === "string" ? body : JSON.stringify(body)).slice(0, 60);
  Deno.test(`POST ${path} ${shown} is ${status}`, async () => {
    const { request, desktop, reported } = controlDoor();
    const response = await request("POST", path, body);
    const answer = await response.json();
    assertEquals(Object.keys(answer), ["error"]);
    if (typeof error === "string") assertEquals(answer.error, error);
    else assertMatch(answer.error, error);
    assertEquals(response.status, status);
    assertEquals(desktop.history(), []);
    assertEquals(reported, []);
  });
}

const WRONG_QUERIES: [query: string, error: RegExp | string][] = [
  ["/api/pixel", "Missing x"],
  ["/api/pixel?x=1", "Missing y"],
  ["/api/pixel?x=1.5&y=1", /^x must be a whole number, not "1\.5"$/],
  ["/api/pixel?x=&y=1", /^x must be a whole number/],
  ["/api/pixel?x=1280&y=1", /^x must be from 0 to 1279/],
  ["/api/screenshot?format=gif", /^format must be one of bmp, png, not "gif"$/],
  ["/api/screenshot?x=-1", /^x must be from 0 to 1279/],
  ["/api/screenshot?width=0", /^width must be a whole number from 1/],
  ["/api/screenshot?x=1000&width=281", /^width must be from 1 to 280/],
  ["/api/screenshot?cursor=yes", /^cursor must be true or false/],
  ["/api/screenshot?cursor=%ff", /^cursor must be true or false/],
];

for (const [target, error] of WRONG_QUERIES) {
  Deno.test(`GET ${target} is 400`, async () => {
    const response = await controlDoor().request("GET", target);
    assertEquals(response.status, 400);
    const message = (await response.json()).error;
    if (typeof error === "string") assertEquals(message, error);
    else assertMatch(message, error);
  });
}

Deno.test("a wrong method is a 405 that names the right ones, an unknown path a 404", async () => {
  const { request } = controlDoor();
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
  const { request, desktop } = controlDoor();
  const response = await request("OPTIONS", "/api/click", undefined, {
    headers: { origin: "http://example.com", "access-control-request-method": "POST" },
  });
  assertEquals(response.status, 204);
  assertEquals(response.headers.get("access-control-allow-methods"), "POST, OPTIONS");
  assertEquals(response.headers.get("access-control-allow-headers"), "Authorization, Content-Type");
  assertEquals(await response.text(), "");
  assertEquals(desktop.history(), []);
});

Deno.test("a body is JSON whatever its type says", async () => {
  const { request } = controlDoor();
  for (const type of ["application/x-www-form-urlencoded", "text/plain", "application/json", "image/png"]) {
    const response = await request("POST", "/api/move", { x: 1, y: 2 }, {
      headers: { "content-type": type },
    });
    assertEquals(response.status, 200, type);
  }
});

Deno.test("what is at the bounds is taken", async () => {
  const { request, desktop } = controlDoor();
  for (
    const [path, body, status] of [
      ["/api/click", { x: 0, y: 0, button: "left", count: 3 }, 200],
      ["/api/move", { x: 1279, y: 719 }, 200],
      ["/api/scroll", { direction: "up", amount: 1000 }, 200],
      ["/api/recording/play", { speed: 100, times: 10_000 }, 409], // nothing is recorded
      ["/api/recording/play", { speed: 0.05, times: 1 }, 409],
    ] as const
  ) {
    assertEquals((await request("POST", path, body)).status, status, JSON.stringify(body));
  }
  assertEquals(desktop.position(), { x: 1279, y: 719 });
  const first = await request("GET", "/api/pixel?x=1279&y=719&x=5000&z=1");
  assertEquals(first.status, 200, "of a name given twice the first counts, an unknown one is left out");
  await first.body?.cancel();
});

Deno.test("what is pressed is held until it is let go of", async () => {
  const { request, desktop, operator } = controlDoor();
  await request("POST", "/api/press", { button: "left" });
  await request("POST", "/api/press", { key: "shift" });
  assertEquals(operator.held().map(([, name]) => name).sort(), ["left", "shift"]);
  await request("POST", "/api/release", { button: "left" });
  await request("POST", "/api/release", { key: "shift" });
  assertEquals(operator.held(), []);
  await request("POST", "/api/press", { key: "a" });
  await request("POST", "/api/release", {});
  assertEquals(operator.held(), []);
  const told = desktop.history().map((action) => "down" in action && action.down);
  assertEquals(told, [true, true, false, false, true, false]);
});

Deno.test("who is refused gets what is the same for everybody, and nothing else", async () => {
  const { request, desktop } = controlDoor({
    guard: () => ({ status: 401, message: "no", waivable: true }),
  });
  assertEquals((await request("GET", "/")).status, 200);
  for (const { method, path, public: open } of ENDPOINTS) {
    const response = await request(method, path, method === "GET" ? undefined : {});
    assertEquals(response.status, open ? 200 : 401, path);
    await response.body?.cancel();
  }
  assertEquals((await request("GET", "/nowhere")).status, 401);
  assertEquals(desktop.history(), []);
});

Deno.test("a body that says that it is too long is not read", async () => {
  const { request } = controlDoor();
  const headers = { "content-length": "65537" };
  assertEquals((await request("POST", "/api/move", { x: 1, y: 1 }, { headers })).status, 413);
});

Deno.test("a body that is not UTF-8 is no JSON", async () => {
  const { request } = controlDoor();
  const init = {
    body: new Uint8Array([...new TextEncoder().encode('{"x":1,"y":2,"z":"'), 0xff, 0x22, 0x7d]),
  };
  assertEquals((await request("POST", "/api/move", undefined, init)).status, 400);
});

Deno.test("words of a query are read as what they are", async () => {
  const { request } = controlDoor();
  for (const [cursor, status] of [["true", 200], ["false", 200], ["TRUE", 400], ["1", 400]] as const) {
    const response = await request("GET", `/api/screenshot?width=1&height=1&cursor=${cursor}`);
    assertEquals(response.status, status, cursor);
    await response.bytes();
  }
  // The pointer's own place, drawn in or not.
  const place = "/api/screenshot?x=640&y=360&width=8&height=8&cursor=";
  const [drawn, bare, usual] = await Promise.all(
    [`${place}true`, `${place}false`, place.replace("&cursor=", "")].map(async (target) =>
      (await request("GET", target)).bytes()
    ),
  );
  assertEquals(bare, usual);
  assert(drawn.some((byte, i) => byte !== bare[i]));
});

Deno.test("the list and the OpenAPI document have every endpoint of the table", async () => {
  const { request } = controlDoor();
  const list = await (await request("GET", "/api")).json();
  assertEquals(
    list.endpoints.map((row: { method: string; path: string }) => `${row.method} ${row.path}`),
    ENDPOINTS.filter(({ part }) => !part).map(({ method, path }) => `${method} ${path}`),
  );
  const api = await (await request("GET", "/openapi.json")).json();
  assertEquals(api.openapi, "3.1.0");
  for (const { method, path, body } of ENDPOINTS.filter(({ part }) => !part)) {
    const operation = api.paths[path][method.toLowerCase()];
    assert(operation.summary && operation.responses[200], path);
    if (body) {
      const schema = operation.requestBody.content["application/json"].schema;
      assertEquals(Object.keys(schema.properties), Object.keys(body), path);
    }
  }
  const ids = Object.values(api.paths).flatMap((path) =>
    Object.values(path as Record<string, { operationId: string }>).map(({ operationId }) => operationId)
  );
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("read-only opens what looks and refuses the rest", async () => {
  const { request, desktop } = controlDoor({ readOnly: true });
  for (const { method, path, readOnly } of ENDPOINTS) {
    if (method !== "POST" || readOnly) continue;
    const response = await request(method, path, {});
    assertEquals(response.status, 403, path);
    assertMatch((await response.json()).error, /--read-only/);
  }
  assertEquals((await request("GET", "/api/position")).status, 200);
  assertEquals((await request("GET", "/api/pixel?x=1&y=1")).status, 200);
  assertEquals((await request("GET", "/api/screenshot")).status, 200);
  assertEquals(desktop.history(), []);
});

Deno.test("wait sees a pixel change and a region come to rest", async () => {
  const { request, desktop } = controlDoor();
  const before = await (await request("GET", "/api/pixel?x=309&y=200")).json();
  assertEquals(before.hex, "#20242c");
  const waiting = request("POST", "/api/wait", { pixel: { x: 309, y: 200, hex: "4FC3F7", tolerance: 3 } });
  await request("POST", "/api/click", { x: 300, y: 200, button: "left" });
  assertEquals((await (await waiting).json()).ok, true);
  assertEquals(await (await request("GET", "/api/pixel?x=309&y=200")).json(), {
    r: 0x4f,
    g: 0xc3,
    b: 0xf7,
    hex: "#4fc3f7",
  });
  // Off by 0x20 at most; by one less than that is too little.
  const near = { x: 309, y: 200, hex: "#2fe3d7" };
  assertEquals((await request("POST", "/api/wait", { pixel: { ...near, tolerance: 0x20 } })).status, 200);
  const tooFar = { pixel: { ...near, tolerance: 0x1f }, timeout_ms: 20 };
  assertEquals((await request("POST", "/api/wait", tooFar)).status, 408);
  const still = await request("POST", "/api/wait", { stable: { ms: 50, x: 0, y: 0, width: 10, height: 10 } });
  const answer = await still.json();
  assert(answer.ms >= 50, `${answer.ms}`);
  // A region that keeps changing never comes to rest.
  const timer = setInterval(() => desktop.type("x"), 5);
  const restless = await request("POST", "/api/wait", { stable: { ms: 200 }, timeout_ms: 600 });
  clearInterval(timer);
  assertEquals(restless.status, 408);
});

Deno.test("so many BMPs may be under way and no more, and the place of one that was left is free", async () => {
  const door = controlDoor();
  const ask = () => door.request("GET", "/api/screenshot?width=2&height=2");
  const answers: Response[] = [];
  let refused = await ask();
  // Answers that other tests left unread are under way too.
  while (refused.status === 200 && answers.push(refused) <= 64) refused = await ask();
  assertEquals([refused.status, Object.keys(await refused.json())], [503, ["error"]]);
  assert(answers.length > 8, `${answers.length}`);
  await answers.pop()!.body!.cancel(); // its client has gone
  answers.push(await ask());
  for (const answer of answers) assertEquals((await answer.bytes()).length, 66 + 16);
  assertEquals((await (await ask()).bytes()).length, 66 + 16);
});
