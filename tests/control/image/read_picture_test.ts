/** Reading PNG and BMP files: other programs' files, damaged files, and files that would fill the memory. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { crc32, deflateSync } from "node:zlib";
import { type Bitmap, bmpPieces } from "../../../control/image/bitmap.ts";
import { encodePng } from "../../../control/image/png.ts";
import { pictureSize, readPicture } from "../../../control/image/read_picture.ts";
import { InputError } from "../../../core/errors.ts";
import { Random } from "../../fuzz/values.ts";
import { need } from "../../support/need.ts";
import { temporary } from "../../support/shell.ts";

const LARGE = { width: 4000, height: 4000 };

/** Each pixel's red, green, blue and alpha as 0 or 255. */
function rgba({ pixels, opaque }: Bitmap): number[] {
  return [...pixels].flatMap((color, i) => [
    color >> 16,
    color >> 8 & 255,
    color & 255,
    opaque && !opaque[i] ? 0 : 255,
  ]);
}

/** Images written by ImageMagick: a name, how each is made, and its format as `convert` expects it. */
const WRITTEN: [name: string, made: string[], format: string][] = [
  ["red, green, blue", ["-size", "37x23", "plasma:red-blue"], "PNG24:FILE.png"],
  ["interlaced", ["-size", "37x23", "plasma:red-blue", "-interlace", "PNG"], "PNG24:FILE.png"],
  ["of one pixel, interlaced", ["-size", "1x1", "xc:#123456", "-interlace", "PNG"], "PNG24:FILE.png"],
  ["of 3x2 pixels, interlaced", ["-size", "3x2", "plasma:", "-interlace", "PNG"], "PNG24:FILE.png"],
  ["16 bits per sample", ["-size", "37x23", "plasma:", "-depth", "16"], "PNG48:FILE.png"],
  ["with alpha", ["-size", "37x23", "gradient:#ff0000ff-#0000ff00"], "PNG32:FILE.png"],
  ["16 bits with alpha", ["-size", "37x23", "gradient:#ff0000ff-#0000ff00"], "PNG64:FILE.png"],
  ["palette of 8 bits", ["-size", "37x23", "plasma:", "-colors", "200"], "PNG8:FILE.png"],
  ["palette of 4 bits", ["-size", "37x23", "plasma:", "-colors", "11"], "PNG8:FILE.png"],
  ["palette of 2 bits", ["-size", "37x23", "plasma:", "-colors", "4"], "PNG8:FILE.png"],
  ["palette of 1 bit, interlaced", [
    "-size",
    "37x23",
    "plasma:red-blue",
    "-colors",
    "2",
    "-interlace",
    "PNG",
  ], "PNG8:FILE.png"],
  ["palette with a transparent entry", [
    "-size",
    "37x23",
    "pattern:checkerboard",
    "-transparent",
    "#999999",
  ], "PNG8:FILE.png"],
  ...[1, 2, 4, 8, 16].map((depth): [string, string[], string] => [
    `grey of ${depth} bits`,
    [
      "-size",
      "37x23",
      "gradient:",
      "-depth",
      `${depth}`,
      "-define",
      "png:color-type=0",
      "-define",
      `png:bit-depth=${depth}`,
    ],
    "PNG:FILE.png",
  ]),
  ["grey with alpha", [
    "-size",
    "37x23",
    "gradient:#ffffffff-#00000000",
    "-define",
    "png:color-type=4",
  ], "PNG:FILE.png"],
  ["a colour that is transparent", [
    "-size",
    "37x23",
    "pattern:checkerboard",
    "-transparent",
    "#999999",
    "-define",
    "png:color-type=2",
  ], "PNG:FILE.png"],
  ["24 bits", ["-size", "37x23", "plasma:"], "BMP3:FILE.bmp"],
  ["version 2", ["-size", "37x23", "plasma:"], "BMP2:FILE.bmp"],
  ["with alpha", ["-size", "37x23", "gradient:#ff0000ff-#0000ff00"], "BMP:FILE.bmp"],
  [
    "palette of 8 bits",
    ["-size", "37x23", "plasma:", "-colors", "200", "-compress", "none"],
    "BMP3:FILE.bmp",
  ],
  ["palette of 4 bits", ["-size", "37x23", "plasma:", "-colors", "11", "-type", "palette"], "BMP3:FILE.bmp"],
  ["1 bit", ["-size", "37x23", "pattern:gray50", "-type", "bilevel"], "BMP3:FILE.bmp"],
  ["16 bits, 555", ["-size", "37x23", "plasma:", "-define", "bmp:subtype=RGB555"], "BMP:FILE.bmp"],
  ["16 bits, 565", ["-size", "37x23", "plasma:", "-define", "bmp:subtype=RGB565"], "BMP:FILE.bmp"],
];

