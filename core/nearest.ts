/** Finds the known name that a misspelt one was most likely meant to be. */

import { levenshteinDistance } from "@std/text/levenshtein-distance";

/**
 * Finds the nearest name by edit distance, or the only one that begins with what was typed.
 * @param typed The name as it was typed.
 * @param names The names that are known.
 * @returns undefined if none is near. A name of 3 or 4 characters may differ in one, of 5 to 7 in two, and so on;
 *   two letters that changed places count as two.
 * @example
 * nearest("htpp", ["http", "files"]); // "http"
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const begun = typed.length > 1 ? names.filter((name) => name.startsWith(typed)) : [];
  if (begun.length === 1) return begun[0];
  let best: string | undefined, least = Infinity;
  for (const name of names) {
    const distance = levenshteinDistance(typed, name);
    const length = Math.max(typed.length, name.length);
    if (distance < least && length > 2 && distance <= (length + 1) / 3) [best, least] = [name, distance];
  }
  return best;
}
