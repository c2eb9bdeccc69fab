/** Waiting for what comes about by itself, as long as a busy machine may take for it. */

const PATIENCE_MS = 60_000;

/**
 * Asks again and again until the answer fits.
 * @param get Asks.
 * @returns The answer that fits.
 * @throws Error with the last answer if none fits in time; what `get` throws.
 */
export async function until<T>(
  get: () => T | Promise<T>,
  fits: (value: T) => boolean = Boolean,
): Promise<T> {
  for (const start = Date.now();; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const value = await get();
    if (fits(value)) return value;
    if (Date.now() - start > PATIENCE_MS) throw new Error(`it stayed ${Deno.inspect(value).slice(-2000)}`);
  }
}
