/** Names of uploads that are not whole yet. They are neither listed nor served. */

/** The beginning of the names of partial uploads. */
export const PARTIAL_PREFIX = ".deskhand-upload-";

/** Tells whether a path, with a separator before each name, leads to such a file or to something below such a name. */
export function isPartial(path: string): boolean {
  return path.includes(`/${PARTIAL_PREFIX}`) || path.includes(`\\${PARTIAL_PREFIX}`);
}
