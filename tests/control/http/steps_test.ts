/** Several actions in one request: their order, and where a list ends. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { ENDPOINTS } from "../../../control/http/endpoints.ts";
import { createControlHandler } from "../../../control/http/handler.ts";
import { BODIES, BodyBudget } from "../../../control/http/request.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { RequestError } from "../../../http/request.ts";
import { controlApi, PEER, servicesOf } from "../../support/control.ts";
import { until } from "../../support/shell.ts";
import { statusOf } from "../../support/uploads.ts";

const CLICK = { action: "click", x: 5, y: 6, button: "left" };

Deno.test("steps are executed in order", async () => {
  const { request, desktop } = controlApi();
  const steps = [
    { action: "move", x: 1, y: 2 },
    { action: "press", key: "shift" },
    { action: "scroll", direction: "down", amount: 2 },
    { action: "release", key: "shift" },
    { action: "type", text: "ab" },
  ];
  const response = await request("POST", "/api/steps", { steps });
  assertEquals([response.status, await response.json()], [200, { ok: true, done: 5 }]);
  assertEquals(desktop.log.map(({ type }) => type), ["move", "key", "scroll", "key", "text"]);
});

/** Lists, how many steps of each are executed, and the answer to the next. */
const FAILING: readonly [steps: unknown[], done: number, status: number, error: RegExp][] = [
  [[CLICK, { action: "move", x: 5000, y: 1 }, CLICK], 1, 400, /^x must be from 0 to 1279/],
  [[{ action: "move", x: 1 }, CLICK], 0, 400, /^Missing y$/],
  [[{ action: "press", btn: "left" }], 0, 400, /^Missing button or key: btn is unknown$/],
  [[CLICK, CLICK, { action: "steps", steps: [] }], 2, 400, /^action must be one of move, click, /],
  [[CLICK, { x: 1, y: 2 }], 1, 400, /^action must be one of /],
  [[CLICK, { action: "playRecording" }], 1, 400, /^action must be one of /],
  [[CLICK, { action: "activateWindow", title: "nonesuch" }], 1, 404, /nonesuch/],
];

for (const [steps, done, status, error] of FAILING) {
  Deno.test(`${JSON.stringify(steps)} ends after ${done}`, async () => {
    const { request, desktop, reported } = controlApi();
    const response = await request("POST", "/api/steps", { steps, observe: false });
    const answer = await response.json();
    assertEquals([response.status, answer.done], [status, done]);
    assertMatch(answer.error, error);
    assertEquals(desktop.log.filter(({ type }) => type === "move").length, done);
    assertEquals(reported, []);
  });
}

/** Bodies without any executed step. */
const WRONG: readonly [body: unknown, error: RegExp][] = [
  [{}, /^Missing steps/],
  [{ steps: [] }, /^steps must have 1 to 1000 entries, not 0$/],
  [{ steps: Array(1001).fill(CLICK) }, /^steps must have 1 to 1000 entries, not 1001$/],
  [{ steps: [CLICK, "click"] }, /^steps\[1\] must be a JSON object/],
];

for (const [body, error] of WRONG) {
  Deno.test(`${JSON.stringify(body).slice(0, 60)} is 400`, async () => {
    const { request, desktop } = controlApi();
    const response = await request("POST", "/api/steps", body);
    assertEquals(response.status, 400);
    assertMatch((await response.json()).error, error);
    assertEquals(desktop.log, []);
  });
}

Deno.test("steps are closed under --read-only", async () => {
  const { request } = controlApi({ readOnly: true });
  assertEquals(await statusOf(request("POST", "/api/steps", { steps: [CLICK] })), 403);
});

Deno.test("no step is executed for a client that has left", async () => {
  const { request, desktop } = controlApi(), left = new AbortController();
  const answer = request("POST", "/api/steps", { steps: Array(1000).fill(CLICK) }, { signal: left.signal });
  left.abort();
  assertEquals((await answer).status, 499);
  assertEquals(desktop.log, []);
});

// The budget of all bodies in flight: bytes that it takes, refuses and returns.

const MIB = 1024 * 1024;

const request = () => new Request("http://127.0.0.1/");

Deno.test("bodies take their bytes until they are released, once", () => {
  const budget = new BodyBudget(3 * MIB), [a, b, c] = [request(), request(), request()];
  budget.take(a, 2 * MIB);
  const error = assertThrows(() => budget.take(b, 2 * MIB), RequestError);
  assertEquals([error.status, error.headers["retry-after"]], [503, "1"]);
  budget.take(b, MIB / 2);
  budget.take(b, MIB); // the same body, which turns out to be longer than declared
  budget.take(c, 64 * 1024); // small ones always pass
  assertEquals(budget.held, 3 * MIB);
  for (const one of [a, a, c, b]) budget.release(one);
  assertEquals(budget.held, 0);
});

/** A body whose bytes never come. */
function endless(pulled: () => void): RequestInit {
  const body = new ReadableStream({ pull: () => (pulled(), new Promise<void>(() => {})) }, {
    highWaterMark: 0,
  });
  return { body, headers: { "content-length": `${16 * MIB}` } };
}

Deno.test("large bodies beyond the budget are a 503 before they are read, and small ones are read", async () => {
  const api = controlApi();
  let pulled = 0;
  const leaving = new AbortController();
  for (let i = 0; i < 8; i++) {
    const { body, headers } = endless(() => pulled++);
    api.request("POST", "/api/find", undefined, { body, headers, signal: leaving.signal }).catch(() => {});
  }
  await until(() => pulled, (count) => count === 8);
  assertEquals(BODIES.held, 128 * MIB);
  for (
    const [method, path] of [["POST", "/api/find"], ["PUT", "/api/clipboard"], ["PUT", "/api/recording"]]
  ) {
    const refused = await api.request(method, path, undefined, endless(() => pulled++));
    assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"], path);
    assertEquals(await refused.json(), {
      error: "too many requests with large bodies are in progress; try again later",
    });
  }
  assertEquals(pulled, 8);
  assertEquals((await api.request("POST", "/api/move", { x: 1, y: 2 })).status, 200);
  // The earlier ones end with a 408, after the 10 s that a body may take.
  await until(() => BODIES.held, (held) => held === 0);
  assert((await api.request("POST", "/api/find", undefined, { body: new Uint8Array(MIB) })).status === 400);
  assertEquals(BODIES.held, 0);
});

Deno.test("a guest's rejected body takes no memory afterwards", async () => {
  const services = servicesOf(new Operator(new VirtualDesktop())), { links } = services;
  const { token } = links.make({ rights: "look", name: "", ms: 60_000 });
  const handler = createControlHandler({
    endpoints: ENDPOINTS,
    services,
    guard: (request) => links.admit(request, [token]),
    report: () => {},
  });
  const body = new Uint8Array(MIB), url = "http://127.0.0.1:4000/api/find";
  const { status } = await handler(new Request(url, { method: "POST", body }), PEER);
  assertEquals([status, BODIES.held], [400, 0]);
});
