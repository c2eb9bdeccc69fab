/** Decodes Tight without JPEG (rfbproto.rst, "Tight Encoding"): a fill, or pixels behind a filter, packed in four streams. */

import type { Region } from "../../../control/desktop/desktop.ts";
import { Inflater } from "./inflater.ts";
import type { ByteReader, Raster } from "./raster.ts";

/** The kinds of rectangles: below the first number, packed pixels. */
const FILL = 8, HAS_FILTER = 4;
const FILTER = { copy: 0, palette: 1, gradient: 2 } as const;
/** Data of fewer bytes is not packed. */
const LEAST_PACKED = 12;
/** Bytes of a pixel: red, green, blue. */
const PIXEL = 3;
const STREAMS = 4;

const pixelAt = (bytes: Uint8Array, at: number) => bytes[at] << 16 | bytes[at + 1] << 8 | bytes[at + 2];

/** The streams of one connection. */
export class TightDecoder {
  readonly #streams: (Inflater | undefined)[] = [];

  /** Reads and draws a rectangle. @throws RangeError if the data is damaged. */
  async draw(reader: ByteReader, region: Region, raster: Raster): Promise<void> {
    const [control] = await reader.take(1), kind = control >> 4;
    for (let i = 0; i < STREAMS; i++) {
      if (control >> i & 1) this.#restart(i);
    }
    if (kind === FILL) return raster.fill(region, pixelAt(await reader.take(PIXEL), 0));
    if (kind > FILL - 1) throw new RangeError(`Tight's compression ${kind}`);
    const filter = kind & HAS_FILTER ? (await reader.take(1))[0] : FILTER.copy;
    const { width, height } = region;
    if (filter === FILTER.palette) {
      const palette = await this.#palette(reader), bits = palette.length <= 2 ? 1 : 8;
      const data = await this.#data(reader, kind & 3, Math.ceil(width * bits / 8) * height);
      return void raster.drawIndexed(region, data, 0, bits, palette);
    }
    if (filter > FILTER.gradient) throw new RangeError(`Tight's filter ${filter}`);
    const data = await this.#data(reader, kind & 3, width * height * PIXEL);
    if (filter === FILTER.gradient) undoGradient(data, width, height);
    raster.drawCompact(region, data, 0, pixelAt);
  }

  close(): void {
    for (let i = 0; i < STREAMS; i++) this.#restart(i);
  }

  #restart(i: number): void {
    this.#streams[i]?.close();
    this.#streams[i] = undefined;
  }

  async #palette(reader: ByteReader): Promise<number[]> {
    const count = (await reader.take(1))[0] + 1, bytes = await reader.take(count * PIXEL);
    return Array.from({ length: count }, (_, i) => pixelAt(bytes, i * PIXEL));
  }

  async #data(reader: ByteReader, stream: number, size: number): Promise<Uint8Array> {
    if (size < LEAST_PACKED) return await reader.take(size);
    const packed = await reader.take(await compactLength(reader));
    const data = await (this.#streams[stream] ??= new Inflater()).unpack(packed, size);
    if (data.length !== size) {
      throw new RangeError(`Tight data unpacked to ${data.length} bytes instead of ${size}`);
    }
    return data;
  }
}

/** A length of 7 bits in each of three bytes at most, the lowest first. */
async function compactLength(reader: ByteReader): Promise<number> {
  let length = 0;
  for (let shift = 0; shift <= 14; shift += 7) {
    const [byte] = await reader.take(1), isLast = shift === 14 || byte < 128;
    length |= (shift === 14 ? byte : byte & 127) << shift;
    if (isLast) break;
  }
  return length;
}

/** Replaces differences from a guess by the values: left and above, less the one between. */
function undoGradient(data: Uint8Array, width: number, height: number): void {
  const stride = width * PIXEL;
  for (let row = 0; row < height; row++) {
    for (let i = 0; i < stride; i++) {
      const at = row * stride + i;
      const left = i >= PIXEL ? data[at - PIXEL] : 0, above = row ? data[at - stride] : 0;
      const between = row && i >= PIXEL ? data[at - stride - PIXEL] : 0;
      data[at] = data[at] + Math.max(0, Math.min(255, left + above - between));
    }
  }
}
