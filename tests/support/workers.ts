/**
 * Counts the Workers that code starts on this thread: the thread waits for each start, and serves no request during that time.
 */
export async function workersStarted(code: () => Promise<unknown>): Promise<number> {
  const original = globalThis.Worker;
  let count = 0;
  globalThis.Worker = class extends original {
    constructor(...args: ConstructorParameters<typeof original>) {
      super(...args);
      count++;
    }
  };
  try {
    await code();
  } finally {
    globalThis.Worker = original;
  }
  return count;
}
