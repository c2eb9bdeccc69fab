/** Lines for a reader that is slow, stops, or closes. */

import { assertEquals, assertMatch } from "@std/assert";
import { LineQueue } from "../../http/log.ts";
import { until } from "../support/until.ts";

/** A reader that takes bytes only when the test says so. */
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
      const taken = Math.ceil(bytes.length / 2); // as a pipe may: some of it
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

Deno.test("lines wait for a slow reader in their order, and are written in batches", async () => {
  const reader = new Reader(), queue = new LineQueue(reader.write);
  await queue.flushed(); // nothing waits
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i} ${"ü".repeat(50)}`);
  for (const line of lines) queue.add(line);
  await reader.readAll(queue);
  assertEquals(reader.text, lines.join("\n") + "\n");
  // Whole lines at once, and no more than a pipe takes undivided.
  assertEquals(Math.max(...reader.writes) <= 4096 && reader.writes[0] > 3900, true, `${reader.writes}`);
  queue.add("x".repeat(10_000));
  await reader.readAll(queue);
  assertEquals(reader.text.endsWith(`${"x".repeat(10_000)}\n`), true);
});

Deno.test("lines beyond the limit are left out, and a line in their place says how many", async () => {
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
