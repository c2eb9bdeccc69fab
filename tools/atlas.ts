/**
 * Generates ffi/virtual/noto/atlas.bin, the virtual desktop's letters: Noto Sans, rasterized with FreeType.
 * Requires `apt install fonts-noto-core libfreetype6`, and copies the font's licence to
 * tools/package/licences.
 *
 *     deno task atlas [FOLDER OF THE FONTS]
 */

import { fromFileUrl } from "@std/path";

/** The faces in the atlas. Bold contains the characters of most titles; others fall back to regular. */
const FACES = [
  { name: "regular", file: "NotoSans-Regular.ttf", size: 15, characters: everything },
  { name: "bold", file: "NotoSans-Bold.ttf", size: 15, characters: () => range(0x20, 0x7e) },
  { name: "large", file: "NotoSans-Regular.ttf", size: 44, characters: () => [..."0123456789:"].map(code) },
];

/**
 * FT_LOAD_RENDER and FT_LOAD_TARGET_LIGHT (freetype.h): preserves widths, and aligns letters with whole rows.
 */
const LOAD_FLAGS = 4 | 1 << 16;
/** Offsets of fields in FT_FaceRec, FT_Size_Metrics, FT_GlyphSlotRec and FT_Bitmap on 64-bit systems. */
const FACE = { glyph: 152, size: 160 }, SIZE = { ascender: 24 + 24, height: 24 + 40 };
const SLOT = { advance: 128, rows: 152, width: 156, pitch: 160, buffer: 168, left: 192, top: 196 };

const freetype = Deno.dlopen("libfreetype.so.6", {
  FT_Init_FreeType: { parameters: ["buffer"], result: "i32" },
  FT_New_Face: { parameters: ["pointer", "buffer", "isize", "buffer"], result: "i32" },
  FT_Set_Pixel_Sizes: { parameters: ["pointer", "u32", "u32"], result: "i32" },
  FT_Get_Char_Index: { parameters: ["pointer", "usize"], result: "u32" },
  FT_Load_Glyph: { parameters: ["pointer", "u32", "i32"], result: "i32" },
}).symbols;

const code = (character: string) => character.codePointAt(0)!;

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Latin with Extended-A and Extended-B, Greek, Cyrillic, punctuation, currency signs, and some symbols. */
function everything(): number[] {
  return [
    ...range(0x20, 0x7e),
    ...range(0xa0, 0x24f),
    ...range(0x370, 0x52f),
    ...range(0x1e80, 0x1ef9),
    ...range(0x2010, 0x2027),
    ...range(0x2030, 0x203a),
    ...range(0x20a0, 0x20bf),
    ...[..."№™←↑→↓−≈≠≤≥∞"].map(code),
  ];
}

function check(error: number, what: string): void {
  if (error) throw new Error(`FreeType: ${what} failed with error ${error}`);
}

/** The pointer that a FreeType function stored. */
function stored(box: BigUint64Array): Deno.PointerObject {
  return Deno.UnsafePointer.create(box[0])!;
}

/** Rasterizes a face: its metrics, and its glyphs as serialized by {@linkcode glyph}. */
function rasterize(library: Deno.PointerObject, path: string, size: number, characters: readonly number[]) {
  const box = new BigUint64Array(1);
  check(freetype.FT_New_Face(library, new TextEncoder().encode(`${path}\0`), 0n, box), path);
  const face = stored(box), view = new Deno.UnsafePointerView(face);
  check(freetype.FT_Set_Pixel_Sizes(face, 0, size), "FT_Set_Pixel_Sizes");
  const metrics = new Deno.UnsafePointerView(view.getPointer(FACE.size)!);
  const pixels = (offset: number) => Math.round(Number(metrics.getBigInt64(offset)) / 64);
  const glyphs = characters.flatMap((character) => {
    const index = freetype.FT_Get_Char_Index(face, BigInt(character));
    if (!index) return []; // the font does not have it
    check(freetype.FT_Load_Glyph(face, index, LOAD_FLAGS), `U+${character.toString(16)}`);
    return [glyph(character, new Deno.UnsafePointerView(view.getPointer(FACE.glyph)!))];
  });
  return { ascent: pixels(SIZE.ascender), height: pixels(SIZE.height), glyphs };
}

/**
 * A glyph in the atlas's format: its character (2 bytes, little-endian), width, rows, left, top and advance
 * (one byte each, with left and top signed), and each pixel's coverage from 0 to 15, two pixels per byte, the
 * first one in the high half.
 */
function glyph(character: number, slot: Deno.UnsafePointerView): Uint8Array {
  const width = slot.getUint32(SLOT.width), rows = slot.getUint32(SLOT.rows);
  const pitch = slot.getInt32(SLOT.pitch), buffer = slot.getPointer(SLOT.buffer);
  const advance = Math.round(Number(slot.getBigInt64(SLOT.advance)) / 64);
  const cover = buffer ? new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(buffer, pitch * rows)) : [];
  const packed = new Uint8Array(7 + Math.ceil(width * rows / 2));
  packed.set([
    character & 255,
    character >> 8,
    width,
    rows,
    slot.getInt32(SLOT.left),
    slot.getInt32(SLOT.top),
  ]);
  packed[6] = advance;
  for (let i = 0; i < width * rows; i++) {
    const value = Math.round(cover[Math.floor(i / width) * pitch + i % width] / 17);
    packed[7 + (i >> 1)] |= i & 1 ? value : value << 4;
  }
  return packed;
}

/** The font's copyright and licence, from Debian's copyright file of the package. */
async function notice(fonts: string): Promise<string> {
  const text = await Deno.readTextFile(`${fonts}/../../../doc/fonts-noto-core/copyright`);
  const [, holders] = /^Files: \*\nCopyright:\n(.*?)^License/ms.exec(text)!;
  const [, licence] = /^License: OFL-1.1\n(.*?)(?=^\S|(?![^]))/ms.exec(
    text.slice(text.indexOf("\nLicense: OFL-1.1\n PRE")),
  )!;
  return "ffi/virtual/noto/atlas.bin has letters of Noto Sans (https://notofonts.github.io).\n\n" +
    `Copyright:\n${holders}\nSIL Open Font License, version 1.1:\n\n${licence.replace(/^ \.?/gm, "")}`;
}

const [fonts = "/usr/share/fonts/truetype/noto"] = Deno.args;
const file = (path: string) => fromFileUrl(new URL(`../${path}`, import.meta.url));
const box = new BigUint64Array(1);
check(freetype.FT_Init_FreeType(box), "FT_Init_FreeType");
const library = stored(box);
const faces = FACES.map(({ name, file, size, characters }) => ({
  name,
  ...rasterize(library, `${fonts}/${file}`, size, characters()),
}));
const heads = faces.map(({ name, ascent, height, glyphs }) => ({
  name,
  ascent,
  height,
  count: glyphs.length,
}));
const head = new TextEncoder().encode(`${JSON.stringify(heads)}\n`);
const atlas = new Blob([head, ...faces.flatMap(({ glyphs }) => glyphs as BlobPart[])]);
await Deno.mkdir(file("ffi/virtual/noto"), { recursive: true });
await Deno.writeFile(file("ffi/virtual/noto/atlas.bin"), await atlas.bytes());
await Deno.mkdir(file("tools/package/licences"), { recursive: true });
await Deno.writeTextFile(file("tools/package/licences/noto-sans.txt"), await notice(fonts));
console.log(`${atlas.size} bytes: ${heads.map(({ name, count }) => `${name} ${count}`).join(", ")}`);
