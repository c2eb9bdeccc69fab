/** The log as JSON: fields, and queued lines. */

import { assertEquals, assertMatch } from "@std/assert";
import type { Handler, Peer } from "../../http/request.ts";
import { LineQueue, loggedAsJson } from "../../http/log.ts";
import { until } from "../support/shell.ts";

/** Sends one request to a logged handler; returns the response and the log line. */
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

Deno.test("a line has the request, its range, the bytes sent and the id that the response has", async () => {
  const headers = { "x-request-id": "trace:1/a", range: "bytes=0-3" };
  const { answer, line } = await logOf(new Request(URL, { headers }), text);
  assertEquals(answer.headers.get("x-request-id"), "trace:1/a");
  assertEquals(line, {
    ...{ server: "control", peer: "127.0.0.1", id: "trace:1/a", method: "GET", path: "/a%20b" },
    ...{ range: "bytes=0-3", status: 200, bytes: 4 },
  });
});

Deno.test("counts the bytes of a JSON response without Content-Length, and sends them all", async () => {
  const headers = { "content-type": "application/json" };
  const json: Handler = () => Promise.resolve(new Response('{"é":1}', { headers }));
  const { answer, line } = await logOf(new Request(URL), json);
  assertEquals(line.bytes, 8);
  assertEquals(await answer.text(), '{"é":1}');
});

Deno.test("generates an id if none or an unsafe one is given", async () => {
  for (const id of ["", 'a"b', "a b", "x".repeat(129)]) {
    const { answer, line } = await logOf(new Request(URL, { headers: { "x-request-id": id } }), text);
    assertMatch(line.id, /^[0-9a-f-]{36}$/);
    assertEquals(answer.headers.get("x-request-id"), line.id);
  }
});

Deno.test("omits unknown fields, counts no bytes for HEAD, and reports a client that left", async () => {
  const open: Handler = () => Promise.resolve(new Response(new ReadableStream()));
  assertEquals("bytes" in (await logOf(new Request(URL), open)).line, false);
  assertEquals((await logOf(new Request(URL, { method: "HEAD" }), text)).line.bytes, 0);
  const left = Promise.reject(new Error("gone"));
  assertEquals((await logOf(new Request(URL), text, left)).line.aborted, true);
});

// Lines for a reader that is slow, stops or closes.

/** A reader that accepts bytes only when the test says so. */
class Reader {
  text = "";
  /** The size of each write, in bytes. */
  readonly writes: number[] = [];
  readonly #decoder = new TextDecoder();
  #takes: (() => void) | undefined;

  readonly write = (bytes: Uint8Array): Promise<number> => {
    assertEquals(this.#takes, undefined, "two writes were under way");
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.leave = () => reject(new Deno.errors.BrokenPipe());
    this.#takes = () => {
      this.#takes = undefined;
      const taken = Math.ceil(bytes.length / 2); // a partial write, as to a pipe
      this.writes.push(bytes.length);
      this.text += this.#decoder.decode(bytes.subarray(0, taken), { stream: true });
      resolve(taken);
    };
    return promise;
  };

  leave = () => {};

  /** Reads to the end. */
  async readAll(queue: LineQueue) {
    let done = false;
    queue.flushed().then(() => done = true);
    await until(() => {
      this.#takes?.();
      return done;
    });
  }
}

Deno.test("queues lines for a slow reader in order, and writes them in batches", async () => {
  const reader = new Reader(), queue = new LineQueue(reader.write);
  await queue.flushed(); // nothing is queued
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i} ${"ü".repeat(50)}`);
  for (const line of lines) queue.add(line);
  await reader.readAll(queue);
  assertEquals(reader.text, lines.join("\n") + "\n");
  // Whole lines in one write, and no more than a pipe writes atomically (PIPE_BUF).
  assertEquals(Math.max(...reader.writes) <= 4096 && reader.writes[0] > 3900, true, `${reader.writes}`);
  queue.add("x".repeat(10_000));
  await reader.readAll(queue);
  assertEquals(reader.text.endsWith(`${"x".repeat(10_000)}\n`), true);
});

Deno.test("drops lines beyond the limit, and logs how many", async () => {
  const reader = new Reader(), queue = new LineQueue(reader.write, 100);
  for (let i = 0; i < 30; i++) queue.add(`line ${i}`.padEnd(9));
  await reader.readAll(queue);
  queue.add("after");
  await reader.readAll(queue);
  const lines = reader.text.trimEnd().split("\n");
  assertEquals(
    lines.slice(0, 10).map((line) => line.trimEnd()),
    Array.from({ length: 10 }, (_, i) => `line ${i}`),
  );
  assertMatch(lines[10], /^\S+Z log left out 20 lines that were not read in time$/);
  assertEquals(lines.slice(11), ["after"]);
});

Deno.test("a reader that closes does not stop the queue", async () => {
  const reader = new Reader(), queue = new LineQueue(reader.write);
  queue.add("lost");
  const flushed = queue.flushed();
  await Promise.resolve(); // the write is under way
  reader.leave();
  await flushed;
  const other = new LineQueue(() => Promise.reject(new Deno.errors.BrokenPipe()));
  for (let i = 0; i < 3; i++) {
    other.add("lost");
    await other.flushed();
  }
});
