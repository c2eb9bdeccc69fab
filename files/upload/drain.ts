/** Reads what a client still sends of an upload that was refused. */

/** The most bytes that are read, and the longest time, in milliseconds. */
const BYTES = 256 * 1024 * 1024, MS = 30_000;

/**
 * Reads the rest of a request's body beside the answer. Over HTTP/2 curl (7.88) fails without the answer's status if the
 * server ends the stream while curl sends. Never rejects.
 */
export async function drain({ body, bodyUsed }: Request): Promise<void> {
  if (!body || bodyUsed || body.locked) return;
  const reader = body.getReader(), timer = setTimeout(() => reader.cancel().catch(() => {}), MS);
  try {
    for (let bytes = 0; bytes < BYTES;) {
      const { value, done } = await reader.read();
      if (done) return;
      bytes += value.length;
    }
    await reader.cancel();
  } catch {
    // The client has left.
  } finally {
    clearTimeout(timer);
  }
}
