/** Text from outside (names, paths, headers, values) made safe to show on a terminal or in a log line. */

/**
 * Control, format, surrogate and line-separating characters: they move a cursor, hide or reorder text. Joiners (U+200C,
 * U+200D) do not: Persian words and many emoji are written with them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}](?<![\u200c\u200d])/gu;
/** The longest value that {@linkcode describeValue} shows whole, in UTF-16 code units. */
const VALUE_LIMIT = 40;

/**
 * Replaces characters that a terminal would act on by a visible escape such as `\u{1b}`, and cuts long text.
 *
 * @param text Any text.
 * @param limit UTF-16 code units to keep; `…` marks a cut.
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

/** Does the same as {@linkcode printable} for text of several lines, which stay lines. Nothing is cut. */
export function printableLines(text: string): string {
  return text.split("\n").map((line) => printable(line, Infinity)).join("\n");
}

/**
 * Makes JSON text printable without a change of what it means.
 *
 * @param json JSON text. Line feeds are kept, since they can only stand between values.
 * @returns The same with escapes such as `\u202e` in its strings.
 * @example
 * ```ts
 * printableJson(JSON.stringify("\u009b31m")); // '"\\u009b31m"'
 * ```
 */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) => character === "\n" ? character : escaped(character));
}

/** An escape of RFC 8259 section 7: one for each UTF-16 code unit. */
function escaped(character: string): string {
  return character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

/**
 * Describes a JSON value for a message: short, on one line, and never complete if the value is long.
 *
 * @param value The value from JSON; undefined for a field that is missing.
 * @example
 * describeValue({ a: 1 }); // "an object"
 */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  const json = JSON.stringify(value) ?? "missing";
  return printableJson(json.length > VALUE_LIMIT ? json.slice(0, VALUE_LIMIT) + "…" : json);
}
