/** PipeWire streams that cannot start, buffer order, buffers, shared frames, and values as bytes. */

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { attempt, DesktopUnavailableError } from "../../../../core/errors.ts";
import { memoryFile, openLibc } from "../../../../ffi/linux/libc.ts";
import { BufferOrder } from "../../../../ffi/linux/pipewire/video_input.ts";
import {
  decodeObject,
  encodeObject,
  META_CURSOR,
  META_HEADER,
  type PodObject,
  type PodOffer,
  sizeOfFormat,
  VIDEO_FORMAT,
  VideoBuffer,
  WANTED_BUFFERS,
  WANTED_FORMAT,
} from "../../../../ffi/linux/pipewire/buffers.ts";
import { FrameReader, FrameWriter, makeFrameMemory } from "../../../../ffi/linux/pipewire/frame_memory.ts";
import { VideoStream } from "../../../../ffi/linux/pipewire/stream.ts";
import { need } from "../../../support/need.ts";
import { temporary } from "../../../support/shell.ts";

const PIPEWIRE = need("pipewire");

/** Opens a stream for a test while C's environment names a folder. @param fd As in `StreamSource`. */
async function withStream(name: string, use: (stream: VideoStream) => Promise<void>, fd?: number) {
  await temporary(async (folder) => {
    Deno.env.set(name, folder);
    const stream = new VideoStream({ node: 1, ...(fd === undefined ? {} : { fd }) });
    try {
      await use(stream);
    } finally {
      stream.close();
      await stream.ended;
      Deno.env.delete(name);
    }
  });
}

for (
  const [name, message] of [
    ["PIPEWIRE_CONFIG_DIR", "client.conf"],
    ["PIPEWIRE_RUNTIME_DIR", "PipeWire, which provides the screen of this desktop, is not responding"],
  ]
) {
  Deno.test({
    name: `a stream ends with an error if ${name} is an empty folder`,
    ...PIPEWIRE,
    fn: () =>
      withStream(name, async (stream) => {
        await assertRejects(() => stream.ready(), DesktopUnavailableError, message);
      }),
  });
}

Deno.test({ name: "a stream that cannot start closes the portal's connection", ...PIPEWIRE }, async () => {
  const fd = memoryFile(openLibc(), 4321),
    size = () => attempt(() => Deno.statSync(`/proc/self/fd/${fd}`).size);
  assertEquals(size(), 4321);
  await withStream("PIPEWIRE_CONFIG_DIR", async (stream) => {
    await assertRejects(() => stream.ready(), DesktopUnavailableError, "client.conf");
  }, fd);
  assertNotEquals(size(), 4321);
});

// The order of a stream's buffers: a lost buffer is read once, between its neighbors.

/** A buffer, which the compositor fills repeatedly. */
interface Filled {
  time: number | undefined;
}

/**
 * Events of a case: the compositor fills buffers at the given times, PipeWire delivers some, and some are
 * read.
 */
type Turn = [filled: Record<number, number | undefined>, come: number[] | "nothing", read: number[]];

