/** A growing file as a stream: its present content, then all later bytes, until the writing ends. */

/** Bytes that are read at once. */
const PIECE = 256 * 1024;

/**
 * Reads a file.
 * @param isGrowing Tells whether more may come.
 * @param next Resolves when more may be there, or its signal is aborted.
 * @param signal Ends the reading.
 * @throws The errors of Deno if it cannot be opened.
 */
export function growingFile(
  path: string,
  isGrowing: () => boolean,
  next: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const file = Deno.openSync(path), leaving = new AbortController();
  const ends = AbortSignal.any([signal, leaving.signal]);
  let isClosed = false;
  const close = () => {
    if (!isClosed) file.close();
    isClosed = true;
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = new Uint8Array(PIECE);
      for (;;) {
        if (ends.aborted) break;
        const wasGrowing = isGrowing(); // asked before reading, so that bytes written before the end are still read
        const count = await file.read(piece).catch(() => null);
        if (count) return controller.enqueue(piece.subarray(0, count));
        if (!wasGrowing) break;
        if (isGrowing()) await next(ends);
      }
      close();
      controller.close();
    },
    cancel() {
      leaving.abort();
      close();
    },
  }, { highWaterMark: 1 });
}
