/**
 * Encodes the tiles that VNC viewers lack as one FramebufferUpdate (RFC 6143 section 7.6.1). A message
 * depends on nothing but the previous picture, so viewers of the same form receive the same message: RFB's
 * zlib streams are split into pieces of raw deflate that end on a byte boundary and have no history.
 */

import { nodeModule } from "../../core/path.ts";
import {
  ABILITY,
  type Form,
  type PackedForm,
  type PixelWriter,
  pixelWriter,
  unpackForm,
} from "../../rfb/pixel_format.ts";
import { ENCODING } from "../../rfb/protocol.ts";
import { intersection, type Region } from "../desktop/input.ts";
import { drawPointer, type LiveScreen, type PointerImage } from "../desktop/screen.ts";
import type { Grid, Mirror, ScrollCopy } from "./mirror.ts";
import { type PhotoTiles, pixelsOf, rectangles, takeTiles } from "./tile_writer.ts";
import { ZrleWriter } from "./zrle.ts";

/** JPEG quality (1 to 100) by the level that viewers request, as in TigerVNC. */
const QUALITIES = [15, 29, 41, 42, 62, 77, 79, 86, 92, 100];
/** Maximum width of a Tight rectangle, in pixels. */
const TIGHT_WIDTH = 2048;
/** Tight's code for JPEG. */
const TIGHT_JPEG = 0x90;
/** The header of a zlib stream (RFC 1950), which precedes its first piece. */
const ZLIB_HEADER = [0x78, 0x01];
/** Minimum alpha of an opaque pointer pixel, for viewers without alpha support. */
const OPAQUE = 128;

type LivePointer = NonNullable<LiveScreen["pointer"]>;

/** A picture for some viewers. */
interface Wanted {
  /** One byte per tile: before encoding, 1 if the tile is to be sent; afterwards, 1 if it was encoded. */
  tiles: Uint8Array;
  copy: ScrollCopy | undefined;
  /** The pointer, if it is not already in the pixels. */
  pointer: LiveScreen["pointer"];
  /** Whether a viewer lacks the current pointer image. */
  isPointerNew: boolean;
  form: PackedForm;
  /** Whether the viewers' zlib stream has started. */
  hasStream: boolean;
  /** Whether everything is sent without loss. */
  isSharp: boolean;
}

/** Whether viewers of a form see the pointer only if it is drawn into the picture. */
export function drawsPointer(form: PackedForm): boolean {
  return form[0] !== 0 && !(form[0] & (ABILITY.cursorWithAlpha | ABILITY.cursor));
}

/**
 * Splits a viewer's form, so that viewers whose streams have started receive the same messages.
 * @returns The form without the stream's state, and that state.
 */
export function splitForm([first, ...rest]: PackedForm): { form: PackedForm; hasStream: boolean } {
  return {
    form: [first & ~ABILITY.startedStream, ...rest],
    hasStream: (first & ABILITY.startedStream) !== 0,
  };
}

/** The part of a screen that the pointer image covers. */
export function pointerBox({ at, image }: LivePointer, { width, height }: Grid): Region | undefined {
  const box = { x: at.x - image.hot.x, y: at.y - image.hot.y, width: image.width, height: image.height };
  return intersection(box, { x: 0, y: 0, width, height });
}

/** Makes messages. */
export class RfbEncoder {
  readonly #whole: Region;
  readonly #zrle: ZrleWriter;
  readonly #out = new Output();
  readonly #forms = new Map<string, Form & { pixel: PixelWriter }>();

  constructor(
    readonly grid: Grid,
    readonly mirror: Mirror,
    readonly photoTiles: PhotoTiles,
    readonly screen: Pick<LiveScreen, "jpeg">,
  ) {
    this.#whole = { x: 0, y: 0, width: grid.width, height: grid.height };
    this.#zrle = new ZrleWriter(mirror.words, grid.width);
  }

