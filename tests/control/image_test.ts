/** The image encoders' files, as other programs read them. */

import { assertEquals } from "@std/assert";
import { bmpPieces, bmpSize } from "../../control/image/bitmap.ts";
import { encodePng } from "../../control/image/png.ts";
import type { Frame } from "../../control/desktop/desktop.ts";
import { need } from "../support/need.ts";
import { temporary } from "../support/shell.ts";

/** A frame whose pixels all differ, with a padded stride and junk in the fourth bytes. */
function sample(width: number, height: number): Frame {
  const stride = (width + 3) * 4;
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      pixels.set([x * 7 & 255, y * 5 & 255, (x * 3 + y) & 255, (x & 1) * 255], y * stride + x * 4);
    }
  }
  return { width, height, stride, pixels };
}

/** Reads a frame's pixels as red, green, blue in rows from the top. */
function rgb({ width, height, stride, pixels }: Frame): number[] {
  const out: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * stride + x * 4;
      out.push(pixels[at + 2], pixels[at + 1], pixels[at]);
    }
  }
  return out;
}

function bmp(frame: Frame): Uint8Array<ArrayBuffer> {
  const pieces = [...bmpPieces(frame.width, frame.height, [frame])];
  const file = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  pieces.reduce((at, piece) => (file.set(piece, at), at + piece.length), 0);
  return file;
}

Deno.test("a BMP has the header that every reader opens, and pixels from the bottom up", () => {
  const file = bmp(sample(3, 2));
  const view = new DataView(file.buffer, file.byteOffset);
  const fields: [name: string, value: number, expected: number][] = [
    ["bfType", view.getUint16(0, true), 0x4d42],
    ["bfSize", view.getUint32(2, true), file.length],
    ["bfReserved", view.getUint32(6, true), 0],
    ["bfOffBits", view.getUint32(10, true), 66],
    ["biSize", view.getUint32(14, true), 40],
    ["biWidth", view.getInt32(18, true), 3],
    ["biHeight", view.getInt32(22, true), 2],
    ["biPlanes", view.getUint16(26, true), 1],
    ["biBitCount", view.getUint16(28, true), 32],
    ["biCompression", view.getUint32(30, true), 3],
    ["red", view.getUint32(54, true), 0xff0000],
    ["green", view.getUint32(58, true), 0xff00],
    ["blue", view.getUint32(62, true), 0xff],
    ["biSizeImage", view.getUint32(34, true), 24],
    ["biClrUsed", view.getUint32(46, true), 0],
    ["biClrImportant", view.getUint32(50, true), 0],
  ];
  for (const [name, value, expected] of fields) assertEquals(value, expected, name);
  assertEquals(file.length, bmpSize(3, 2));
  const pixels = Array.from({ length: 6 }, (_, i) => [...file.subarray(66 + i * 4, 69 + i * 4)]);
  assertEquals(pixels, [[0, 5, 1], [7, 5, 4], [14, 5, 7], [0, 0, 0], [7, 0, 3], [14, 0, 6]]); // the lower row first
});

const SIZES: [number, number][] = [[1, 1], [2, 1], [1, 2], [5, 3], [64, 64], [101, 37], [1280, 720]];

for (
  const [reader, args] of [
    ["convert", ["-depth", "8", "FILE", "rgb:-"]],
    ["ffmpeg", ["-v", "error", "-i", "FILE", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]],
  ] as const
) {
  Deno.test({ name: `${reader} reads BMP and PNG pixel by pixel`, ...need(reader) }, async () => {
    await temporary(async (folder) => {
      for (const [width, height] of SIZES) {
        const frame = sample(width, height);
        for (const [name, file] of [["a.bmp", bmp(frame)], ["a.png", await encodePng(frame)]] as const) {
          await Deno.writeFile(`${folder}/${name}`, file);
          const { stdout, stderr } = await new Deno.Command(reader, {
            args: args.map((arg) => arg === "FILE" ? `${folder}/${name}` : arg),
          }).output();
          assertEquals(new TextDecoder().decode(stderr), "", name);
          const expected = rgb(frame);
          assertEquals(stdout.length, expected.length, name);
          assertEquals(stdout.findIndex((byte, i) => byte !== expected[i]), -1, `${name} ${width}x${height}`);
        }
      }
    });
  });
}

Deno.test(
  { name: "no reader takes the unused byte for transparency", ...need("identify", "ffprobe") },
  async () => {
    const file = await Deno.makeTempFile({ suffix: ".bmp" });
    await Deno.writeFile(file, bmp(sample(8, 8)));
    const ask = async (program: string, ...args: string[]) =>
      new TextDecoder().decode((await new Deno.Command(program, { args: [...args, file] }).output()).stdout)
        .trim();
    assertEquals(/^(Blend|True)$/.test(await ask("identify", "-format", "%A")), false);
    assertEquals(
      await ask("ffprobe", "-v", "error", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0"),
      "bgr0",
    );
    await Deno.remove(file);
  },
);
