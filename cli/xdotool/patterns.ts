/** Translates regular expressions of POSIX into those of JavaScript. */

/** Classes of characters (regex(7)). */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "\\p{L}\\p{N}",
  alpha: "\\p{L}",
  blank: " \\t",
  cntrl: "\\p{Cc}",
  digit: "0-9",
  graph: "\\p{L}\\p{N}\\p{P}\\p{S}",
  lower: "\\p{Ll}",
  print: "\\p{L}\\p{N}\\p{P}\\p{S} ",
  punct: "\\p{P}\\p{S}",
  space: "\\s",
  upper: "\\p{Lu}",
  xdigit: "0-9A-Fa-f",
};

/**
 * Makes a regular expression of an extended one of POSIX, in any case.
 * @returns undefined if the pattern is invalid.
 * @example
 * posixPattern("^[[:alpha:]]+$")?.test("Größe"); // true
 * posixPattern("(a"); // undefined
 */
export function posixPattern(text: string): RegExp | undefined {
  const plain = text.replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
  try {
    return new RegExp(plain, "iu");
  } catch {
    // POSIX allows a backslash before any character; JavaScript's Unicode mode refuses most of them.
  }
  try {
    return new RegExp(plain, "i");
  } catch {
    return undefined;
  }
}
