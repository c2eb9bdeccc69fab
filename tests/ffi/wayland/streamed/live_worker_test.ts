/**
 * The live view of streams: changes found in their memory, the cost while idle, and the pointer's position.
 */

import { assert, assertEquals } from "@std/assert";
import { FrameReader, FrameWriter, makeFrameMemory } from "../../../../ffi/linux/pipewire/frame_memory.ts";
import { pixelsFrom } from "../../../../ffi/wayland/streamed/remote_input.ts";
import { shownPlace } from "../../../../ffi/wayland/streamed/remote_pointer.ts";
import { StreamLiveScreen } from "../../../../ffi/wayland/streamed/live_worker.ts";
import { arrange } from "../../../../ffi/wayland/wire/outputs.ts";

/** Two adjacent displays, the second scaled up by 2. */
const ARRANGEMENT = arrange([
  { name: "A", mode: { width: 8, height: 4 }, transform: 0, logical: { x: 0, y: 0, width: 4, height: 2 } },
  { name: "B", mode: { width: 3, height: 2 }, transform: 0, logical: { x: 4, y: 0, width: 3, height: 2 } },
]);

/** Counts reads of the memory, except of its counters. */
class CountedReader extends FrameReader {
  readings = 0;

  override readFrame(read: (pixels: Uint8Array<SharedArrayBuffer>) => void): boolean {
    this.readings++;
    return super.readFrame(read);
  }

  override pointer() {
    this.readings++;
    return super.pointer();
  }
}

function twoStreams() {
  const streams = ARRANGEMENT.outputs.map((output) => {
    const { width, height } = output.output.mode, memory = makeFrameMemory(width, height, 4);
    return { output, writer: new FrameWriter(memory), reader: new CountedReader(memory) };
  });
  for (const { writer } of streams) writer.writeFrame((target) => target.fill(1));
  return { streams, screen: new StreamLiveScreen(ARRANGEMENT.region, streams) };
}

/** A one-color cursor image with its hot spot in the second column. */
function imageOf(color: number) {
  return { hotX: 1, hotY: 0, width: 2, height: 1, rgba: new Uint8Array(8).fill(color) };
}

Deno.test("does not read an idle screen: updates and waits only compare counters", () => {
  const { streams, screen } = twoStreams();
  assertEquals(screen.pixels.every((byte) => byte === 1), true);
  const before = streams.map(({ reader }) => reader.readings);
  for (let i = 0; i < 100; i++) {
    assertEquals(screen.update(), { box: undefined });
    screen.wait(0);
  }
  assertEquals(streams.map(({ reader }) => reader.readings), before);
});

Deno.test("copies a frame once, to its own display", () => {
  const { streams: [a, b], screen } = twoStreams();
  b.writer.writeFrame((target) => target.fill(7));
  const before = a.reader.readings;
  assertEquals(screen.update(), { box: { x: 8, y: 0, width: 6, height: 4 } });
  assertEquals(screen.update(), { box: undefined });
  const words = new Uint32Array(screen.pixels.buffer);
  assertEquals(words.filter((word) => word === 0x07070707).length, 24);
  assertEquals(words[7], 0x01010101);
  assert(a.reader.readings <= before + 1, "its frame was read again");
});

Deno.test("the pointer is separate from the picture, in desktop pixels; moving it draws nothing", () => {
  const { streams: [a, b], screen } = twoStreams();
  assertEquals(screen.pointer, undefined);
  a.writer.writePointer({ x: 3, y: 2, image: imageOf(9) });
  assertEquals(screen.update(), { box: undefined });
  const { image, at } = screen.pointer!;
  assertEquals([at, image.hot, image.width, image.height], [{ x: 3, y: 2 }, { x: 1, y: 0 }, 2, 1]);
  a.writer.writePointer({ x: 4, y: 2, image: imageOf(9) });
  screen.update();
  assertEquals(screen.pointer!.at, { x: 4, y: 2 });
  assert(screen.pointer!.image === image, "the same picture is sent again");
  a.writer.writePointer(undefined);
  b.writer.writePointer({ x: 1, y: 1, image: imageOf(9) });
  screen.update();
  const second = screen.pointer!;
  assertEquals([second.at, second.image.hot, second.image.width], [{ x: 10, y: 2 }, { x: 2, y: 0 }, 4]);
  b.writer.writePointer({
    x: 2,
    y: 1,
    image: { ...imageOf(9), width: 0, height: 0, rgba: new Uint8Array() },
  });
  screen.update();
  assertEquals([...screen.pointer!.image.rgba], [0, 0, 0, 0]);
});

Deno.test("a wait ends immediately if something arrived since the last update", () => {
  const { streams: [a], screen } = twoStreams();
  a.writer.writeFrame((target) => target.fill(2));
  screen.update();
  a.writer.writeFrame((target) => target.fill(3));
  const start = performance.now(), limit = 30_000;
  screen.wait(limit);
  assert(performance.now() - start < limit, "it slept all the time");
  assert(screen.update().box);
});

// The pointer's position in streams after a move.

const MODE = { width: 100, height: 50 };
const [OUTPUT] = arrange([{ name: "A", mode: MODE, transform: 0, logical: { x: 0, y: 0, ...MODE } }]).outputs;

/** A stream and its reader. */
function stream() {
  const memory = makeFrameMemory(MODE.width, MODE.height, 4);
  const readers = [{ output: OUTPUT, reader: new FrameReader(memory) }];
  return { writer: new FrameWriter(memory), read: () => Promise.resolve(readers) };
}

Deno.test("querying the position waits until the stream shows the last move", async () => {
  const { writer, read } = stream();
  writer.writePointer({ x: 10, y: 10 });
  // As if the move were made an hour from now: only the stream ends the wait.
  const place = shownPlace(read, { point: { x: 40, y: 20 }, at: performance.now() + 3_600_000 });
  const places = [20, 30, 38, 39]; // also on its last pixels
  const writing = setInterval(() => writer.writePointer({ x: places.shift() ?? 40, y: 20 }), 1);
  assertEquals(await place, { x: 40, y: 20 });
  clearInterval(writing);
});

Deno.test("querying the position does not wait without a recent move or a visible pointer", async () => {
  const { writer, read } = stream(), move = { point: { x: 40, y: 20 }, at: performance.now() + 3_600_000 };
  assertEquals(await shownPlace(read, move), undefined);
  writer.writePointer({ x: 10, y: 10 });
  assertEquals(await shownPlace(read, undefined), { x: 10, y: 10 });
  assertEquals(await shownPlace(read, { ...move, at: performance.now() - 3000 }), { x: 10, y: 10 });
});

Deno.test("a pixel of an output stays that pixel, whatever its width and scale", () => {
  for (const width of [640, 1366, 1440, 1920, 3440]) {
    for (const scale of [1, 1.25, 1.5, 1.75, 2]) {
      const pixels = Array.from({ length: width }, (_, x) => x), size = { width, height: width };
      const sent = pixels.map((x) => pixelsFrom({ x: x / width, y: x / width }, size, scale));
      // The compositor passes on logical positions as wl_fixed, and programs round down to their pixel.
      const seen = (at: number) => Math.floor(Math.round(at / scale * 256) / 256 * scale);
      assertEquals(sent.map(({ x, y }) => ({ x: seen(x), y: seen(y) })), pixels.map((x) => ({ x, y: x })));
      if (scale === 1) assertEquals(sent, pixels.map((x) => ({ x, y: x })));
    }
  }
});
