/** Reads the bodies of requests: clients may leave, close their sending half, or send nothing more. */

import { RequestError } from "../../http/request_error.ts";

/** The longest time without a byte, in milliseconds. */
const IDLE_MS = 60_000;

/**
 * Yields a body's bytes as they arrive.
 * @param length The bytes that the client announced; undefined if it did not.
 * @throws RequestError 499 if the client leaves before the body is whole, 408 if nothing comes for a minute.
 */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  length: number | undefined,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let at = 0, timer: ReturnType<typeof setTimeout> | undefined;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const expect = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () =>
        late.reject(new RequestError(408, "The upload sent nothing for a minute.", { connection: "close" })),
      IDLE_MS,
    );
  };
  const read = () =>
    reader.read().catch(() => {
      // The client has closed its sending half: Deno (2.9.6) fails the read that would tell the body's end.
      if (at === length) return { value: undefined, done: true as const };
      throw new RequestError(499, "The client disconnected before the upload was complete.");
    });
  try {
    for (;;) {
      expect();
      const { value, done } = await Promise.race([read(), late.promise]);
      if (done) return;
      at += value.length;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}
