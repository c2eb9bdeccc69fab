/** Contents of members as an archive has them: unchanged, or in blocks with a head each. */

import type { Bytes } from "../../core/bytes.ts";

/** A form of contents whose length, and the place of each byte, follow from the length of the file. */
export interface ContentForm {
  /** The length in the archive of a content of `size` bytes. */
  lengthOf(size: number): number;
  /** The number of the file's bytes that stand before a place in the content's form. */
  bytesBefore(place: number, size: number): number;
  /**
   * Writes a part of the form.
   * @param place Where the part begins.
   * @param into The part.
   * @param content The file's bytes that stand in the part.
   */
  write(place: number, into: Bytes, content: Bytes, size: number): void;
}

/** Contents as they are. */
export const PLAIN: ContentForm = {
  lengthOf: (size) => size,
  bytesBefore: (place, size) => Math.min(Math.max(place, 0), size),
  write: (_place, into, content) => into.set(content),
};

/** The bytes of a stored block of deflate, and of its head (RFC 1951 section 3.2.4). */
const BLOCK = 65_535, HEAD = 5;

/**
 * Contents as deflate's stored blocks: as long as stored contents but for the heads, and with an end that readers of
 * streams find, which know no length before the content.
 */
export const STORED_BLOCKS: ContentForm = {
  lengthOf: (size) => size + HEAD * Math.ceil(size / BLOCK),
  bytesBefore(place, size) {
    const block = Math.floor(place / (BLOCK + HEAD)), inside = place - block * (BLOCK + HEAD);
    return Math.min(Math.max(block * BLOCK + Math.max(inside - HEAD, 0), 0), size);
  },
  write(place, into, content, size) {
    let at = 0, read = 0;
    while (at < into.length) {
      const block = Math.floor((place + at) / (BLOCK + HEAD)), inside = place + at - block * (BLOCK + HEAD);
      const length = Math.min(BLOCK, size - block * BLOCK);
      if (inside < HEAD) {
        const head = blockHead(length, (block + 1) * BLOCK >= size).subarray(inside);
        into.set(head.subarray(0, into.length - at), at);
        at += head.length;
      } else {
        const part = content.subarray(read, read + Math.min(length - (inside - HEAD), into.length - at));
        into.set(part, at);
        at += part.length;
        read += part.length;
      }
    }
  },
};

function blockHead(length: number, isLast: boolean): Bytes {
  const not = ~length & 0xffff;
  return Uint8Array.of(isLast ? 1 : 0, length & 0xff, length >> 8, not & 0xff, not >> 8);
}
