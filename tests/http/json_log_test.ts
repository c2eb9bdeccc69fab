/** The log as JSON: the fields of its objects. */

import { assertEquals, assertMatch } from "@std/assert";
import type { Handler, Peer } from "../../http/handler.ts";
import { loggedAsJson } from "../../http/log.ts";

/** Answers one request of a logged handler; gives the answer and the line. */
async function logOf(request: Request, handler: Handler, completed: Promise<void> = Promise.resolve()) {
  const lines: string[] = [];
  const log = { add: (line: string) => void lines.push(line), flushed: () => Promise.resolve() };
  const peer: Peer = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 5 }, completed };
  const answer = await loggedAsJson("control", handler, log)(request, peer);
  await completed.catch(() => {});
  await Promise.resolve();
  assertEquals(lines.length, 1);
  const { time, ms, ...rest } = JSON.parse(lines[0]);
  assertMatch(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assertEquals(typeof ms, "number");
  return { answer, line: rest };
}

const URL = "http://127.0.0.1:4000/a%20b?secret=1";
const text: Handler = () => Promise.resolve(new Response("four", { headers: { "content-length": "4" } }));

Deno.test("an object has the request, its range, the answer's bytes and an id that the answer tells too", async () => {
  const headers = { "x-request-id": "trace:1/a", range: "bytes=0-3" };
  const { answer, line } = await logOf(new Request(URL, { headers }), text);
  assertEquals(answer.headers.get("x-request-id"), "trace:1/a");
  assertEquals(line, {
    ...{ server: "control", peer: "127.0.0.1", id: "trace:1/a", method: "GET", path: "/a%20b" },
    ...{ range: "bytes=0-3", status: 200, bytes: 4 },
  });
});

Deno.test("the bytes of an answer in JSON are counted where no header tells them, and its client gets them all", async () => {
  const headers = { "content-type": "application/json" };
  const json: Handler = () => Promise.resolve(new Response('{"é":1}', { headers }));
  const { answer, line } = await logOf(new Request(URL), json);
  assertEquals(line.bytes, 8);
  assertEquals(await answer.text(), '{"é":1}');
});

Deno.test("an id is made where none is given, or one that could break a log", async () => {
  for (const id of ["", 'a"b', "a b", "x".repeat(129)]) {
    const { answer, line } = await logOf(new Request(URL, { headers: { "x-request-id": id } }), text);
    assertMatch(line.id, /^[0-9a-f-]{36}$/);
    assertEquals(answer.headers.get("x-request-id"), line.id);
  }
});

Deno.test("unknown fields are left out, an answer to HEAD has no bytes, and a client that left shows", async () => {
  const open: Handler = () => Promise.resolve(new Response(new ReadableStream()));
  assertEquals("bytes" in (await logOf(new Request(URL), open)).line, false);
  assertEquals((await logOf(new Request(URL, { method: "HEAD" }), text)).line.bytes, 0);
  const left = Promise.reject(new Error("gone"));
  assertEquals((await logOf(new Request(URL), text, left)).line.aborted, true);
});
