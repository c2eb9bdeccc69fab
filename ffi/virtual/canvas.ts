/** The virtual desktop's picture: its pixels, and the letters of the font atlas. */

import { intersection, type Point, type Region } from "../../control/desktop/desktop.ts";

/** The pointer's picture: `#` is outline, `.` is fill; its tip is the top left corner. */
const POINTER = [
  "#",
  "##",
  "#.#",
  "#..#",
  "#...#",
  "#....#",
  "#.....#",
  "#......#",
  "#.......#",
  "#........#",
  "#.....#####",
  "#..#..#",
  "#.# #..#",
  "##  #..#",
  "#    #..#",
  "     #..#",
  "      ##",
];

/** A rectangle. */
export function rect(x: number, y: number, width: number, height: number): Region {
  return { x, y, width, height };
}

/** How a text is drawn. */
export interface TextStyle {
  color: number;
  face?: FaceName;
  /** Maximum width, in pixels; a longer text ends in an ellipsis. */
  width?: number;
}

/** Pixels of 32 bits (`0x00RRGGBB`), rows from the top. */
export class Canvas {
  readonly pixels: Uint32Array<ArrayBuffer>;
  /** The region to which drawing is clipped. */
  clip: Region;

  /** @param width @param height In pixels. */
  constructor(readonly width: number, readonly height: number) {
    this.pixels = new Uint32Array(width * height);
    this.clip = { x: 0, y: 0, width, height };
  }

  /** Clips drawing to a part of the canvas. */
  within(region: Region, draw: () => void): void {
    const before = this.clip, clip = intersection(before, region);
    if (!clip) return;
    this.clip = clip;
    draw();
    this.clip = before;
  }

  /** Fills a rectangle. */
  fill(region: Region, color: number): void {
    const part = intersection(this.clip, region);
    if (!part) return;
    for (let y = part.y; y < part.y + part.height; y++) {
      const start = y * this.width + part.x;
      this.pixels.fill(color, start, start + part.width);
    }
  }

  /** Blends a color into a pixel. @param cover From 0 to 1. */
  blend(x: number, y: number, color: number, cover: number): void {
    const { x: left, y: top, width, height } = this.clip;
    if (cover <= 0 || x < left || y < top || x >= left + width || y >= top + height) return;
    const at = y * this.width + x;
    this.pixels[at] = cover >= 1 ? color : mixed(this.pixels[at], color, cover);
  }

  /** Draws a shape by its coverage of each pixel of a region, from 0 to 1. */
  shape(region: Region, color: number, coverAt: (x: number, y: number) => number): void {
    const part = intersection(this.clip, region);
    if (!part) return;
    for (let y = part.y; y < part.y + part.height; y++) {
      for (let x = part.x; x < part.x + part.width; x++) this.blend(x, y, color, coverAt(x + 0.5, y + 0.5));
    }
  }

  /** Fills a rectangle with rounded corners. */
  round(region: Region, radius: number, color: number): void {
    const { x, y, width, height } = region, right = x + width, bottom = y + height;
    this.fill(rect(x, y + radius, width, height - 2 * radius), color);
    this.fill(rect(x + radius, y, width - 2 * radius, radius), color);
    this.fill(rect(x + radius, bottom - radius, width - 2 * radius, radius), color);
    for (const [cornerX, centerX] of [[x, x + radius], [right - radius, right - radius]]) {
      for (const [cornerY, centerY] of [[y, y + radius], [bottom - radius, bottom - radius]]) {
        this.shape(
          rect(cornerX, cornerY, radius, radius),
          color,
          (x, y) => radius + 0.5 - Math.hypot(x - centerX, y - centerY),
        );
      }
    }
  }

  /** Draws a box with rounded corners and a border of one pixel. */
  box({ x, y, width, height }: Region, radius: number, border: number, color: number): void {
    this.round({ x, y, width, height }, radius, border);
    this.round({ x: x + 1, y: y + 1, width: width - 2, height: height - 2 }, Math.max(0, radius - 1), color);
  }

  /** Darkens the surroundings of a region, as a window's shadow does. */
  shadow({ x, y, width, height }: Region, reach: number): void {
    const bottom = y + height;
    const strips = [
      rect(x - reach, y - reach, reach, height + 2 * reach),
      rect(x + width, y - reach, reach, height + 2 * reach),
      rect(x, y - reach, width, reach),
      rect(x, bottom, width, reach),
    ];
    for (const strip of strips) {
      this.shape(strip, 0, (px, py) => {
        const dx = Math.max(x - px, 0, px - x - width), dy = Math.max(y + 3 - py, 0, py - bottom - 1);
        return 0.22 * Math.max(0, 1 - Math.hypot(dx, dy) / reach) ** 2;
      });
    }
  }

  /** Draws a line through points. */
  stroke(points: readonly Point[], color: number, width = 1.6): void {
    const xs = points.map(({ x }) => x), ys = points.map(({ y }) => y);
    const x = Math.floor(Math.min(...xs)) - 2, y = Math.floor(Math.min(...ys)) - 2;
    const region = { x, y, width: Math.max(...xs) - x + 3, height: Math.max(...ys) - y + 3 };
    this.shape(whole(region), color, (px, py) => {
      const distances = points.slice(1).map((to, i) => distanceTo(px, py, points[i], to));
      return width / 2 + 0.5 - Math.min(...distances);
    });
  }

