/** Numbers in words, read as C's functions read them: a word that is no number is 0. */

/** strtol(3) with base 0: decimal, `0x` and octal. */
export function longOf(text: string): number {
  const [, sign, digits = ""] = /^\s*([+-]?)(0[xX][0-9a-fA-F]+|\d+)/.exec(text) ?? [];
  const isOctal = /^0\d/.test(digits), octal = /^[0-7]*/.exec(digits)![0];
  const value = isOctal ? parseInt(octal, 8) : Number(digits || 0);
  return sign === "-" ? -value : value;
}

/** atoi(3). */
export function intOf(text: string): number {
  return Number(/^\s*([+-]?\d+)/.exec(text)?.[1] ?? 0) | 0;
}

/** Reads a number as atof(3) does, except hexadecimal numbers. */
export function floatOf(text: string): number {
  return parseFloat(text) || 0;
}

/** strtoul(3) of milliseconds, as microseconds of an unsigned int. */
export function microsecondsOf(text: string): number {
  return (longOf(text) * 1000) >>> 0;
}
