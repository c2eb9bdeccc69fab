/** Bodies that are sent without being copied. */

/** The longest body that is copied, in bytes: smaller ones are copied faster than they are streamed. */
const COPIED_LIMIT = 64 * 1024;
/** Bytes of a chunk. */
const CHUNK = 1024 * 1024;

/**
 * Makes a body of bytes that do not change until they are sent. A Response copies its array, which takes 5 ms for 8 MB;
 * the chunks of a stream are sent without a copy.
 * @returns The body. Its response needs a Content-Length, because a stream has none.
 */
export function zeroCopyBody(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length < COPIED_LIMIT) return bytes;
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += CHUNK) controller.enqueue(bytes.subarray(at, at + CHUNK));
      controller.close();
    },
  });
}
