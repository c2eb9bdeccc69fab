/** The comparison of a text read from the screen with the wanted text. */

/** Characters whose shapes are alike: engines mistake one for the other. */
const ALIKE = [
  "0oOQDОоО°",
  "1lLiI|!íìîïіІ",
  "5sSЅѕ",
  "2zZ",
  "8bBß",
  "9gGq",
  "vVuUµ",
  "cC(сС",
  "-–—_",
  ".,:;·…",
  "\"'`´’‘“”",
  "aаА",
  "eеЕ",
  "pрР",
  "xхХ×",
  "kкК",
  "tтТ",
  "mмМ",
  "hнН",
  "yуУ",
];
const CLASSES = new Map(ALIKE.flatMap((set, number) => [...set].map((character) => [character, number])));

/** The cost of one change of a text, where a wrong letter costs 1. */
const COST = { alike: 0.3, mark: 0.3, swap: 0.6, other: 1 };

const MARK = /[\p{P}\p{S}]/u;

/**
 * A text as it is compared: without marks of letters, in lower case, and without spaces, which are the least certain
 * part of a reading.
 * @param keepsCase Keeps case and marks.
 * @example
 * folded("Größe ändern"); // "grosseandern"
 */
export function folded(text: string, keepsCase = false): string {
  const plain = text.normalize("NFKD").replace(/\s+/gu, "");
  if (keepsCase) return plain.normalize("NFC");
  return plain.replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
}

/**
 * The agreement of two folded texts, from 0 to 1 in 4 digits: 1 minus the cost of changing one into the other,
 * divided by the length of the longer text.
 * @param least Agreements below this number are returned as 0, which is faster.
 * @example
 * agreement("save", "saved"); // 0.8
 */
export function agreement(wanted: string, read: string, least = 0): number {
  if (wanted === read) return wanted === "" ? 0 : 1;
  const longer = Math.max(wanted.length, read.length), bound = (1 - least) * longer + 1e-6;
  const difference = Math.abs(wanted.length - read.length) * Math.min(COST.mark, COST.other);
  if (!wanted || !read || difference > bound) return 0;
  const cost = changes(wanted, read, bound);
  return cost > bound ? 0 : Math.floor(Math.max(0, 1 - cost / longer) * 10_000 + 1e-6) / 10_000;
}

/** The least cost of the changes (optimal string alignment); if the cost exceeds `bound`, any larger number. */
function changes(a: string, b: string, bound: number): number {
  let last: number[] = [], before = [0];
  for (let j = 1; j <= b.length; j++) before[j] = before[j - 1] + lossOf(b[j - 1]);
  for (let i = 1; i <= a.length; i++) {
    const row = [before[0] + lossOf(a[i - 1])];
    let least = row[0];
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(
        before[j] + lossOf(a[i - 1]),
        row[j - 1] + lossOf(b[j - 1]),
        before[j - 1] + replacement(a[i - 1], b[j - 1]),
      );
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, last[j - 2] + COST.swap);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    if (least > bound) return Infinity;
    [last, before] = [before, row];
  }
  return before[b.length];
}

/** The cost of an additional character, or of a missing one. */
function lossOf(character: string): number {
  return MARK.test(character) ? COST.mark : COST.other;
}

/** The cost of one character in place of another. Case matters if the texts were folded with their case. */
function replacement(a: string, b: string): number {
  if (a === b) return 0;
  const alike = CLASSES.get(a);
  return alike !== undefined && alike === CLASSES.get(b) && a.toLowerCase() !== b.toLowerCase()
    ? COST.alike
    : COST.other;
}
