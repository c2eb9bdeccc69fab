/**
 * A VNC viewer in a Worker, which requests one update after another and counts the data without decoding it.
 */

/// <reference lib="deno.worker" />

import { nodeModule } from "../core/path.ts";
import { formatBytes, NATIVE } from "../rfb/pixel_format.ts";
import { CLIENT_MESSAGE, ENCODING, int32, longs, message, uint16, uint32, words } from "../rfb/protocol.ts";
import { SERVER_MESSAGE } from "../rfb/protocol.ts";
import { ByteStream } from "../rfb/stream.ts";

/** A viewer's counts so far. */
export interface ViewerCounts {
  updates: number;
  bytes: number;
  /** Pixels in the rectangles. */
  pixels: number;
}

const ENCODINGS = [ENCODING.zrle, ENCODING.copyRect, ENCODING.raw, ENCODING.lastRect];
const counts: ViewerCounts = { updates: 0, bytes: 0, pixels: 0 };
/** Sends bytes to the server, and runs after its next update. */
let send = (_bytes: Uint8Array<ArrayBuffer>) => {}, updated = () => {};

/** `key` is the keysym of a key to press; the reply is the time until the next update, in milliseconds. */
globalThis.onmessage = ({ data }: MessageEvent<{ port: number } | { key: number } | "counts">) => {
  if (data === "counts") self.postMessage(counts);
  else if ("port" in data) void view(data.port);
  else {
    const from = performance.now();
    updated = () => {
      updated = () => {};
      self.postMessage(performance.now() - from);
    };
    for (const down of [1, 0]) send(message([CLIENT_MESSAGE.key, down, 0, 0], longs(data.key)));
  }
};

/** Views a server that requires no authentication, until the connection ends. */
async function view(port: number): Promise<never> {
  const stream = new ByteStream(nodeModule("node:net").connect({ host: "127.0.0.1", port }));
  send = (bytes) => stream.write(bytes);
  const take = async (count: number) => {
    counts.bytes += count;
    return await stream.take(count);
  };
  await take(12);
  stream.write(new TextEncoder().encode("RFB 003.008\n"));
  await take((await take(1))[0]);
  stream.write(Uint8Array.of(1));
  await take(4);
  stream.write(Uint8Array.of(1));
  const head = await take(24), size = words(0, 0, uint16(head, 0), uint16(head, 2));
  await take(uint32(head, 20));
  stream.write(message([CLIENT_MESSAGE.setPixelFormat, 0, 0, 0], formatBytes(NATIVE)));
  stream.write(
    message([CLIENT_MESSAGE.setEncodings, 0], words(ENCODINGS.length), longs(...ENCODINGS)),
  );
  for (let isLater = 0;; isLater = 1) {
    stream.write(message([CLIENT_MESSAGE.updateRequest, isLater], size));
    await update(take);
    counts.updates++;
    updated();
  }
}

/** Reads one update and the messages before it. */
async function update(take: (count: number) => Promise<Uint8Array>): Promise<void> {
  let [type] = await take(1);
  for (; type !== SERVER_MESSAGE.update; [type] = await take(1)) {
    if (type === SERVER_MESSAGE.cutText) await take(uint32(await take(7), 3));
    else if (type !== SERVER_MESSAGE.bell) throw new Error(`a message of type ${type}`);
  }
  for (let left = uint16(await take(3), 1); left > 0; left--) {
    const rectangle = await take(12), pixels = uint16(rectangle, 4) * uint16(rectangle, 6);
    const encoding = int32(rectangle, 8);
    if (encoding === ENCODING.lastRect) return;
    if (encoding === ENCODING.zrle) await take(uint32(await take(4), 0));
    else await take(encoding === ENCODING.copyRect ? 4 : 4 * pixels);
    counts.pixels += pixels;
  }
}
