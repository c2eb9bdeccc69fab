/**
 * Watches a window that is dragged for a long time, as a viewer of the live picture that decodes what it gets. Prints
 * pictures, memory and open files on the way; at the end every row must be the screen's.
 *
 *     deno run -A bench/live_soak.ts [MINUTES]
 */

import { delay } from "@std/async/delay";
import { inflateRawSync } from "node:zlib";
import { applyScroll } from "../control/live/scroll.ts";
// @ts-types="../tests/page/tiles.d.ts"
import { TileDecoder } from "../control/page/tiles.js";
import { openX11 } from "../ffi/x11/mod.ts";
import { Program } from "../tests/support/program.ts";
import { Scene } from "../tests/support/scenes.ts";
import { until } from "../tests/support/until.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { residentMb } from "./measure.ts";

const MINUTES = Number(Deno.args[0] ?? 60);
const SCREEN = { width: 1920, height: 1080 };

/** What a viewer has seen. JPEG files are left out: what they show comes again without loss. */
class Seen {
  readonly pixels = new Uint32Array(SCREEN.width * SCREEN.height);
  readonly #tiles = new TileDecoder(this.pixels, SCREEN.width);
  pictures = 0;
  bytes = 0;

  /** Takes a message over. */
  take(data: ArrayBuffer) {
    this.pictures++;
    this.bytes += data.byteLength;
    const view = new DataView(data);
    const [copies, runs, jpegs, pointer] = [0, 2, 4, 6].map((at) => view.getUint16(at, true));
    let at = 12;
    if (copies) {
      const [x, y, width, height, dy] = [0, 2, 4, 6, 8].map((part) => view.getInt16(at + part, true));
      applyScroll(new Int32Array(this.pixels.buffer), SCREEN.width, { x, y, width, height, dy });
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

await using server = await Xvfb.start(SCREEN);
await using scene = new Scene(server, "a window is dragged");
await using program = new Program(["--http", "0"], { env: server.env });
const url = await program.controlUrl();
const seen = new Seen();
const socket = new WebSocket(`${url.replace("http", "ws")}/api/live`);
socket.binaryType = "arraybuffer";
let told = "";
socket.onmessage = ({ data }) => {
  if (typeof data === "string") {
    if (!data.includes('"screen"')) told += data + "\n";
    return;
  }
  seen.take(data);
  socket.send('{"type":"ack"}');
};
socket.onclose = ({ code, reason }) => told += `closed: ${code} ${reason}\n`;
console.log("| minute | pictures | a second | KB each | memory | open files |");
for (let minute = 1; minute <= MINUTES && socket.readyState <= WebSocket.OPEN; minute++) {
  const { pictures, bytes } = seen;
  await delay(60_000);
  const shown = seen.pictures - pictures, files = [...Deno.readDirSync(`/proc/${program.pid}/fd`)].length;
  const kilobytes = ((seen.bytes - bytes) / shown / 1000).toFixed(1);
  console.log(
    `| ${minute} | ${seen.pictures} | ${(shown / 60).toFixed(1)} | ${kilobytes} | ` +
      `${await residentMb(program.pid)} MB | ${files} |`,
  );
}
await scene.freeze();
const desktop = openX11(server.display);
const wrongRows = () => {
  const { width, height, pixels } = desktop.screen.capture(desktop.screen.layout(), false);
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
  const isWrong = (row: number) => {
    for (let at = row * width; at < (row + 1) * width; at++) {
      const rgb = (words[at] & 0xff) << 16 | words[at] & 0xff00 | words[at] >> 16 & 0xff;
      if (rgb !== (seen.pixels[at] & 0xffffff)) return true;
    }
    return false;
  };
  return Array.from({ length: height }, (_, row) => row).filter(isWrong).length;
};
const wrong = await until(wrongRows, (rows) => rows === 0).catch(wrongRows);
desktop.close();
socket.onclose = null;
socket.close();
console.log(`rows that differ at the end: ${wrong} of ${SCREEN.height}${told && `; told: ${told}`}`);
if (wrong || told) Deno.exitCode = 1;
