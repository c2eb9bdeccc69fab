/** The watch of a desktop's input while a trace is recorded, and waiting for the first picture. */

import type { ObservedAction, Watch } from "../desktop.ts";
import type { Operator } from "../operator.ts";

/**
 * Watches input.
 * @param take Receives observed input.
 * @param failed Receives the reason why input is not watched, or was not watched for a while.
 * @returns undefined if input cannot be watched.
 */
export async function watchInput(
  { desktop }: Operator,
  take: (batch: ObservedAction[]) => void,
  failed: (why: string) => void,
): Promise<Watch | undefined> {
  try {
    return await desktop.observer.watch({ actions: take, problem: (_, message) => failed(message) });
  } catch (error) {
    failed((error as Error).message);
    return undefined;
  }
}

/** A promise that resolves by itself after a time in milliseconds. */
export function firstWithin(ms: number): { promise: Promise<void>; resolve: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>(), timer = setTimeout(resolve, ms);
  return {
    promise,
    resolve: () => {
      clearTimeout(timer);
      resolve();
    },
  };
}
