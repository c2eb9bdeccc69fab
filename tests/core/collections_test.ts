/** A heap that has grown is collected, and a collection begins without memory. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { HeapWatch } from "../../core/collections.ts";

/** The full collections of the subject, as V8 logs them; no other reason for one is left to V8. */
async function collectionsOf(...args: string[]): Promise<{ count: number; text: string }> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      `--config=${fromFileUrl(new URL("../deno.json", import.meta.url))}`,
      "--v8-flags=--trace-gc,--no-memory-reducer",
      fromFileUrl(new URL("collections_subject.ts", import.meta.url)),
      ...args,
    ],
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return { count: text.match(/ Mark-Compact /g)?.length ?? 0, text };
}

Deno.test("a full collection begins when it is asked for, and takes no memory", async () => {
  assertEquals((await collectionsOf()).count, 0);
  const { count, text } = await collectionsOf("collect");
  assert(count >= 1, text);
  assert(Number(/the buffer took (-?\d+) MB/.exec(text)?.[1]) < 48, text);
});

Deno.test("a heap is collected when it has grown by 3 MB since the smallest size after the last time", () => {
  let used = 0, collections = 0;
  const watch = new HeapWatch(() => used, () => collections++);
  const after = (size: number) => {
    used = size;
    watch.look();
    return collections;
  };
  assertEquals([9e6, 8e6, 10.9e6].map(after), [0, 0, 0]);
  assertEquals(after(11e6), 1);
  // The collection has not ended at the first look after it, and has at the second.
  assertEquals([12e6, 8.5e6, 11.4e6].map(after), [1, 1, 1]);
  assertEquals(after(11.5e6), 2);
  // What stays in use is not collected again and again.
  assertEquals([20e6, 20e6, 22.9e6].map(after), [2, 2, 2]);
});