for (const [name, made, format] of WRITTEN) {
  const kind = format.slice(0, 3);
  Deno.test(
    { name: `a ${kind} of ImageMagick, ${name}, is read pixel by pixel`, ...need("convert") },
    () =>
      temporary(async (folder) => {
        const convert = async (...args: string[]) => {
          const { stdout, stderr, success } = await new Deno.Command("convert", { args }).output();
          assert(success, new TextDecoder().decode(stderr));
          return stdout;
        };
        await convert("-seed", "7", ...made, format.replace("FILE", `${folder}/a`));
        const file = `${folder}/a.${kind.toLowerCase()}`, bytes = await Deno.readFile(file);
        const threshold = ["-channel", "A", "-threshold", "50%", "+channel"];
        const expected = [
          ...await convert(file, ...threshold, "-depth", "8", "-colorspace", "sRGB", "rgba:-"),
        ];
        const picture = readPicture(bytes, LARGE);
        const { width, height } = pictureSize(bytes);
        assertEquals([picture.width, picture.height], [width, height]);
        const own = rgba(picture);
        assertEquals(own.length, expected.length);
        const worst = own.reduce((most, byte, i) => {
          // A transparent pixel has no colour.
          if (own[i | 3] === 0 && expected[i | 3] === 0) return most;
          return Math.max(most, Math.abs(byte - expected[i]));
        }, 0);
        // ImageMagick rounds 16 bits to 8, while the decoder takes the upper 8.
        assert(worst <= (/16 bits|565|555/.test(name) ? 1 : 0), `off by ${worst}`);
        assert(new Set(own).size > 1 || own.length < 8, "the picture is empty");
      }),
  );
}

/** An image of random pixels as a frame of the screen. */
function frame(width: number, height: number) {
  const random = new Random(9);
  const pixels = Uint8Array.from({ length: width * height * 4 }, () => random.below(256));
  return { width, height, stride: width * 4, pixels };
}

Deno.test("deskhand reads the PNG and BMP files that it writes", async () => {
  const taken = frame(21, 13);
  const words = [...new Uint32Array(taken.pixels.buffer)].map((word) => word & 0xffffff);
  const bmp = await new Blob([...bmpPieces(21, 13, [taken])]).bytes();
  for (const file of [bmp, await encodePng(taken)]) {
    const { width, height, pixels, opaque } = readPicture(file, LARGE);
    assertEquals([width, height, [...pixels], opaque], [21, 13, words, undefined]);
  }
});

Deno.test("a BMP with rows from the top down is read correctly", async () => {
  const file = await new Blob([...bmpPieces(3, 2, [frame(3, 2)])]).bytes();
  const upright = readPicture(file, LARGE);
  new DataView(file.buffer).setInt32(22, -2, true);
  const rows = [[...upright.pixels.subarray(3)], [...upright.pixels.subarray(0, 3)]];
  assertEquals([...readPicture(file, LARGE).pixels], rows.flat());
});

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(12 + data.length), view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** A PNG file of grey pixels, unless the header says otherwise. */
function png(
  width: number,
  height: number,
  rows: Uint8Array,
  { depth = 8, type = 0, interlace = 0, more = [] as Uint8Array<ArrayBuffer>[] } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(13), view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([depth, type, 0, 0, interlace], 8);
  const signature = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = chunk("IDAT", deflateSync(rows));
  return new Blob([signature, chunk("IHDR", header), ...more, data, chunk("IEND", new Uint8Array())]).bytes();
}