/** Turns of a stream of four numbered buffers. */
const STREAMS: [name: string, turns: Turn[]][] = [
  ["all arrive", [
    [{ 0: 10 }, [0], [0]],
    [{ 1: 20, 2: 30 }, [1, 2], [1, 2]],
    [{ 3: 40 }, [3], [3]],
    [{ 0: 50 }, [0], [0]],
    [{}, "nothing", []],
  ]],
  ["one is lost before the next", [
    [{ 0: 10 }, [0], [0]],
    [{ 1: 20, 2: 30 }, [2], [1, 2]],
    [{ 3: 40 }, [3], [3]],
  ]],
  ["the first is lost", [[{ 0: 10, 1: 20 }, [1], [0, 1]]]],
  ["two are lost between others", [
    [{ 0: 10, 1: 20, 2: 30, 3: 40 }, [0, 3], [0, 1, 2, 3]],
  ]],
  ["one is still in flight", [
    [{ 0: 10, 1: 20 }, [0], [0]],
    [{}, [1], [1]],
  ]],
  ["the newest is lost", [
    [{ 0: 10, 1: 20 }, [0], [0]],
    [{ 2: 30 }, "nothing", [1, 2]],
    [{}, "nothing", []],
    [{ 3: 40 }, [3], [3]],
  ]],
  ["the first two arrive late", [
    [{ 0: 10, 1: 20 }, "nothing", [0, 1]],
    [{}, [0], []],
    [{ 2: 30 }, [1, 2], [2]],
    [{ 0: 40 }, [0], [0]],
  ]],
  ["one considered lost arrives late", [
    [{ 0: 10, 1: 20 }, [1], [0, 1]],
    [{}, [0], []],
    [{ 2: 30, 3: 40 }, [3], [2, 3]],
  ]],
  ["one is refilled before it is read", [
    [{ 0: 10, 1: 20, 2: 30, 3: 40 }, [0], [0]],
    [{ 1: 60 }, [1, 2, 3], [2, 3, 1]],
  ]],
  ["the compositor reports no times", [
    [{ 0: undefined, 1: undefined, 2: undefined }, [2, 0], [2, 0]],
    [{}, "nothing", []],
  ]],
  ["the compositor's clock goes back", [
    [{ 0: 1000, 1: 1010 }, [0, 1], [0, 1]],
    [{ 2: 5 }, [2], [2]],
    [{ 3: 10 }, [3], [3]],
  ]],
];

for (const [name, turns] of STREAMS) {
  Deno.test(`reads buffers in the order of their times if ${name}`, () => {
    const all: Filled[] = Array.from({ length: 4 }, () => ({ time: undefined })),
      order = new BufferOrder<Filled>();
    for (const [filled, come, read] of turns) {
      for (const [i, time] of Object.entries(filled)) all[Number(i)].time = time;
      const found = come === "nothing" ? order.rest(all) : order.next(come.map((i) => all[i]), all);
      assertEquals(found.map((one) => all.indexOf(one)), read);
    }
  });
}

// Video stream buffers as structures in memory, valid and invalid.

/** All created buffers: an address alone does not keep memory alive. */
const KEPT: Uint8Array[] = [];

/** A structure of 32-bit numbers, with 64-bit addresses at some byte offsets. */
function struct(numbers: number[], pointers: Record<number, Uint8Array<ArrayBuffer>> = {}) {
  const bytes = new Uint8Array(Uint32Array.from(numbers).buffer), view = new DataView(bytes.buffer);
  for (const [at, to] of Object.entries(pointers)) {
    view.setBigUint64(Number(at), Deno.UnsafePointer.value(Deno.UnsafePointer.of(to)), true);
  }
  KEPT.push(bytes);
  return bytes;
}

/** A buffer with two rows of pixels in 16 bytes, and metadata: a header, then a cursor. */
function bufferOf(
  { stride = 8, offset = 0, flags = 0, header = [] as number[], cursor = [] as number[] } = {},
): VideoBuffer {
  const pixels = struct([0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c]);
  const chunk = struct([offset, 16, stride, flags]);
  const kinds: [number, number[]][] = [[META_HEADER, header], [META_CURSOR, cursor]];
  const metas = kinds.filter(([, numbers]) => numbers.length);
  const meta = struct(
    metas.flatMap(([type, numbers]) => [type, 4 * numbers.length, 0, 0]),
    Object.fromEntries(metas.map(([, numbers], i) => [8 + 16 * i, struct(numbers)])),
  );
  const data = struct([0, 0, 0, 0, 0, 16, 0, 0, 0, 0], { 24: pixels, 32: chunk });
  const buffer = struct([metas.length, 1, 0, 0, 0, 0], { 8: meta, 16: data });
  return new VideoBuffer(Deno.UnsafePointer.of(struct([0, 0], { 0: buffer }))!);
}

Deno.test("reads only complete pixels", () => {
  const strideOf = (options: Parameters<typeof bufferOf>[0]) => {
    const pixels = bufferOf(options).pixels(2);
    return pixels && [pixels.stride, ...pixels.bytes.subarray(0, 2)];
  };
  assertEquals(strideOf({}), [8, 0, 1]);
  assertEquals(strideOf({ stride: 4, offset: 8 }), [4, 8, 9]);
  for (const bad of [{ stride: 12 }, { offset: 1 }, { stride: -8 }, { stride: 0 }, { flags: 1 }]) {
    assertEquals(strideOf(bad), undefined, JSON.stringify(bad));
  }
});

