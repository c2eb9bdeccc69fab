/** Bodies that are made while they are sent. */

import { assertEquals, assertRejects } from "@std/assert";
import { streamOf } from "../../http/stream.ts";

/** A body of numbered pieces, and how often a piece and the end were asked for. */
function numbered(count: number, failsAt = Infinity) {
  const asked = { pieces: 0, ends: 0 };
  const body = streamOf(() => {
    if (asked.pieces === failsAt) throw new Error("cannot be made");
    return asked.pieces < count ? new Uint8Array(3).fill(++asked.pieces) : undefined;
  }, () => void asked.ends++);
  return { asked, reader: body.getReader() };
}

Deno.test("a piece is made when the reader asks for it, and the end is reported once", async () => {
  const { asked, reader } = numbered(2);
  await Promise.resolve();
  assertEquals(asked, { pieces: 0, ends: 0 });
  for (const piece of [1, 2]) {
    assertEquals((await reader.read()).value!.slice(), new Uint8Array(3).fill(piece));
    assertEquals(asked, { pieces: piece, ends: 0 });
  }
  assertEquals((await reader.read()).done, true);
  await reader.cancel();
  assertEquals(asked, { pieces: 2, ends: 1 });
});

Deno.test("the memory of a piece is freed when the reader asks for the next", async () => {
  const { reader } = numbered(2);
  const { value: first } = await reader.read();
  assertEquals(first!.length, 3);
  await reader.read();
  assertEquals(first!.length, 0);
});

Deno.test("a reader that cancels and a piece that fails end the body once", async () => {
  const left = numbered(9);
  await left.reader.read();
  await left.reader.cancel();
  await left.reader.cancel();
  assertEquals(left.asked, { pieces: 1, ends: 1 });
  const failing = numbered(9, 1);
  await failing.reader.read();
  await assertRejects(() => failing.reader.read(), Error, "cannot be made");
  await failing.reader.cancel().catch(() => {});
  assertEquals(failing.asked, { pieces: 1, ends: 1 });
});
