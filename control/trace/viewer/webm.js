/** A film as a file: WebM (Matroska, RFC 9559) of one track, a cluster for each key frame. Pure. */

/** The longest cluster, in milliseconds: a block's time is a signed number of 16 bits. */
const LONGEST = 30_000;

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
export function webm(chunks, { width, height }, duration) {
  const clusters = [];
  for (let i = 0; i < chunks.length;) {
    const start = chunks[i].t, blocks = [];
    do {
      const { t, key, data } = chunks[i++], head = new Uint8Array(4);
      head[0] = 0x81;
      new DataView(head.buffer).setInt16(1, t - start);
      head[3] = key ? 0x80 : 0;
      blocks.push(element("a3", head, data));
    } while (i < chunks.length && !chunks[i].key && chunks[i].t - start < LONGEST);
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
