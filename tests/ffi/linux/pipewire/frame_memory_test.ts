/** Frames in memory that threads share: a reader sees one whole frame, the newest. */

import { assertEquals } from "@std/assert";
import { FrameReader, FrameWriter, makeFrameMemory } from "../../../../ffi/linux/pipewire/frame_memory.ts";

Deno.test("there is no frame before the first, and then always the newest", () => {
  const memory = makeFrameMemory(2, 1, 4), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  assertEquals([reader.readFrame(() => {}), reader.frames], [false, 0]);
  for (let value = 1; value <= 7; value++) {
    writer.writeFrame((target) => target.fill(value));
    let seen: number[] = [];
    assertEquals(reader.readFrame((pixels) => seen = [...pixels]), true);
    assertEquals([seen, reader.frames], [Array(8).fill(value), value]);
  }
});

Deno.test("a frame that is overwritten while it is read is read anew", () => {
  const memory = makeFrameMemory(1, 1, 4), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  writer.writeFrame((target) => target.fill(1));
  const seen: number[] = [];
  reader.readFrame((pixels) => {
    // The writer goes once around all slots during the first reading.
    if (!seen.length) {
      for (let value = 2; value <= 4; value++) writer.writeFrame((target) => target.fill(value));
    }
    seen.push(pixels[0]);
  });
  assertEquals(seen.at(-1), 4);
  assertEquals(seen.length, 2);
});

Deno.test("two further frames do not disturb a reader", () => {
  const memory = makeFrameMemory(1, 1, 4), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  writer.writeFrame((target) => target.fill(1));
  let readings = 0;
  reader.readFrame((pixels) => {
    readings++;
    for (const value of [2, 3]) writer.writeFrame((target) => target.fill(value));
    assertEquals(pixels[0], 1);
  });
  assertEquals(readings, 1);
});

Deno.test("the pointer has its place and the picture that was given last; elsewhere there is none", () => {
  const memory = makeFrameMemory(9, 9, 2), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  assertEquals(reader.pointer(), undefined);
  const image = { hotX: 1, hotY: 0, width: 1, height: 1, rgba: Uint8Array.of(1, 2, 3, 4) };
  writer.writePointer({ x: 3, y: -1, image });
  writer.writePointer({ x: 4, y: -1 });
  assertEquals(reader.pointer(), { x: 4, y: -1, ...image });
  writer.writePointer(undefined);
  assertEquals([reader.pointer(), reader.pointerSeen], [undefined, 3]);
});

Deno.test("a picture of the pointer that is too large leaves the one before", () => {
  const memory = makeFrameMemory(9, 9, 1), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  const place = { x: 0, y: 0 },
    image = { hotX: 0, hotY: 0, width: 1, height: 1, rgba: Uint8Array.of(1, 2, 3, 4) };
  writer.writePointer({ ...place, image });
  writer.writePointer({ ...place, image: { ...image, width: 2, rgba: new Uint8Array(8) } });
  assertEquals(reader.pointer()?.width, 1);
});

Deno.test("a change ends a wait", async () => {
  const memory = makeFrameMemory(1, 1, 1), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  const waiting = reader.changed(reader.changes, 60_000);
  const working = setInterval(() => {}, 1000); // a wait for memory alone does not keep a program running
  writer.writeFrame(() => {});
  await waiting;
  await reader.changed(reader.changes - 1, 60_000); // one that has come already
  clearInterval(working);
});
