/** Text broken at the width of a terminal. */

/** The gap between two columns. */
const GAP = "  ";
/** The largest width of a first column; wider text stands on a line of its own. */
const WIDEST_LEFT = 30;
/**
 * The smallest width of a second column that is easy to read; below this width, second columns begin on the next
 * line.
 */
const NARROWEST_RIGHT = 24;

/**
 * Fills lines with words.
 * @param width Characters in a line; a longer word has a line of its own.
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
 * Sets rows in two columns.
 * @param rows The words of the first column and the text of the second.
 * @param width Characters in a line: longer text of the second column continues below its beginning. If left out, no
 * line is broken.
 */
export function inColumns(
  rows: readonly (readonly [left: string, right: string])[],
  width?: number,
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
      ? [left, ...lines]
      : [left.padEnd(indent) + (lines[0] ?? ""), ...lines.slice(1)];
    return [first.trimEnd(), ...rest.map((line) => " ".repeat(indent) + line)];
  });
}
