/** A viewer of the live picture that decodes all frames, without a browser. */

import { inflateRawSync } from "node:zlib";
import { applyScroll } from "../../control/live/mirror.ts";
import { TileDecoder } from "../../control/page/tiles.js";
import type { Frame } from "../../control/desktop/desktop.ts";

/** A viewer's picture. JPEG files are ignored: the same regions are sent again losslessly. */
export class LiveViewer implements Disposable {
  width = 0;
  height = 0;
  /** The number of messages with pictures, and their size in bytes. */
  pictures = 0;
  bytes = 0;
  /** All messages except pictures and their sizes, one per line. */
  told = "";
  readonly #socket: WebSocket;
  /** Red, green, blue and alpha of each pixel. */
  #pixels = new Uint32Array();
  #tiles = new TileDecoder(this.#pixels, 0);

  /** @param url The control API's URL. */
  constructor(url: string) {
    const socket = this.#socket = new WebSocket(`${url.replace("http", "ws")}/api/live`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") return this.#read(data);
      this.#take(data);
      socket.send('{"type":"ack"}');
    };
    socket.onclose = ({ code, reason }) => this.told += `closed: ${code} ${reason}\n`;
  }

  get isOpen(): boolean {
    return this.#socket.readyState <= WebSocket.OPEN;
  }

  /** Sends a message. */
  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Counts the rows in a full-screen frame that differ from the received ones. */
  wrongRows({ width, height, stride, pixels }: Frame): number {
    if (width !== this.width || height !== this.height) return height;
    let wrong = 0;
    for (let row = 0; row < height; row++) {
      const words = new Uint32Array(pixels.buffer, pixels.byteOffset + row * stride, width);
      const isWrong = (word: number, column: number) => {
        const rgb = (word & 0xff) << 16 | word & 0xff00 | word >> 16 & 0xff;
        return rgb !== (this.#pixels[row * width + column] & 0xffffff);
      };
      if (words.some(isWrong)) wrong++;
    }
    return wrong;
  }

  [Symbol.dispose](): void {
    this.#socket.onclose = null;
    this.#socket.close();
  }

  #read(data: string) {
    const { type, width, height } = JSON.parse(data);
    if (type === "ping") return this.send({ type: "pong" });
    if (type !== "screen") return void (this.told += data + "\n");
    this.width = width;
    this.height = height;
    this.#pixels = new Uint32Array(width * height);
    this.#tiles = new TileDecoder(this.#pixels, width);
  }

  #take(data: ArrayBuffer) {
    this.pictures++;
    this.bytes += data.byteLength;
    const view = new DataView(data);
    const [copies, runs, jpegs, pointer] = [0, 2, 4, 6].map((at) => view.getUint16(at, true));
    let at = 12;
    if (copies) {
      const [x, y, width, height, dy] = [0, 2, 4, 6, 8].map((part) => view.getInt16(at + part, true));
      applyScroll(new Int32Array(this.#pixels.buffer), this.width, { x, y, width, height, dy });
      at += 10;
    }
    const boxes = Array.from({ length: runs }, (_, i) => {
      const [x, y, width, height] = [0, 2, 4, 6].map((part) => view.getUint16(at + i * 8 + part, true));
      return { x, y, width, height };
    });
    at += runs * 8;
    for (let i = 0; i < jpegs; i++) at += 12 + view.getUint32(at + 8, true);
    if (pointer) at += 4;
    if (pointer === 2) at += 4 + 4 * view.getUint16(at, true) * view.getUint16(at + 2, true);
    if (runs) this.#tiles.begin(inflateRawSync(new Uint8Array(data, at)));
    for (const box of boxes) this.#tiles.run(box);
  }
}
