/** Limits of decoders: hostile images are refused by their headers, before they use memory and time. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { crc32, deflateSync } from "node:zlib";
import { makeThumbnail } from "../../../cli/thumbnails/work.ts";
import { readPicture } from "../../../control/image/read_picture.ts";
import { InputError } from "../../../core/errors.ts";
import { jpegCost, openJpegReader } from "../../../ffi/jpeg.ts";
import { need } from "../../support/need.ts";
import { mustRun, temporary } from "../../support/shell.ts";

const LARGE = { width: 65535, height: 65535 };

/** A segment of a JPEG file. */
const segment = (
  marker: number,
  ...data: number[]
) => [0xff, marker, data.length + 2 >> 8, data.length + 2 & 255, ...data];

/** A grey JPEG file of zeros: one DC scan, and AC scans of nothing but runs of empty blocks. */
function jpeg(edge: number, scans: number, frame = 0xc2): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil(edge / 8) ** 2, size = [edge >> 8, edge & 255];
  const ones = Array.from({ length: 64 }, () => 1), code = [1, ...Array.from({ length: 15 }, () => 0)];
  const head = [
    [0xff, 0xd8],
    segment(0xdb, 0, ...ones),
    segment(frame, 8, ...size, ...size, 1, 1, 0x11, 0),
    segment(0xc4, 0, ...code, 0),
    segment(0xc4, 0x10, ...code, 0xe0),
    segment(0xda, 1, 1, 0, 0, 0, 0),
  ].flat();
  const run = "0" + "1".repeat(14), bits = run.repeat(Math.floor(blocks / 32767) + 1);
  const ac = (bits.padEnd(Math.ceil(bits.length / 8) * 8, "1").match(/.{8}/g)!).flatMap((byte) => {
    const value = parseInt(byte, 2);
    return value === 0xff ? [0xff, 0] : [value];
  });
  const scan = [...segment(0xda, 1, 1, 0, 1, 0x3f, 0), ...ac];
  return new Uint8Array([
    ...head,
    ...new Array(Math.floor(blocks / 8) + 2).fill(0),
    ...Array.from({ length: scans }, () => scan).flat(),
    0xff,
    0xd9,
  ]);
}

Deno.test("the cost of a JPEG is read from its markers", () => {
  assertEquals(jpegCost(jpeg(800, 3)), { coefficients: 800 * 800 * 2, scans: 4 });
  assertEquals(jpegCost(jpeg(801, 0)), { coefficients: 808 * 808 * 2, scans: 1 });
  assertEquals(jpegCost(jpeg(800, 0, 0xc0)), { coefficients: 0, scans: 1 });
  assertEquals(jpegCost(jpeg(800, 3).subarray(0, 60)), undefined);
  assertEquals(jpegCost(new Uint8Array()), undefined);
});

Deno.test({
  name: "JPEG files that would need gigabytes or hours are refused immediately",
  ignore: !openJpegReader(),
}, () => {
  const begun = performance.now();
  const { heapTotal, rss } = Deno.memoryUsage();
  assertEquals(makeThumbnail(jpeg(24_000, 0)), undefined);
  assertEquals(makeThumbnail(jpeg(2400, 4000)), undefined);
  assert(performance.now() - begun < 60_000);
  const after = Deno.memoryUsage();
  assert(after.rss - rss - (after.heapTotal - heapTotal) < 200e6, "a refused picture takes no memory");
  assert(makeThumbnail(jpeg(2400, 9))!.length > 0);
});

Deno.test({
  name: "progressive photos are read",
  ignore: !openJpegReader() || need("convert").ignore,
}, async () => {
  await temporary(async (folder) => {
    const path = join(folder, "a.jpg");
    await mustRun("convert", ["-size", "4000x3000", "plasma:", "-interlace", "JPEG", path]);
    const photo = await Deno.readFile(path), { coefficients, scans } = jpegCost(photo)!;
    assert(scans > 1 && coefficients > 4000 * 3000);
    assert(makeThumbnail(photo)!.length > 0);
  });
});

/** A PNG file of zeros. */
function png(width: number, height: number, depth: number, colorType: number, samples: number) {
  const header = new Uint8Array(13), view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([depth, colorType, 0, 0, 0], 8);
  const chunk = (type: string, data: Uint8Array) => {
    const bytes = new Uint8Array(12 + data.length), view = new DataView(bytes.buffer);
    view.setUint32(0, data.length);
    bytes.set(new TextEncoder().encode(type), 4);
    bytes.set(data, 8);
    view.setUint32(8 + data.length, crc32(bytes.subarray(4, -4)));
    return bytes;
  };
  const raw = new Uint8Array(height * (1 + Math.ceil(width * samples * depth / 8)));
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(raw)), chunk("IEND", new Uint8Array())];
  return new Uint8Array([
    0x89,
    0x50,
    0x4e,
    0x47,
    0x0d,
    0x0a,
    0x1a,
    0x0a,
    ...parts.flatMap((part) => [...part]),
  ]);
}

Deno.test("a PNG that would need more than 128 MiB is refused by its header", () => {
  const deep = png(6000, 4000, 16, 6, 4);
  assertThrows(
    () => readPicture(deep, LARGE),
    InputError,
    "(6000x4000) would need more than 128 MiB of memory",
  );
  assertEquals(makeThumbnail(deep), undefined);
  const { width, height } = readPicture(png(3840, 2160, 8, 6, 4), LARGE);
  assertEquals([width, height], [3840, 2160]);
});