Deno.test("a buffer's time is its header's", () => {
  const cursor = cursorAt(0);
  assertEquals(bufferOf({ header: [0, 0, 5, 1, 0, 0, 0, 0], cursor }).time, 2 ** 32 + 5);
  assertEquals(bufferOf({ header: [0, 0, 5, 1, 0, 0, 0, 0], cursor }).pointer()?.x, 5);
  for (const [low, high] of [[0, 0], [-1, -1]]) { // never filled; no time
    assertEquals(bufferOf({ header: [0, 0, low, high, 0, 0, 0, 0] }).time, undefined);
  }
  assertEquals(bufferOf({ cursor }).time, undefined);
});

/** A cursor at (5, 6) with its hot spot at (1, 2), and its image's description at a byte offset. */
const cursorAt = (bitmap: number, ...rest: number[]) => [1, 0, 5, 6, 1, 2, bitmap, ...rest];
/** An image of two pixels, with 4 bytes after them in each row. */
const picture = (format: number, stride = 12) => [format, 2, 1, stride, 20, 0x44332211, 0x88776655, 0];

Deno.test("reads the pointer's position and image, but no image that exceeds its memory", () => {
  const pointerOf = (...cursor: number[]) => bufferOf({ cursor }).pointer();
  const place = { x: 5, y: 6 }, hot = { hotX: 1, hotY: 2 };
  const rgba = Uint8Array.of(0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
  const bgra = Uint8Array.of(0x33, 0x22, 0x11, 0x44, 0x77, 0x66, 0x55, 0x88);
  const image = { ...hot, width: 2, height: 1 };
  assertEquals(pointerOf(...cursorAt(28, ...picture(VIDEO_FORMAT.RGBA))), {
    ...place,
    image: { ...image, rgba },
  });
  assertEquals(pointerOf(...cursorAt(28, ...picture(VIDEO_FORMAT.BGRA))), {
    ...place,
    image: { ...image, rgba: bgra },
  });
  assertEquals(pointerOf(...cursorAt(0)), { ...place, image: undefined });
  assertEquals(pointerOf(0, ...cursorAt(0).slice(1)), undefined);
  assertEquals(pointerOf(), null);
  for (const bitmap of [40, 0x7ffffff0, 0xfffffff0]) {
    assertEquals(pointerOf(...cursorAt(bitmap, ...picture(VIDEO_FORMAT.RGBA)))!.image, undefined);
  }
  for (const stride of [4, 16]) {
    assertEquals(pointerOf(...cursorAt(28, ...picture(VIDEO_FORMAT.RGBA, stride)))!.image, undefined);
  }
});

// Frames in shared memory: a reader sees the newest whole frame.

Deno.test("reads no frame before the first, and then the newest", () => {
  const memory = makeFrameMemory(2, 1, 4), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  assertEquals([reader.readFrame(() => {}), reader.frames], [false, 0]);
  for (let value = 1; value <= 7; value++) {
    writer.writeFrame((target) => target.fill(value));
    let seen: number[] = [];
    assertEquals(reader.readFrame((pixels) => seen = [...pixels]), true);
    assertEquals([seen, reader.frames], [Array(8).fill(value), value]);
  }
});

Deno.test("reads a frame again if it is overwritten meanwhile", () => {
  const memory = makeFrameMemory(1, 1, 4), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  writer.writeFrame((target) => target.fill(1));
  const seen: number[] = [];
  reader.readFrame((pixels) => {
    // The writer overwrites all slots during the first read.
    if (!seen.length) {
      for (let value = 2; value <= 4; value++) writer.writeFrame((target) => target.fill(value));
    }
    seen.push(pixels[0]);
  });
  assertEquals(seen.at(-1), 4);
  assertEquals(seen.length, 2);
});

Deno.test("two more frames do not disturb a reader", () => {
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

Deno.test("the pointer has its position and latest image, or is absent", () => {
  const memory = makeFrameMemory(9, 9, 2), writer = new FrameWriter(memory), reader = new FrameReader(memory);
  assertEquals(reader.pointer(), undefined);
  const image = { hotX: 1, hotY: 0, width: 1, height: 1, rgba: Uint8Array.of(1, 2, 3, 4) };
  writer.writePointer({ x: 3, y: -1, image });
  writer.writePointer({ x: 4, y: -1 });
  assertEquals(reader.pointer(), { x: 4, y: -1, ...image });
  writer.writePointer(undefined);
  assertEquals([reader.pointer(), reader.pointerSeen], [undefined, 3]);
});

Deno.test("keeps the earlier cursor image if the next is too large", () => {
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
  const working = setInterval(() => {}, 1000); // waiting on memory alone does not keep a program running
  writer.writeFrame(() => {});
  await waiting;
  await reader.changed(reader.changes - 1, 60_000); // one that has arrived already
  clearInterval(working);
});

// PipeWire values as bytes, compared with bytes written by hand from the format's description.

/** The bytes of 32-bit numbers. */
function words(...numbers: number[]): number[] {
  return [...new Uint8Array(Uint32Array.from(numbers).buffer)];
}

const OBJECTS: [name: string, object: PodObject<PodOffer>, bytes: number[]][] = [
  ["no property", { type: 0x40003, id: 3, properties: new Map() }, words(8, 15, 0x40003, 3)],
  [
    "an enumeration value, padded to 8 bytes",
    { type: 1, id: 2, properties: new Map([[7, { type: "id", value: 9 }]]) },
    words(8 + 24, 15, 1, 2, /* property */ 7, 0, /* pod */ 4, 3, 9, 0),
  ],
  [
    "a size",
    { type: 1, id: 2, properties: new Map([[7, { type: "rectangle", value: [640, 480] }]]) },
    words(8 + 24, 15, 1, 2, 7, 0, 8, 10, 640, 480),
  ],
  [
    "a range of integers, whose values have no headers of their own",
    {
      type: 1,
      id: 2,
      properties: new Map([[7, {
        default: { type: "int", value: 5 },
        least: { type: "int", value: 1 },
        most: { type: "int", value: 0xffffffff },
      }]]),
    },
    words(8 + 16 + 32, 15, 1, 2, 7, 0, 16 + 12, 19, 1, 0, 4, 4, 5, 1, 0xffffffff, 0),
  ],
];

for (const [name, object, bytes] of OBJECTS) {
  Deno.test(`encodes an object with ${name}`, () => {
    assertEquals([...encodeObject(object)], bytes);
  });
}

Deno.test("decodes what it has encoded; of a range, the chosen value", () => {
  assertEquals(decodeObject(WANTED_FORMAT)?.properties.get(0x20001), { type: "id", value: 8 });
  assertEquals(sizeOfFormat(WANTED_FORMAT), { width: 1920, height: 1080 });
  assertEquals(WANTED_BUFFERS.map((bytes) => decodeObject(bytes)?.type), [0x40004, 0x40005, 0x40005]);
});

Deno.test("skips a property of an unknown type, and reads those after it", () => {
  const bytes = Uint8Array.from(words(8 + 24 + 24, 15, 1, 2, 7, 0, 8, 5, 1, 0, 8, 0, 8, 10, 3, 4));
  assertEquals([...decodeObject(bytes)!.properties], [[8, { type: "rectangle", value: [3, 4] }]]);
});

const DAMAGED: [name: string, bytes: number[]][] = [
  ["nothing", []],
  ["only a header", words(0, 15)],
  ["another type", words(8, 14, 1, 2)],
  ["an object longer than the bytes", words(64, 15, 1, 2)],
  ["a property longer than its object", words(8 + 24, 15, 1, 2, 7, 0, 64, 10, 1, 2)],
];

for (const [name, bytes] of DAMAGED) {
  Deno.test(`${name} is not an object`, () => assertEquals(decodeObject(Uint8Array.from(bytes)), undefined));
}

Deno.test("skips a choice without values", () => {
  const bytes = Uint8Array.from(words(8 + 16 + 8, 15, 1, 2, 7, 0, 8, 19, 1, 0));
  assertEquals(decodeObject(bytes)?.properties.size, 0);
});
