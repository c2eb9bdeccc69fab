/** Finds the known name that is most similar to a misspelt name. */

import { levenshteinDistance } from "@std/text/levenshtein-distance";

/**
 * Finds the nearest name by edit distance, or the only name that begins with the typed text.
 * @param typed The name as it was typed.
 * @param names The names that are known.
 * @returns undefined if no name is near. A name of 3 or 4 characters may differ in one character, a name of 5 to 7 in
 * two, and so on; two swapped neighbours count as one difference.
 * @example
 * nearest("htpp", ["http", "files"]); // "http"
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const begun = typed.length > 1 ? names.filter((name) => name.startsWith(typed)) : [];
  if (begun.length === 1) return begun[0];
  let best: string | undefined, least = Infinity;
  for (const name of names) {
    const distance = distanceOf(typed, name);
    const length = Math.max(typed.length, name.length);
    if (distance < least && length > 2 && distance <= (length + 1) / 3) [best, least] = [name, distance];
  }
  return best;
}

/** The edit distance, in which two swapped neighbouring letters count as one edit. */
function distanceOf(typed: string, name: string): number {
  const at = Array.from(typed).findIndex((letter, index) => letter !== name[index]);
  const swapped = typed.slice(0, at) + typed[at + 1] + typed[at] + typed.slice(at + 2);
  return at >= 0 && swapped === name ? 1 : levenshteinDistance(typed, name);
}
