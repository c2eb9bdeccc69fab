/**
 * The letters of the virtual desktop: glyphs of Noto Sans in an atlas, which `deno task atlas` writes. The first text
 * that is measured or drawn loads it.
 */

/** A glyph; places are in pixels. */
export interface Glyph {
  width: number;
  rows: number;
  /** The distance of the glyph's left edge from the pen, and of its top above the baseline. */
  left: number;
  top: number;
  /** The distance to the next character's pen. */
  advance: number;
  /** The place of the first pixel in {@linkcode Face.data}; each byte holds two, the first in the high half. */
  at: number;
}

/** Letters of one weight and size. */
export interface Face {
  /** The distance from the top of a line to the baseline. */
  ascent: number;
  /** The height of a line. */
  height: number;
  glyphs: ReadonlyMap<string, Glyph>;
  data: Uint8Array;
}

/** The faces of the atlas; `large` has only digits and the colon. */
export type FaceName = "regular" | "bold" | "large";

/** The size of the box that stands for a character that the font lacks. */
export const BOX = { width: 10, height: 13 };

let faces: Map<string, Face> | undefined;

/** A face of the atlas. */
export function faceOf(name: FaceName): Face {
  faces ??= readAtlas(Deno.readFileSync(new URL("./noto/atlas.bin", import.meta.url)));
  return faces.get(name)!;
}

/** The glyph of a character; bold letters that the atlas lacks are regular ones. */
export function glyphOf(character: string, name: FaceName): Glyph | undefined {
  const glyph = faceOf(name).glyphs.get(character);
  if (glyph) return glyph;
  return name === "regular" ? undefined : faceOf("regular").glyphs.get(character);
}

/** The characters of a text as they are drawn: letters and their accents as one. */
export function drawnCharacters(text: string): string[] {
  if (/^[ -~]*$/.test(text)) return text.split("");
  return [...text.normalize("NFC")].filter((character) => !/[\p{M}\p{Cf}]/u.test(character));
}

/** The width of a text in pixels. */
export function textWidth(text: string, name: FaceName = "regular"): number {
  return drawnCharacters(text).reduce((sum, character) => sum + advanceOf(character, name), 0);
}

/** The distance from one character to the next, in pixels. */
export function advanceOf(character: string, name: FaceName = "regular"): number {
  return glyphOf(character, name)?.advance ?? BOX.width + 2;
}

/** Reads an atlas: a line of JSON, then the glyphs of its faces as tools/atlas.ts writes them. */
function readAtlas(data: Uint8Array): Map<string, Face> {
  const end = data.indexOf(10), view = new DataView(data.buffer, data.byteOffset);
  const heads: { name: string; ascent: number; height: number; count: number }[] = JSON.parse(
    new TextDecoder().decode(data.subarray(0, end)),
  );
  let at = end + 1;
  return new Map(heads.map(({ name, ascent, height, count }) => {
    const glyphs = new Map<string, Glyph>();
    for (let i = 0; i < count; i++) {
      const width = data[at + 2],
        rows = data[at + 3],
        left = view.getInt8(at + 4),
        top = view.getInt8(at + 5);
      const character = String.fromCodePoint(view.getUint16(at, true));
      glyphs.set(character, { width, rows, left, top, advance: data[at + 6], at: at + 7 });
      at += 7 + Math.ceil(width * rows / 2);
    }
    return [name, { ascent, height, glyphs, data }];
  }));
}
