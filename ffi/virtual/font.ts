/**
 * A pixel font of 3 by 5, enough to read what was typed into the virtual screen. A glyph is five octal digits,
 * one for each row from the top, with the highest bit on the left. Small letters look like capitals.
 */

const GLYPHS: Record<string, string> = {
  A: "25755",
  B: "65656",
  C: "34443",
  D: "65556",
  E: "74647",
  F: "74644",
  G: "34553",
  H: "55755",
  I: "72227",
  J: "11152",
  K: "55655",
  L: "44447",
  M: "57755",
  N: "65555",
  O: "25552",
  P: "65644",
  Q: "25573",
  R: "65655",
  S: "34216",
  T: "72222",
  U: "55557",
  V: "55552",
  W: "55775",
  X: "55255",
  Y: "55222",
  Z: "71247",
  0: "75557",
  1: "26227",
  2: "61247",
  3: "61216",
  4: "55711",
  5: "74616",
  6: "34652",
  7: "71222",
  8: "25252",
  9: "25316",
  " ": "00000",
  ".": "00002",
  ",": "00024",
  ":": "02020",
  ";": "02024",
  "!": "22202",
  "?": "61202",
  "'": "22000",
  '"': "55000",
  "-": "00700",
  "+": "02720",
  "=": "07070",
  "/": "11244",
  "\\": "44211",
  "(": "12221",
  ")": "42224",
  "[": "64446",
  "]": "31113",
  "{": "32623",
  "}": "62326",
  "<": "12421",
  ">": "42124",
  _: "00007",
  "#": "57575",
  $: "36263",
  "%": "51245",
  "&": "24253",
  "@": "25543",
  "*": "05250",
  "^": "25000",
  "`": "42000",
  "|": "22222",
  "~": "03600",
};

/** Width and height of a glyph in its own pixels, without the gap to the next. */
export const GLYPH_SIZE = { width: 3, height: 5 } as const;

/**
 * The rows of a character's glyph, from the top, each a number of 3 bits.
 * @returns undefined for a character that the font lacks.
 */
export function glyphRows(character: string): number[] | undefined {
  const glyph = GLYPHS[character.toUpperCase()];
  return glyph === undefined ? undefined : [...glyph].map(Number);
}