  /** Draws a disc, or a ring of the given width. */
  disc({ x, y }: Point, radius: number, color: number, width = Infinity): void {
    const region = { x: x - radius - 1, y: y - radius - 1, width: 2 * radius + 2, height: 2 * radius + 2 };
    this.shape(whole(region), color, (px, py) => {
      const distance = Math.hypot(px - x, py - y);
      return Math.min(radius + 0.5 - distance, distance - (radius - width) + 0.5);
    });
  }

  /**
   * Draws a text from its top left corner. A character missing from the font is drawn as a box.
   * @returns Where the text ends.
   */
  text(x: number, y: number, text: string, { color, face = "regular", width = Infinity }: TextStyle): number {
    const { ascent, data } = faceOf(face), shown = shortened(text, face, width);
    for (const character of drawnCharacters(shown)) {
      const glyph = glyphOf(character, face);
      if (!glyph) {
        this.missing(x + 1, y + ascent - BOX.height + 2, color);
        x += BOX.width + 2;
        continue;
      }
      const { left, top, width, rows, at, advance } = glyph;
      const region = { x: x + left, y: y + ascent - top, width, height: rows };
      if (width && rows && intersection(this.clip, region)) {
        for (let i = 0; i < width * rows; i++) {
          const byte = data[at + (i >> 1)], cover = i & 1 ? byte & 15 : byte >> 4;
          if (cover) this.blend(region.x + i % width, region.y + Math.floor(i / width), color, cover / 15);
        }
      }
      x += advance;
    }
    return x;
  }

  /** Draws the box for a character missing from the font. */
  missing(x: number, y: number, color: number): void {
    const { width, height } = BOX;
    for (const side of [0, width - 1]) this.fill({ x: x + side, y, width: 1, height }, color);
    for (const side of [0, height - 1]) this.fill({ x, y: y + side, width, height: 1 }, color);
  }

  /** Draws the pointer with its tip at a place. */
  pointer(x: number, y: number): void {
    POINTER.forEach((row, dy) =>
      [...row].forEach((mark, dx) => {
        if (mark !== " ") this.blend(x + dx, y + dy, mark === "#" ? 0x000000 : 0xffffff, 1);
      })
    );
  }
}

/** A color between two others. @param part From 0, the first, to 1, the second. */
export function mixed(from: number, to: number, part: number): number {
  const share = Math.round(part * 256), red = from >> 16 & 255, green = from >> 8 & 255, blue = from & 255;
  return red + (((to >> 16 & 255) - red) * share >> 8) << 16 |
    green + (((to >> 8 & 255) - green) * share >> 8) << 8 | blue + (((to & 255) - blue) * share >> 8);
}

/** A text cut to a width, with an ellipsis in place of the rest. */
function shortened(text: string, face: FaceName, width: number): string {
  if (width === Infinity || textWidth(text, face) <= width) return text;
  const characters = [...text];
  while (characters.length && textWidth(`${characters.join("")}…`, face) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** The distance of a point from the segment between two points. */
function distanceTo(x: number, y: number, from: Point, to: Point): number {
  const dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const part = length ? Math.max(0, Math.min(1, ((x - from.x) * dx + (y - from.y) * dy) / length)) : 0;
  return Math.hypot(x - from.x - part * dx, y - from.y - part * dy);
}

function whole({ x, y, width, height }: Region): Region {
  return { x: Math.floor(x), y: Math.floor(y), width: Math.ceil(width), height: Math.ceil(height) };
}

/** A glyph; positions are in pixels. */
interface Glyph {
  width: number;
  rows: number;
  /** The distance of the glyph's left edge from the pen, and of its top from the baseline. */
  left: number;
  top: number;
  /** The distance to the next character's pen position. */
  advance: number;
  /**
   * The index of the first pixel in {@linkcode Face.data}; a byte holds two, the first in the high nibble.
   */
  at: number;
}

/** A font of one weight and size. */
interface Face {
  /** The distance from the top of a line to the baseline. */
  ascent: number;
  /** The height of a line. */
  height: number;
  glyphs: ReadonlyMap<string, Glyph>;
  data: Uint8Array;
}

/** The faces of the atlas; `large` has only digits and the colon. */
type FaceName = "regular" | "bold" | "large";

/** The size of the box for a character missing from the font. */
const BOX = { width: 10, height: 13 };

let faces: Map<string, Face> | undefined;

/** A face of the atlas. */
export function faceOf(name: FaceName): Face {
  faces ??= readAtlas(Deno.readFileSync(new URL("./noto/atlas.bin", import.meta.url)));
  return faces.get(name)!;
}

/** The glyph of a character; bold letters missing from the atlas fall back to regular ones. */
function glyphOf(character: string, name: FaceName): Glyph | undefined {
  const glyph = faceOf(name).glyphs.get(character);
  if (glyph) return glyph;
  return name === "regular" ? undefined : faceOf("regular").glyphs.get(character);
}

/** The characters of a text as they are drawn: each letter together with its accents. */
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

/** Reads an atlas: a line of JSON, then the glyphs of its faces as written by tools/atlas.ts. */
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
