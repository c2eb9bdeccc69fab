/** The budget of all bodies under way: bytes that it takes, refuses and gives back. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { BODIES, BodyBudget } from "../../../control/http/request_body.ts";
import { RequestError } from "../../../http/request_error.ts";
import { controlApi } from "../../support/control.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 * 1024;

const request = () => new Request("http://127.0.0.1/");

Deno.test("bodies take their bytes until they are released, once", () => {
  const budget = new BodyBudget(3 * MIB), [a, b, c] = [request(), request(), request()];
  budget.take(a, 2 * MIB);
  const error = assertThrows(() => budget.take(b, 2 * MIB), RequestError);
  assertEquals([error.status, error.headers["retry-after"]], [503, "1"]);
  budget.take(b, MIB / 2);
  budget.take(b, MIB); // the same body, of which more comes than was known
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
      error: "other requests with large bodies are under way; try again later",
    });
  }
  assertEquals(pulled, 8);
  assertEquals((await api.request("POST", "/api/move", { x: 1, y: 2 })).status, 200);
  // Those that came first end with a 408, after the 10 s that a body may take.
  await until(() => BODIES.held, (held) => held === 0);
  assert((await api.request("POST", "/api/find", undefined, { body: new Uint8Array(MIB) })).status === 400);
  assertEquals(BODIES.held, 0);
});
