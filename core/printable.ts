/** Text of strangers (names, paths, headers) made safe to show on a terminal or in a log line. */

/** Control, format, surrogate and line-separating characters: what moves a cursor, hides or reorders text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Replaces what a terminal would act on by a visible escape such as `\u{1b}`, and cuts what is too long.
 * @param text Any text.
 * @param limit Characters (UTF-16 units) to keep; what is cut shows as `…`.
 * @returns One line of printable text.
 */
export function printable(text: string, limit = 2000): string {
  const cut = text.length > limit ? text.slice(0, limit) + "…" : text;
  return cut.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
