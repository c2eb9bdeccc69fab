/** A picture in memory that the virtual desktop draws its marks on. */

import { GLYPH_SIZE, glyphRows } from "./font.ts";

/** The pointer's picture: `#` outline, `.` filling; its tip is the top left corner. */
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

/** Pixels of 32 bits (`0x00RRGGBB`), rows from the top down. */
export class Canvas {
  readonly pixels: Uint32Array<ArrayBuffer>;

  /** @param width @param height In pixels. */
  constructor(readonly width: number, readonly height: number) {
    this.pixels = new Uint32Array(width * height);
  }

  /** Sets one pixel; a place outside is left out. */
  dot(x: number, y: number, color: number) {
    if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.pixels[y * this.width + x] = color;
  }

  /** Fills a rectangle, cut at the edges. */
  fill(x: number, y: number, width: number, height: number, color: number) {
    const left = Math.max(0, x), right = Math.min(this.width, x + width);
    for (let row = Math.max(0, y); row < Math.min(this.height, y + height); row++) {
      this.pixels.fill(color, row * this.width + left, row * this.width + Math.max(left, right));
    }
  }

  /** Moves the rows of a band up and fills the rows below them. */
  scrollUp(top: number, bottom: number, rows: number, color: number) {
    this.pixels.copyWithin(top * this.width, (top + rows) * this.width, bottom * this.width);
    this.fill(0, bottom - rows, this.width, rows, color);
  }

  /** Draws a ring of two pixels' width around a place. */
  ring(x: number, y: number, radius: number, color: number) {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const distance = Math.hypot(dx, dy);
        if (distance <= radius && distance > radius - 2) this.dot(x + dx, y + dy, color);
      }
    }
  }

  /**
   * Draws a character.
   * @param scale Canvas pixels a glyph pixel.
   * @returns false if the font lacks it; nothing is drawn then.
   */
  glyph(character: string, x: number, y: number, scale: number, color: number): boolean {
    const rows = glyphRows(character);
    rows?.forEach((bits, row) => {
      for (let column = 0; column < GLYPH_SIZE.width; column++) {
        if (bits & (4 >> column)) this.fill(x + column * scale, y + row * scale, scale, scale, color);
      }
    });
    return rows !== undefined;
  }

  /** Draws the pointer with its tip at a place. */
  pointer(x: number, y: number) {
    POINTER.forEach((row, dy) =>
      [...row].forEach((mark, dx) => {
        if (mark !== " ") this.dot(x + dx, y + dy, mark === "#" ? 0x000000 : 0xffffff);
      })
    );
  }
}
