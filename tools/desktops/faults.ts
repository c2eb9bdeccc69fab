/** Errors that a trial ends with. */

import type { Part } from "./cell.ts";

/** deskhand refused: the message is its sentence. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

/** deskhand answered ok, but the input did not arrive as it was sent: the message has the input that arrived. */
export class SilentError extends Error {
  override name = "SilentError";
}

/**
 * Tries a part of a cell, and returns the outcome. Errors of other kinds are faults of this tool: the part then counts
 * as not run.
 * @param name The name of the part.
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
