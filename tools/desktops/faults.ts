/** Errors with which a trial ends. */

import type { Part } from "./cell.ts";

/** deskhand refused; the message is its own. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

/** deskhand responded ok, but different input arrived; the message contains it. */
export class SilentError extends Error {
  override name = "SilentError";
}

/**
 * Tries a part of a cell, and returns the outcome. Other errors are faults of this tool: the part then counts
 * as not run.
 * @param name The part's name.
 */
export async function tried(name: string, act: () => unknown): Promise<Part> {
  try {
    await act();
    return { name, outcome: "delivered" };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof RefusedError) return { name, outcome: "refused", why };
    if (error instanceof SilentError) return { name, outcome: "silent", why };
    return { name, outcome: "not run", why };
  }
}

/** Tries parts of a cell one after the other. */
export async function triedInTurn(
  all: Iterable<readonly [name: string, act: () => unknown]>,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const [name, act] of all) parts.push(await tried(name, act));
  return parts;
}