const SMALL = new Uint8Array([0, 1, 2, 0, 3, 4]); // two rows of two pixels
const header = (at: number, value: number) => async () => {
  const file = await png(2, 2, SMALL);
  file[16 + at] = value;
  new DataView(file.buffer).setUint32(29, crc32(file.subarray(12, 29)));
  return file;
};
const bmp = (change: (view: DataView, file: Uint8Array<ArrayBuffer>) => void, cut?: number) => async () => {
  const file = await new Blob([...bmpPieces(2, 2, [frame(2, 2)])]).bytes();
  change(new DataView(file.buffer), file);
  return file.slice(0, cut);
};
const DAMAGED: [name: string, file: () => Promise<Uint8Array<ArrayBuffer>>, message: string][] = [
  ["a file that is not an image", () => new Blob(["GIF89a"]).bytes(), "must be a PNG or BMP file"],
  ["an empty file", () => new Blob([]).bytes(), "must be a PNG or BMP file"],
  ["only a signature", async () => (await png(2, 2, SMALL)).slice(0, 8), "cannot read the PNG: its header"],
  ["a truncated PNG", async () => (await png(2, 2, SMALL)).slice(0, 50), "it is truncated"],
  ["a PNG without its pixels", () => png(2, 2, SMALL.slice(0, 5)), "it is truncated"],
  ["a PNG with more pixels", () => png(2, 2, new Uint8Array(7)), "more pixels than its header says"],
  ["a PNG with a changed byte", async () => {
    const file = await png(2, 2, SMALL);
    file[45] ^= 1;
    return file;
  }, "a checksum is wrong"],
  ["a PNG that is not deflated", async () => {
    const file = await png(2, 2, SMALL);
    return await new Blob([file.slice(0, 33), chunk("IDAT", new Uint8Array(20))]).bytes();
  }, "cannot be decompressed"],
  ["a PNG without width", header(3, 0), "it has no pixels"],
  ["a PNG of depth 3", header(8, 3), "its colour type is unknown"],
  ["a PNG of colour type 5", header(9, 5), "its colour type is unknown"],
  ["a PNG of interlacing 2", header(12, 2), "interlace method is unknown"],
  [
    "a PNG with an unknown filter",
    () => png(2, 2, new Uint8Array([9, 1, 2, 0, 3, 4])),
    "an unknown filter",
  ],
  ["a PNG without its palette", () => png(2, 2, SMALL, { type: 3 }), "its palette is missing"],
  [
    "a PNG with a pixel outside its palette",
    () => png(2, 2, SMALL, { type: 3, more: [chunk("PLTE", new Uint8Array(12))] }),
    "a pixel is not in the palette",
  ],
  ["a BMP truncated in its header", bmp(() => {}, 30), "cannot read the BMP: its header"],
  ["a BMP of 20 bytes", bmp(() => {}, 20), "cannot read the BMP: it is truncated"],
  ["a truncated BMP", bmp(() => {}, 70), "it is truncated"],
  ["a BMP without height", bmp((view) => view.setInt32(22, 0, true)), "it has no pixels"],
  ["a BMP of negative width", bmp((view) => view.setInt32(18, -2, true)), "it has no pixels"],
  ["a BMP of 7 bits per pixel", bmp((view) => view.setUint16(28, 7, true)), "it has 7 bits per pixel"],
  ["a BMP with run lengths", bmp((view) => view.setUint32(30, 1, true)), "it is compressed"],
  ["a BMP whose pixels begin in its header", bmp((view) => view.setUint32(10, 2, true)), "it is truncated"],
  [
    "a BMP with a pixel outside its palette",
    bmp((view, file) => {
      view.setUint16(28, 8, true);
      view.setUint32(30, 0, true);
      file.fill(255, 66);
    }),
    "a pixel is not in the palette",
  ],
];

for (const [name, file, message] of DAMAGED) {
  Deno.test(`${name} is refused`, async () => {
    const bytes = await file();
    assertThrows(() => readPicture(bytes, LARGE), InputError, message);
  });
}

Deno.test("an image larger than allowed is refused by its header, before anything is inflated", async () => {
  // A decompression bomb: 60 KB that contain 60 MB, and a header that promises 3.6 GB.
  const file = await png(60_000, 60_000, new Uint8Array(60_000_000));
  assert(file.length < 100_000);
  assertEquals(pictureSize(file).width, 60_000);
  assertThrows(
    () => readPicture(file, { width: 1920, height: 1080 }),
    InputError,
    "the picture (60000x60000) is larger than allowed (1920x1080)",
  );
});

Deno.test("a PNG with more data than its header says is not inflated further", async () => {
  const file = await png(16, 16, new Uint8Array(200_000_000));
  const before = Deno.memoryUsage().rss;
  assertThrows(() => readPicture(file, LARGE), InputError, "more pixels than its header says");
  assert(Deno.memoryUsage().rss - before < 100e6, "200 MB were made");
});

Deno.test("files with random byte changes are read or refused, and nothing else", async () => {
  const random = new Random(11),
    files = [
      await png(7, 5, new Uint8Array(40)),
      await png(9, 9, new Uint8Array(400), { interlace: 1 }),
      await new Blob([...bmpPieces(7, 5, [frame(7, 5)])]).bytes(),
    ];
  for (let i = 0; i < 2000; i++) {
    const file = random.pick(files).slice();
    for (let changes = 1 + random.below(3); changes > 0; changes--) {
      file[random.below(file.length)] = random.below(256);
    }
    if (file[0] === 0x89) new DataView(file.buffer).setUint32(29, crc32(file.subarray(12, 29)));
    const cut = random.once(4) ? file.slice(0, random.below(file.length)) : file;
    try {
      const { width, height, pixels } = readPicture(cut, { width: 100, height: 100 });
      assertEquals(pixels.length, width * height);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
});
