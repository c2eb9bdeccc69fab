/** The place at which streams show the pointer after a move. */

import { assertEquals } from "@std/assert";
import { shownPlace } from "../../../../ffi/wayland/streamed/remote_pointer.ts";
import { FrameReader, FrameWriter, makeFrameMemory } from "../../../../ffi/linux/pipewire/frame_memory.ts";
import { arrange } from "../../../../ffi/wayland/wire/outputs.ts";

const MODE = { width: 100, height: 50 };
const [OUTPUT] = arrange([{ name: "A", mode: MODE, transform: 0, logical: { x: 0, y: 0, ...MODE } }]).outputs;

/** A stream, and its reader. */
function stream() {
  const memory = makeFrameMemory(MODE.width, MODE.height, 4);
  const readers = [{ output: OUTPUT, reader: new FrameReader(memory) }];
  return { writer: new FrameWriter(memory), read: () => Promise.resolve(readers) };
}

Deno.test("a look waits until the stream shows the last move", async () => {
  const { writer, read } = stream();
  writer.writePointer({ x: 10, y: 10 });
  // As if it were made an hour from now: only the stream ends the wait.
  const place = shownPlace(read, { point: { x: 40, y: 20 }, at: performance.now() + 3_600_000 });
  const places = [20, 30, 40];
  const writing = setInterval(() => writer.writePointer({ x: places.shift() ?? 40, y: 20 }), 1);
  assertEquals(await place, { x: 40, y: 20 });
  clearInterval(writing);
});

Deno.test("a look does not wait where no move was made, long ago, or no stream shows the pointer", async () => {
  const { writer, read } = stream(), move = { point: { x: 40, y: 20 }, at: performance.now() + 3_600_000 };
  assertEquals(await shownPlace(read, move), undefined);
  writer.writePointer({ x: 10, y: 10 });
  assertEquals(await shownPlace(read, undefined), { x: 10, y: 10 });
  assertEquals(await shownPlace(read, { ...move, at: performance.now() - 3000 }), { x: 10, y: 10 });
});
