/** Errors that a trial ends with. */

import type { Part } from "./cell.ts";

/** deskhand refused: the message is its sentence. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

/** deskhand answered ok, and it did not arrive: the message says what did. */
export class SilentError extends Error {
  override name = "SilentError";
}

/**
 * Tries something and says what came of it. Errors of other kinds are the bench's own: then it was not run.
 * @param name For the part.
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