  /**
   * Encodes a picture.
   * @returns The message, its lossy and its lossless tiles, and whether the zlib stream has started. The
   * message's second byte, which is padding, is 1 if the stream starts in it.
   */
  encode(wanted: Wanted) {
    const { tiles, copy, pointer, form: packed, hasStream, isSharp } = wanted, out = this.#out;
    const { abilities, quality, pixel } = this.#form(packed);
    const restore = pointer && drawsPointer(packed) && drawPointer(this.mirror.words, this.#whole, pointer);
    out.begin(hasStream);
    if (pointer) this.#pointer(wanted, abilities, pixel);
    if (copy && (abilities & ABILITY.copyRect) && !restore) {
      out.head(copy, ENCODING.copyRect);
      out.words(copy.x, copy.y + copy.dy);
    } else if (copy) this.grid.mark(copy, tiles);
    const left = tiles.slice();
    const lossy = abilities & ABILITY.jpeg && !isSharp ? this.#jpegs(left, QUALITIES[quality]) : [];
    const exact = Array.from(left.keys()).filter((tile) => left[tile]);
    for (const region of rectangles(left, this.grid.columns, this.grid.rows)) {
      this.#rectangle(pixelsOf(region, this.grid), abilities, pixel);
    }
    if (restore) restore();
    tiles.fill(0);
    for (const tile of [...lossy, ...exact]) tiles[tile] = 1;
    return { message: out.end(), lossy, exact, hasStream: out.hasStream };
  }

  #form(packed: PackedForm): Form & { pixel: PixelWriter } {
    const key = packed.join();
    let form = this.#forms.get(key);
    if (!form) {
      const read = unpackForm(packed);
      this.#forms.set(key, form = { ...read, pixel: pixelWriter(read.format) });
    }
    return form;
  }

  /**
   * The pointer image precedes all tiles: TigerVNC's viewer changes its pixel format while it reads the
   * image, and another thread may still be decoding an earlier tile.
   */
  #pointer({ pointer, isPointerNew }: Wanted, abilities: number, pixel: PixelWriter): void {
    const { image, at } = pointer!, place = { ...at, width: 0, height: 0 };
    if (isPointerNew && (abilities & (ABILITY.cursorWithAlpha | ABILITY.cursor))) {
      this.#cursor(image, abilities, pixel);
    }
    if (abilities & ABILITY.vmwareCursorPosition) this.#out.head(place, ENCODING.vmwareCursorPosition);
    else if (abilities & ABILITY.pointerPosition) this.#out.head(place, ENCODING.pointerPosition);
  }

  #cursor({ width, height, hot, rgba }: PointerImage, abilities: number, pixel: PixelWriter): void {
    const region = { x: hot.x, y: hot.y, width, height }, out = this.#out;
    if (abilities & ABILITY.cursorWithAlpha) {
      out.head(region, ENCODING.cursorWithAlpha);
      out.long(ENCODING.raw);
      return out.bytes(rgba);
    }
    const stride = width + 7 >> 3, mask = new Uint8Array(stride * height);
    out.head(region, ENCODING.cursor);
    for (let i = 0; i < width * height; i++) {
      const [red, green, blue, alpha] = rgba.subarray(i * 4, i * 4 + 4);
      const whole = (part: number) => alpha ? Math.min(255, Math.round(part * 255 / alpha)) : 0;
      out.pixel(whole(red) << 16 | whole(green) << 8 | whole(blue), pixel);
      if (alpha >= OPAQUE) mask[Math.floor(i / width) * stride + (i % width >> 3)] |= 0x80 >> (i % width & 7);
    }
    out.bytes(mask);
  }

  /** Makes JPEG files where that saves bytes, and unmarks their tiles. @returns The tiles. */
  #jpegs(left: Uint8Array, quality: number): number[] {
    const { grid, mirror, screen: { jpeg } } = this, out = this.#out;
    if (!jpeg) return [];
    return this.photoTiles.choose(left).flatMap((tiles) => {
      const whole = pixelsOf(tiles, grid);
      for (let x = whole.x; x < whole.x + whole.width; x += TIGHT_WIDTH) {
        const part = { ...whole, x, width: Math.min(TIGHT_WIDTH, whole.x + whole.width - x) };
        const file = jpeg(mirror.bytes, grid.width * 4, part, quality);
        out.head(part, ENCODING.tight);
        out.bytes(Uint8Array.of(TIGHT_JPEG));
        out.compactLength(file.length);
        out.bytes(file);
      }
      return takeTiles(left, tiles, grid);
    });
  }

  #rectangle(region: Region, abilities: number, pixel: PixelWriter): void {
    const out = this.#out;
    if (abilities & ABILITY.zrle) {
      out.head(region, ENCODING.zrle);
      out.deflated(this.#zrle.write(region, pixel));
    } else if (abilities & ABILITY.zlib) {
      out.head(region, ENCODING.zlib);
      out.deflated(this.#pixels(region, pixel));
    } else {
      out.head(region, ENCODING.raw);
      out.bytes(this.#pixels(region, pixel));
    }
  }

  #pixels({ x, y, width, height }: Region, pixel: PixelWriter): Uint8Array {
    const pixels = new Uint8Array(width * height * pixel.bytes), { words, bytes } = this.mirror;
    for (let row = y, at = 0; row < y + height; row++) {
      const from = row * this.grid.width + x;
      if (pixel.isNative) {
        pixels.set(bytes.subarray(from * 4, (from + width) * 4), at);
        at += width * 4;
      } else for (let i = from; i < from + width; i++) at = pixel.put(pixels, at, words[i] & 0xffffff);
    }
    return pixels;
  }
}

