/** A film of the trace, made by the browser's own encoder. */

// A film as a file: WebM (Matroska, RFC 9559) of one track, a cluster for each key frame. Pure.

/** The longest cluster, in milliseconds: a block's time is a signed number of 16 bits. */
const LONGEST_CLUSTER = 30_000;

/** @typedef {{ t: number, key: boolean, data: Uint8Array<ArrayBuffer> }} Chunk */

/** @param {number} n */
function uint(n) {
  const bytes = [];
  do {
    bytes.unshift(n % 256);
    n = Math.floor(n / 256);
  } while (n);
  return new Uint8Array(bytes);
}

/** @param {number} n */
function float(n) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, n);
  return bytes;
}

const text = (/** @type {string} */ words) => new TextEncoder().encode(words);

/** An element with a length of 8 bytes. @param {string} id Hexadecimal. @param {Uint8Array[]} parts */
function element(id, ...parts) {
  const name = (id.match(/../g) ?? []).map((digits) => parseInt(digits, 16));
  const length = parts.reduce((sum, part) => sum + part.length, 0),
    out = new Uint8Array(name.length + 8 + length);
  out.set(name);
  const view = new DataView(out.buffer);
  view.setUint8(name.length, 1);
  view.setUint8(name.length + 3, Math.floor(length / 2 ** 32));
  view.setUint32(name.length + 4, length % 2 ** 32);
  let at = name.length + 8;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/**
 * Makes the file.
 * @param {Chunk[]} chunks VP8, times in milliseconds, the first a key frame.
 * @param {{ width: number, height: number }} size
 * @param {number} duration In milliseconds.
 * @returns {Blob}
 */
function webm(chunks, { width, height }, duration) {
  const clusters = [];
  for (let i = 0; i < chunks.length;) {
    const start = chunks[i].t, blocks = [];
    do {
      const { t, key, data } = chunks[i++], head = new Uint8Array(4);
      head[0] = 0x81;
      new DataView(head.buffer).setInt16(1, t - start);
      head[3] = key ? 0x80 : 0;
      blocks.push(element("a3", head, data));
    } while (i < chunks.length && !chunks[i].key && chunks[i].t - start < LONGEST_CLUSTER);
    clusters.push(element("1f43b675", element("e7", uint(start)), ...blocks));
  }
  const info = element(
    "1549a966",
    element("2ad7b1", uint(1_000_000)),
    element("4489", float(duration)),
    element("4d80", text("deskhand")),
    element("5741", text("deskhand")),
  );
  const video = element("e0", element("b0", uint(width)), element("ba", uint(height)));
  const track = element(
    "ae",
    element("d7", uint(1)),
    element("73c5", uint(1)),
    element("83", uint(1)),
    element("86", text("V_VP8")),
    video,
  );
  const versions = element(
    "1a45dfa3",
    element("4286", uint(1)),
    element("42f7", uint(1)),
    element("42f2", uint(4)),
    element("42f3", uint(8)),
    element("4282", text("webm")),
    element("4287", uint(4)),
    element("4285", uint(2)),
  );
  return new Blob([versions, element("18538067", info, element("1654ae6b", track), ...clusters)], {
    type: "video/webm",
  });
}

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
 * @param {import("./screen.js").Store} store
 * @param {(share: number) => void} onProgress
 * @returns {Promise<Blob>}
 */
export async function film(screen, store, onProgress) {
  const { canvas } = screen, first = store.frames.find(({ key }) => key)?.t ?? store.start;
  await screen.show(first);
  const size = { width: canvas.width & ~1, height: canvas.height & ~1 };
  /** @type {Chunk[]} */ const chunks = [];
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
