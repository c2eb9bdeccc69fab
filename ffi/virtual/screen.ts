/** The screen of a virtual desktop. */

import type { Button, Frame, Picture, Point, Region, Screen, ScreenLayout } from "../../control/desktop.ts";
import { copiedPicture } from "../copied_picture.ts";
import { Canvas } from "./canvas.ts";
import { GLYPH_SIZE } from "./font.ts";
import { VirtualWindows } from "./windows.ts";

const SIZE = { width: 1280, height: 720 };
const COLORS = { background: 0x20242c, grid: 0x2b313c, text: 0xe8e6df, strip: 0x14161b };
const BUTTON_COLORS: Record<Button, number> = {
  left: 0x4fc3f7,
  middle: 0x81c784,
  right: 0xff8a65,
  back: 0xba68c8,
  forward: 0xffd54f,
};
/** The distance of lines of the background's grid, in pixels. */
const GRID = 80;
/** Radius of a button's ring, in pixels. */
const RING = { down: 9, up: 5 };
/** The strip at the bottom in which keys and text appear. */
const STRIP = { lines: 6, scale: 3, lineHeight: (GLYPH_SIZE.height + 3) * 3 };
const STRIP_TOP = SIZE.height - STRIP.lines * STRIP.lineHeight;

/** A picture in memory that input leaves marks on. */
export class VirtualScreen implements Screen {
  /** The place of the pointer. */
  pointer: Point = { x: SIZE.width / 2, y: SIZE.height / 2 };
  readonly windows: VirtualWindows = new VirtualWindows({ x: 0, y: 0, ...SIZE });
  #drawn: Canvas | undefined;
  /** Characters in the last line of the strip. */
  #column = 0;

  /** The drawing so far. The drawing begins at its first use, since the background would cost a start 1.5 ms. */
  get #canvas(): Canvas {
    return this.#drawn ??= emptyScreen();
  }

  layout(): ScreenLayout {
    const region = { x: 0, y: 0, ...SIZE };
    return { ...region, displays: [{ name: "virtual", primary: true, ...region }] };
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.take(region, cursor)));
  }

  /** Captures a region, in memory of its own. */
  take(region: Region, cursor: boolean): Frame {
    const frame = new Canvas(region.width, region.height);
    for (let row = 0; row < region.height; row++) {
      const start = (region.y + row) * SIZE.width + region.x;
      frame.pixels.set(this.#canvas.pixels.subarray(start, start + region.width), row * region.width);
    }
    this.windows.draw(frame, region);
    if (cursor) frame.pointer(this.pointer.x - region.x, this.pointer.y - region.y);
    const { width, height } = region;
    return { width, height, stride: width * 4, pixels: new Uint8Array(frame.pixels.buffer) };
  }

  /** Draws a ring where the pointer is: a large one for a press, a small one for a release. */
  ring(button: Button, down: boolean): void {
    const { x, y } = this.pointer;
    this.#canvas.ring(x, y, down ? RING.down : RING.up, BUTTON_COLORS[button]);
  }

  /**
   * Adds text to the strip, which scrolls like a terminal. Accents are left out, and a character that the font lacks
   * appears as its number.
   */
  write(text: string): void {
    const step = (GLYPH_SIZE.width + 1) * STRIP.scale;
    const y = SIZE.height - STRIP.lineHeight + STRIP.scale;
    for (const character of text.normalize("NFD").replace(/\p{M}/gu, "")) {
      if (character === "\n" || (this.#column + 1) * step > SIZE.width) {
        this.#canvas.scrollUp(STRIP_TOP, SIZE.height, STRIP.lineHeight, COLORS.strip);
        this.#column = 0;
        if (character === "\n") continue;
      }
      if (this.#canvas.glyph(character, this.#column * step, y, STRIP.scale, COLORS.text)) this.#column++;
      else if (character.trim()) this.write(`<${character.codePointAt(0)!.toString(16)}>`);
    }
  }
}

/** The background with its grid, and the strip. */
function emptyScreen(): Canvas {
  const canvas = new Canvas(SIZE.width, SIZE.height), row = new Canvas(SIZE.width, 1);
  row.fill(0, 0, SIZE.width, 1, COLORS.background);
  for (let x = GRID; x < SIZE.width; x += GRID) row.dot(x, 0, COLORS.grid);
  for (let y = 0; y < STRIP_TOP; y++) canvas.pixels.set(row.pixels, y * SIZE.width);
  for (let y = GRID; y < STRIP_TOP; y += GRID) canvas.fill(0, y, SIZE.width, 1, COLORS.grid);
  canvas.fill(0, STRIP_TOP, SIZE.width, SIZE.height - STRIP_TOP, COLORS.strip);
  return canvas;
}
