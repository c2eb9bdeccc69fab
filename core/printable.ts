/** Makes text from outside (names, paths, headers, values) safe to show on a terminal or in a log line. */

import { levenshteinDistance } from "@std/text/levenshtein-distance";

/**
 * Control, format, surrogate and line-separating characters, which move the cursor, hide or reorder text.
 * Joiners (U+200C, U+200D) do not, and are needed for Persian words and many emoji.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}](?<![\u200c\u200d])/gu;
/** Maximum length of a value that {@linkcode describeValue} shows whole, in UTF-16 code units. */
const VALUE_LIMIT = 40;

/**
 * Replaces characters that a terminal would act on with a visible escape such as `\u{1b}`, and truncates
 * long text.
 *
 * @param text Any text.
 * @param limit Maximum number of UTF-16 code units; `…` marks a cut.
 * @returns One line of printable text.
 * @example
 * ```ts
 * printable("\u202egnp.exe"); // "\\u{202e}gnp.exe"
 * ```
 */
export function printable(text: string, limit = 2000): string {
  const cut = text.length > limit ? text.slice(0, limit) + "…" : text;
  return cut.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/**
 * A count with its noun.
 * @param noun The singular noun, whose plural ends in `s`.
 * @example
 * counted(1, "event"); // "1 event"
 */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Does the same as {@linkcode printable} for several lines, preserving line breaks, without truncation. */
export function printableLines(text: string): string {
  return text.split("\n").map((line) => printable(line, Infinity)).join("\n");
}

/** Sequences that the program itself prints: white on black for QR codes, and the reset (xterm). */
export const WHITE_ON_BLACK = "\x1b[38;5;231;48;5;16m", COLORS_END = "\x1b[0m";

/** Styles of the program's own text (ECMA-48: SGR): headings, names to type, links, and secondary text. */
export const STYLES = { bold: "\x1b[1m", name: "\x1b[36m", link: "\x1b[4m", dim: "\x1b[2m" } as const;

/** Sequences that remain in terminal text. */
const KEPT = [WHITE_ON_BLACK, ...Object.values(STYLES), COLORS_END, "\t"];

/**
 * Makes text for a terminal printable, line by line; tabs and the program's own styles remain, and styles end
 * with the text.
 * @example
 * ```ts
 * terminalText("a\tb\n\u009b2J"); // "a\tb\n\\u{9b}2J"
 * ```
 */
export function terminalText(text: string): string {
  const shown = KEPT.reduceRight(
    (print: (text: string) => string, kept) => (text) => text.split(kept).map(print).join(kept),
    printableLines,
  )(text);
  // The text may come from others, such as a window title.
  return shown.lastIndexOf("\x1b") > shown.lastIndexOf(COLORS_END) ? shown + COLORS_END : shown;
}

/**
 * Makes JSON text printable without changing its meaning.
 *
 * @param json JSON text. Line feeds remain, because they can only occur between values.
 * @returns The same JSON, with escapes such as `\u202e` in its strings.
 * @example
 * ```ts
 * printableJson(JSON.stringify("\u009b31m")); // '"\\u009b31m"'
 * ```
 */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) => character === "\n" ? character : escaped(character));
}

/** An escape sequence (RFC 8259 section 7) for each UTF-16 code unit. */
function escaped(character: string): string {
  return character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

/**
 * Describes a JSON value for a message: short, on one line, and never complete if the value is long.
 *
 * @param value The JSON value; undefined for a missing field.
 * @example
 * describeValue({ a: 1 }); // "an object"
 */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  // JSON can write a number that is too large for JavaScript, such as 1e400, but no infinity.
  const json = typeof value === "number" ? String(value) : JSON.stringify(value) ?? "missing";
  return printableJson(json.length > VALUE_LIMIT ? json.slice(0, VALUE_LIMIT) + "…" : json);
}

// Finds the known name most similar to a misspelt one.

/**
 * Finds the nearest name by edit distance, or the only name that begins with the typed text.
 * @param typed The name as typed.
 * @param names The known names.
 * @returns undefined if no name is near. A name of 3 or 4 characters may differ by one edit, a name of 5 to 7
 * by two, and so on; swapping two neighbouring characters counts as one edit.
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

/** The edit distance, in which swapping two neighbouring letters counts as one edit. */
function distanceOf(typed: string, name: string): number {
  const at = Array.from(typed).findIndex((letter, index) => letter !== name[index]);
  const swapped = typed.slice(0, at) + typed[at + 1] + typed[at] + typed.slice(at + 2);
  return at >= 0 && swapped === name ? 1 : levenshteinDistance(typed, name);
}

// Text wrapped to the width of a terminal.

/** The gap between two columns. */
const GAP = "  ";
/** Maximum width of a first column; wider text gets its own line. */
const WIDEST_LEFT = 30;
/**
 * Minimum width of a readable second column; if it would be narrower, second columns begin on the next line.
 */
const NARROWEST_RIGHT = 24;

/**
 * Fills lines with words.
 * @param width Characters per line; a longer word gets its own line.
 * @example
 * fillLines(["one", "two", "three"], 8); // ["one two", "three"]
 */
export function fillLines(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/**
 * Lays out rows in two columns.
 * @param rows The words of the first column and the text of the second.
 * @param width Characters per line: longer text in the second column continues below its beginning. If
 * omitted, lines are not wrapped.
 * @param style Adds terminal sequences to the words of the first column, after the columns are measured.
 */
export function inColumns(
  rows: readonly (readonly [left: string, right: string])[],
  width?: number,
  style = (left: string) => left,
): string[] {
  const lengths = rows.map(([left]) => left.length);
  const widest = Math.max(
    ...width === undefined ? lengths : lengths.filter((length) => length <= WIDEST_LEFT),
    0,
  );
  const indent = width !== undefined && width - widest - GAP.length < NARROWEST_RIGHT
    ? 4
    : widest + GAP.length;
  return rows.flatMap(([left, right]) => {
    const lines = width === undefined ? [right] : fillLines(right.split(" "), width - indent);
    const isApart = left.length + GAP.length > indent;
    const [first, ...rest] = isApart
      ? [style(left), ...lines]
      : [style(left) + " ".repeat(indent - left.length) + (lines[0] ?? ""), ...lines.slice(1)];
    return [first.trimEnd(), ...rest.map((line) => " ".repeat(indent) + line)];
  });
}
