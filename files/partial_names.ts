/** Names of uploads that are not whole yet. They are neither listed nor served. */

/** The beginning of the names of partial uploads. */
export const PARTIAL_PREFIX = ".deskhand-upload-";

/** Tells whether a path, with a separator before each name, leads to a partial upload or below one. */
export function isPartial(path: string): boolean {
  return path.includes(`/${PARTIAL_PREFIX}`) || path.includes(`\\${PARTIAL_PREFIX}`);
}
