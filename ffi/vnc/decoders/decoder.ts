/** Decodes the rectangles of one connection, by the encodings that deskhand asks for. */

import { type Region, tilesOf } from "../../../control/desktop/input.ts";
import { ENCODING, readRectangle, uint16, uint32 } from "../../../rfb/protocol.ts";
import { Inflater } from "./inflater.ts";
import { type ByteReader, pixelAt, type Raster } from "./raster.ts";
import { TightDecoder } from "./tight.ts";
import { drawZrle } from "./zrle.ts";

/** Bytes by which packed data may be longer than unpacked data. */
const PACKED_MORE = 65536;
/** The most that ZRLE needs: 5 bytes a pixel in runs of one, and a palette for each tile. */
const ZRLE_PIXEL = 5, ZRLE_MORE = 4096;
/** Bytes of a pixel, and of a rectangle of RRE behind its pixel. */
const PIXEL = 4, RRE_PLACE = 8;
const HEXTILE_TILE = 16;
/** Bits of a tile of Hextile. */
const HEXTILE = { raw: 1, background: 2, foreground: 4, subrects: 8, coloured: 16 } as const;
/** The rectangles of RRE that are read at once. */
const BATCH = 4096;

type Draw = (reader: ByteReader, region: Region, raster: Raster) => Promise<void>;

/** The decoders of one connection. */
export class Decoder {
  readonly #zrle = new Inflater();
  readonly #zlib = new Inflater();
  readonly #tight = new TightDecoder();

  readonly #byEncoding: Readonly<Record<number, Draw>> = {
    [ENCODING.raw]: async (reader, region, raster) => {
      const { x, y, width, height } = region;
      for (let row = y; row < y + height; row++) { // a row at a time, so that little memory is taken ahead
        raster.draw({ x, y: row, width, height: 1 }, await reader.take(PIXEL * width));
      }
    },
    [ENCODING.copyRect]: async (reader, region, raster) => {
      const bytes = await reader.take(4), from = { ...region, x: uint16(bytes, 0), y: uint16(bytes, 2) };
      raster.check(from);
      raster.copy(region, from.x, from.y);
    },
    [ENCODING.zrle]: async (reader, region, raster) => {
      const most = region.width * region.height * ZRLE_PIXEL + ZRLE_MORE;
      drawZrle(await this.#zrle.unpack(await packed(reader, most), most), region, raster);
    },
    [ENCODING.zlib]: async (reader, region, raster) => {
      const size = region.width * region.height * PIXEL;
      const data = await this.#zlib.unpack(await packed(reader, size), size);
      if (data.length !== size) {
        throw new RangeError(`zlib data unpacked to ${data.length} bytes instead of ${size}`);
      }
      raster.draw(region, data);
    },
    [ENCODING.tight]: (reader, region, raster) => this.#tight.draw(reader, region, raster),
    [ENCODING.hextile]: drawHextile,
    [ENCODING.rre]: drawRre,
  };

  /**
   * Reads and draws a rectangle.
   * @throws RangeError if it is outside of the picture, of another encoding, or damaged.
   */
  async draw(encoding: number, reader: ByteReader, region: Region, raster: Raster): Promise<void> {
    const draw = this.#byEncoding[encoding];
    if (!draw) throw new RangeError(`encoding ${encoding} was not requested`);
    raster.check(region);
    if (region.width && region.height || encoding !== ENCODING.raw) await draw(reader, region, raster);
  }

  close(): void {
    this.#zrle.close();
    this.#zlib.close();
    this.#tight.close();
  }
}

/** Reads packed data. @param most The most bytes that it may have unpacked. */
async function packed(reader: ByteReader, most: number): Promise<Uint8Array> {
  const length = uint32(await reader.take(4), 0);
  if (length > most + PACKED_MORE) throw new RangeError(`a rectangle of ${length} bytes is too large`);
  return await reader.take(length);
}

async function drawRre(reader: ByteReader, region: Region, raster: Raster): Promise<void> {
  const head = await reader.take(4 + PIXEL), size = PIXEL + RRE_PLACE;
  raster.fill(region, pixelAt(head, 4));
  for (let left = uint32(head, 0); left > 0; left -= BATCH) {
    const count = Math.min(left, BATCH), bytes = await reader.take(count * size);
    for (let at = 0; at < count * size; at += size) {
      const { x, y, ...size } = readRectangle(bytes, at + PIXEL);
      const part = { x: region.x + x, y: region.y + y, ...size };
      raster.check(part);
      raster.fill(part, pixelAt(bytes, at));
    }
  }
}

async function drawHextile(reader: ByteReader, region: Region, raster: Raster): Promise<void> {
  let background = 0, foreground = 0;
  const pixel = async () => pixelAt(await reader.take(PIXEL), 0);
  for (const tile of tilesOf(region, HEXTILE_TILE)) {
    const [bits] = await reader.take(1);
    if (bits & HEXTILE.raw) {
      raster.draw(tile, await reader.take(PIXEL * tile.width * tile.height));
      continue;
    }
    if (bits & HEXTILE.background) background = await pixel();
    if (bits & HEXTILE.foreground) foreground = await pixel();
    raster.fill(tile, background);
    const isColoured = (bits & HEXTILE.coloured) !== 0, size = isColoured ? PIXEL + 2 : 2;
    const count = bits & HEXTILE.subrects ? (await reader.take(1))[0] : 0,
      bytes = await reader.take(count * size);
    for (let at = 0; at < count * size; at += size) {
      if (isColoured) foreground = pixelAt(bytes, at);
      const [place, extent] = bytes.subarray(at + size - 2);
      const part = {
        x: tile.x + (place >> 4),
        y: tile.y + (place & 15),
        width: (extent >> 4) + 1,
        height: (extent & 15) + 1,
      };
      raster.check(part);
      raster.fill(part, foreground);
    }
  }
}
