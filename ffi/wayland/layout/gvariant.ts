/** Values of GSettings as text, as the `gsettings` program prints them (GVariant text format). Pure. */

/**
 * Reads a list of texts, or of groups of texts.
 * @param printed Such as `['a', "it's"]`, `@as []`, `[('xkb', 'us'), ('xkb', 'de')]`.
 * @returns The texts in their order.
 */
export function textsOf(printed: string): string[] {
  return Array.from(
    printed.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g),
    ([, single, double]) => (single ?? double).replace(/\\(.)/g, "$1"),
  );
}

/**
 * The place of the active layout in the keyboard map that GNOME loads. It loads up to three of the person's input
 * sources at a time, and the first one again behind them (`keyboard.js` of gnome-shell).
 * @param sources Printed `sources`: all input sources.
 * @param recent Printed `mru-sources`: those used last, the active one first.
 */
export function activeGroup(sources: string, recent: string): number {
  const all = pairs(textsOf(sources)), active = pairs(textsOf(recent))[0];
  return Math.max(0, all.indexOf(active)) % 3;
}

/** Each source as one text. */
function pairs(texts: readonly string[]): string[] {
  return Array.from({ length: texts.length / 2 }, (_, i) => `${texts[2 * i]}\n${texts[2 * i + 1]}`);
}
