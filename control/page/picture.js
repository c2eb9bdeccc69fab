/** The live picture on its canvas. The messages are defined in the server's control/live/tile_writer.ts. */

import { inflateSync } from "./inflate.js";
import { TileDecoder } from "./tiles.js";

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ image: Box | undefined, rgba: Uint8Array }} Pointer */

/** Reads the numbers of a message in sequence. */
class Reader {
  #at = 0;

  /** @param {ArrayBuffer} data */
  constructor(data) {
    this.data = data;
    this.view = new DataView(data);
  }

  word() {
    return this.view.getUint16((this.#at += 2) - 2, true);
  }

  signed() {
    return this.view.getInt16((this.#at += 2) - 2, true);
  }

  long() {
    return this.view.getUint32((this.#at += 4) - 4, true);
  }

  /** @returns {Box} */
  box() {
    return { x: this.word(), y: this.word(), width: this.word(), height: this.word() };
  }

  /** @param {number} length The rest of the message if left out. */
  bytes(length = this.data.byteLength - this.#at) {
    return new Uint8Array(this.data, (this.#at += length) - length, length);
  }
}

/** A picture that messages update. */
export class Picture {
  /** @type {Promise<unknown>} */ #drawn = Promise.resolve();
  /** Reusable memory for inflated tiles. */ #memory = new Uint8Array();
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(1);
  #tiles = new TileDecoder(this.#pixels, 1);
  /** @type {{ box: Box, rgba: Uint8Array } | undefined} The desktop's pointer, drawn over the picture. */ #pointer;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    // The canvas is in the page's memory, since tiles are written to it many times per second.
    const options = { alpha: false, willReadFrequently: true };
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", options));
  }

  /**
   * Starts over with a new size, after all earlier messages are drawn.
   * @param {{ width: number, height: number }} size
   */
  resize({ width, height }) {
    return this.#inTurn(() => {
      this.canvas.width = width;
      this.canvas.height = height;
      this.#image = new ImageData(width, height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
      this.#pixels.fill(0xff000000);
      this.#tiles = new TileDecoder(this.#pixels, width);
      this.#pointer = undefined;
    });
  }

  /**
   * Draws a message, after those received before; photographs start decoding immediately.
   * @param {ArrayBuffer} data
   * @returns {Promise<void>} Resolves once it is drawn.
   */
  draw(data) {
    const message = read(data);
    return this.#inTurn(() => this.#draw(message));
  }

  /** @template T @param {() => T | Promise<T>} what @returns {Promise<T>} */
  #inTurn(what) {
    const turn = this.#drawn.then(what);
    this.#drawn = turn.catch(() => {});
    return turn;
  }

  /** @param {ReturnType<typeof read>} message */
  async #draw({ copy, runs, jpegs, pointer, tiles }) {
    const photographs = await Promise.all(jpegs.map(({ bitmap }) => bitmap));
    /** @type {Box[]} */
    const changed = [];
    if (copy) changed.push(this.#copy(copy));
    if (tiles) this.#tiles.begin(this.#inflated(tiles));
    for (const run of runs) {
      this.#tiles.run(run);
      if (!copy || !contains(copy, run)) changed.push(run);
    }
    for (const box of changed) this.#put(box);
    photographs.forEach((bitmap, i) => this.#photograph(bitmap, jpegs[i].box));
    this.#drawPointer(pointer, [...changed, ...jpegs.map(({ box }) => box)]);
  }

  /** @param {{ length: number, bytes: Uint8Array }} tiles Raw deflate, and its inflated length. */
  #inflated({ length, bytes }) {
    if (this.#memory.length < length) this.#memory = new Uint8Array(2 * length);
    return inflateSync(bytes, { out: this.#memory.subarray(0, length) });
  }

  /** Moves content. @param {Box & { dy: number }} copy @returns {Box} */
  #copy({ x, y, width, height, dy }) {
    const pixels = this.#pixels, rowLength = this.canvas.width;
    for (let i = 0; i < height; i++) {
      // Copies rows in an order in which none is overwritten before it is read.
      const row = dy > 0 ? y + i : y + height - 1 - i;
      const from = (row + dy) * rowLength + x;
      pixels.copyWithin(row * rowLength + x, from, from + width);
    }
    return { x, y, width, height };
  }

  /** @param {Box} box */
  #put({ x, y, width, height }) {
    this.context.putImageData(this.#image, 0, 0, x, y, width, height);
  }

  /**
   * Draws a photograph, which may have fewer pixels than its box, and copies its pixels, which may be moved
   * later.
   * @param {ImageBitmap} bitmap
   * @param {Box} box
   */
  #photograph(bitmap, { x, y, width, height }) {
    this.context.drawImage(bitmap, x, y, width, height);
    bitmap.close();
    const rows = new Uint32Array(this.context.getImageData(x, y, width, height).data.buffer);
    for (let row = 0; row < height; row++) {
      this.#pixels.set(rows.subarray(row * width, (row + 1) * width), (y + row) * this.canvas.width + x);
    }
  }

  /**
   * Draws the pointer at its current position, and restores the picture at its last one.
   * @param {{ x: number, y: number, image?: { width: number, height: number, rgba: Uint8Array } } |
   * undefined} pointer
   * @param {Box[]} changed The regions drawn since then.
   */
  #drawPointer(pointer, changed) {
    const before = this.#pointer;
    if (pointer) {
      const { x, y, image } = pointer, size = image ?? before?.box, rgba = image?.rgba ?? before?.rgba;
      if (before) this.#put(this.#visible(before.box));
      if (size && rgba) this.#pointer = { box: { x, y, width: size.width, height: size.height }, rgba };
    }
    const now = this.#pointer;
    if (!now || !pointer && !changed.some((box) => overlaps(box, now.box))) return;
    const box = this.#visible(now.box);
    if (box.width <= 0 || box.height <= 0) return;
    const blended = new ImageData(box.width, box.height);
    for (let row = 0; row < box.height; row++) {
      for (let column = 0; column < box.width; column++) {
        const to = (row * box.width + column) * 4;
        const under = ((box.y + row) * this.canvas.width + box.x + column) * 4;
        const from = ((box.y - now.box.y + row) * now.box.width + box.x - now.box.x + column) * 4;
        const rest = 255 - now.rgba[from + 3];
        for (let i = 0; i < 3; i++) {
          blended.data[to + i] = now.rgba[from + i] + Math.round(this.#image.data[under + i] * rest / 255);
        }
        blended.data[to + 3] = 255;
      }
    }
    this.context.putImageData(blended, box.x, box.y);
  }

  /** The part of a box that is on the canvas. @param {Box} box @returns {Box} */
  #visible({ x, y, width, height }) {
    const left = Math.max(0, x), top = Math.max(0, y);
    const right = Math.min(this.canvas.width, x + width), bottom = Math.min(this.canvas.height, y + height);
    return { x: left, y: top, width: right - left, height: bottom - top };
  }
}

/** Reads a message; slow decoding has started when this function returns. @param {ArrayBuffer} data */
function read(data) {
  const reader = new Reader(data);
  const copies = reader.word(), runs = reader.word(), jpegs = reader.word(), pointer = reader.word();
  const raw = reader.long();
  const signedBox = () => ({
    x: reader.signed(),
    y: reader.signed(),
    width: reader.word(),
    height: reader.word(),
  });
  return {
    copy: copies ? { ...signedBox(), dy: reader.signed() } : undefined,
    runs: Array.from({ length: runs }, () => reader.box()),
    jpegs: Array.from({ length: jpegs }, () => {
      const box = reader.box(), file = reader.bytes(reader.long());
      const bitmap = createImageBitmap(new Blob([file], { type: "image/jpeg" }));
      bitmap.catch(() => {}); // the handler of the picture's message reports the error
      return { box, bitmap };
    }),
    pointer: pointer
      ? { x: reader.signed(), y: reader.signed(), image: pointer === 2 ? pointerImage(reader) : undefined }
      : undefined,
    tiles: raw ? { length: raw, bytes: reader.bytes() } : undefined,
  };
}

/** @param {Reader} reader */
function pointerImage(reader) {
  const width = reader.word(), height = reader.word();
  return { width, height, rgba: reader.bytes(width * height * 4) };
}

/** @param {Box} outer @param {Box} inner */
function contains(outer, inner) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height;
}

/** @param {Box} a @param {Box} b */
function overlaps(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
