/** A film of the trace, made by the browser's own encoder. */

import { webm } from "./webm.js";

/**
 * The time between frames, the longest time without a frame, and the frames from one key frame to the next; in
 * milliseconds.
 */
const STEP = 100, LONGEST = 5000, KEY = 100;
/** Bits a second. */
const BITRATE = 2_000_000;
/** Frames that may wait for the encoder. */
const WAITING = 8;

/** Tells whether this browser can make films. */
export async function canFilm() {
  if (!("VideoEncoder" in globalThis)) return false;
  try {
    return (await VideoEncoder.isConfigSupported({ codec: "vp8", width: 640, height: 480 })).supported ===
      true;
  } catch {
    return false;
  }
}

/**
 * Makes a film of the whole trace; only frames that changed are in it.
 * @param {import("./screen.js").Screen} screen
 * @param {import("./store.js").Store} store
 * @param {(share: number) => void} onProgress
 * @returns {Promise<Blob>}
 */
export async function film(screen, store, onProgress) {
  const { canvas } = screen, first = store.frames.find(({ key }) => key)?.t ?? store.start;
  await screen.show(first);
  const size = { width: canvas.width & ~1, height: canvas.height & ~1 };
  /** @type {import("./webm.js").Chunk[]} */ const chunks = [];
  /** @type {unknown} */ let failure;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      chunks.push({ t: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", data });
    },
    error: (error) => failure = error,
  });
  encoder.configure({ codec: "vp8", ...size, bitrate: BITRATE, framerate: 1000 / STEP });
  const shot = new OffscreenCanvas(size.width, size.height), context = shot.getContext("2d");
  let last = -Infinity, count = 0;
  for (let t = first; t <= store.end; t += STEP) {
    const before = screen.shown;
    await screen.show(t);
    if (screen.shown === before && count && t - last < LONGEST) continue;
    context?.drawImage(canvas, 0, 0); // a larger screen is cut to the film's size
    const frame = new VideoFrame(shot, { timestamp: Math.round((t - first) * 1000) });
    encoder.encode(frame, { keyFrame: count++ % KEY === 0 });
    frame.close();
    last = t;
    onProgress((t - first) / Math.max(1, store.end - first));
    while (encoder.encodeQueueSize > WAITING) await new Promise((resolve) => setTimeout(resolve, 5));
    if (failure) throw failure;
  }
  await encoder.flush();
  return webm(chunks, size, store.end - first + STEP);
}