/** The bytes of a FramebufferUpdate. */
class Output {
  /** Whether the zlib stream has started. */
  hasStream = false;
  #bytes = new Uint8Array(1 << 18);
  #at = 0;
  #rectangles = 0;
  #begins = false;

  begin(hasStream: boolean): void {
    this.hasStream = hasStream;
    this.#begins = false;
    this.#rectangles = 0;
    this.#at = 4;
  }

  /** The message in its own memory, which can be transferred to another thread. */
  end(): Uint8Array<ArrayBuffer> {
    this.#bytes.set([0, this.#begins ? 1 : 0, this.#rectangles >> 8, this.#rectangles & 255]);
    return this.#bytes.slice(0, this.#at);
  }

  /** Begins a rectangle. */
  head({ x, y, width, height }: Region, encoding: number): void {
    this.#rectangles++;
    this.words(x, y, width, height);
    this.long(encoding);
  }

  words(...values: number[]): void {
    this.bytes(Uint8Array.from(values.flatMap((value) => [value >> 8, value])));
  }

  long(value: number): void {
    this.words(value >>> 16, value & 0xffff);
  }

  pixel(rgb: number, { put }: PixelWriter): void {
    this.#makeRoom(4);
    this.#at = put(this.#bytes, this.#at, rgb);
  }

  bytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A Tight length: 7 bits in each of at most three bytes, lowest first. */
  compactLength(length: number): void {
    const parts = length < 1 << 7
      ? [length]
      : length < 1 << 14
      ? [length & 127 | 128, length >> 7]
      : [length & 127 | 128, length >> 7 & 127 | 128, length >> 14];
    this.bytes(Uint8Array.from(parts));
  }

  /** A piece of the zlib stream, after its length. */
  deflated(bytes: Uint8Array): void {
    const piece = deflatedPiece(bytes), header = this.hasStream ? [] : ZLIB_HEADER;
    this.#begins ||= !this.hasStream;
    this.hasStream = true;
    this.long(piece.length + header.length);
    this.bytes(Uint8Array.from(header));
    this.bytes(piece);
  }

  #makeRoom(bytes: number): void {
    if (this.#bytes.length - this.#at >= bytes) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + bytes));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

/**
 * Number of bytes that deflate would not shrink; they are sent as a stored block (RFC 1951 section 3.2.4).
 */
const STORED = 24;
/**
 * Maximum size for compression at level 2, which is a fifth smaller than level 1, and for compression with
 * little memory.
 */
const LITTLE = 64 * 1024, TINY = 4096;

/** Raw deflate that ends on a byte boundary and refers to nothing before it. */
function deflatedPiece(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= STORED) {
    const { length } = bytes, stored = new Uint8Array(5 + length);
    stored.set([0, length, 0, ~length, 0xff]);
    stored.set(bytes, 5);
    return stored;
  }
  const { deflateRawSync, constants } = nodeModule("node:zlib"), isLittle = bytes.length < LITTLE;
  return deflateRawSync(bytes, {
    level: isLittle ? 2 : 1,
    finishFlush: constants.Z_SYNC_FLUSH,
    ...bytes.length < TINY ? { windowBits: 12, memLevel: 5 } : {},
    chunkSize: isLittle ? 16 * 1024 : 128 * 1024,
  });
}
