/** Places of a text in lines that were read. */

import { intersection, type Region, united } from "../desktop/geometry.ts";
import type { Word } from "./grey.ts";

// The comparison of a text read from the screen with the wanted text.

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

/** The cost of one character instead of another. Case matters if the texts were folded with their case. */
function replacement(a: string, b: string): number {
  if (a === b) return 0;
  const alike = CLASSES.get(a);
  return alike !== undefined && alike === CLASSES.get(b) && a.toLowerCase() !== b.toLowerCase()
    ? COST.alike
    : COST.other;
}

/** A text that is looked for. */
export interface Wanted {
  text: string;
  /** The least agreement, 0.5 to 1, as {@linkcode agreement} counts it. */
  match: number;
  /** Whether case counts. */
  keepsCase: boolean;
}

/** Sources of a text: the element that shows it, as its program reports, or the letters on the screen. */
const SOURCES = ["element", "screen"] as const;
/** One of {@linkcode SOURCES}. */
export type Source = typeof SOURCES[number];

/** A place of a text. */
export interface Span extends Region {
  source: Source;
  /** The text as the engine read it. */
  text: string;
  /** The agreement of the text with the wanted text. */
  match: number;
  /** Whether the text stands by itself, apart from other words of its line. */
  isAlone: boolean;
  /** The line that the text is a part of; left out for elements. */
  line?: string;
}

/** The least agreement where the caller does not say: it allows letters alike in shape, and no wrong one of up to 9. */
export const USUAL_MATCH = 0.9;
/** Words of a place at most. */
const LONGEST = 24;
/** Words are of one text if the gap between them is at most this share of their line's height. */
const SPACE = 1;
/** The number of reported places below the wanted agreement. */
const NEAREST = 3;
/** The least agreement that a caller can ask for, and the least agreement of a text in `nearest`. */
export const LEAST_TEXT_MATCH = 0.5;

/** Scripts that have no spaces between words. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The parts of a line that stand apart, such as the labels of buttons in a row. */
export function partsOf(line: readonly Word[]): Word[][] {
  const parts: Word[][] = [], space = SPACE * Math.max(...line.map(({ height }) => height));
  line.forEach((word, i) => {
    if (isApart(line[i - 1], word, space)) parts.push([]);
    parts.at(-1)!.push(word);
  });
  return parts;
}

/** A text in a line, as words of a reader write it. */
export function lineText(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** The places of a text, the best first. */
interface Places<S extends Span = Span> {
  /** All places whose text matches well enough. */
  found: S[];
  /** The places that match best, if none matches well enough. */
  nearest: S[];
}

/** Finds the places of a text in lines. */
export function placesOf(lines: Iterable<readonly Word[]>, wanted: Wanted): Places {
  const target = folded(wanted.text, wanted.keepsCase), spans: Span[] = [];
  for (const line of lines) spans.push(...spansOf(line, target, wanted.keepsCase));
  return chosen(spans, wanted);
}

/**
 * Chooses among places.
 * @returns Places that overlap no better place. Among equals, texts that stand alone come before parts of a
 * line, elements before letters, and then reading order decides.
 */
export function chosen<S extends Span>(spans: readonly S[], { match }: Pick<Wanted, "match">): Places<S> {
  const kept: S[] = [];
  for (const span of spans.toSorted(better)) {
    if (!kept.some((other) => intersection(span, other))) kept.push(span);
  }
  const found = kept.filter((span) => span.match >= match);
  return { found, nearest: found.length ? [] : kept.slice(0, NEAREST) };
}

/** Whether two places agree alike with the text, so that it is unclear which one the caller means. */
export function areAlike(a: Span, b: Span): boolean {
  return a.match === b.match && a.isAlone === b.isAlone;
}

function better(a: Span, b: Span): number {
  return b.match - a.match || Number(b.isAlone) - Number(a.isAlone) ||
    SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source) || inOrder(a, b);
}

/** Reading order: of two that share most of their rows the left one first. */
export function inOrder(a: Region, b: Region): number {
  const shared = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return shared > Math.min(a.height, b.height) / 2 ? a.x - b.x : a.y - b.y;
}

/**
 * Parts of a line that may be the wanted text: consecutive words, or consecutive characters in a script without
 * words.
 */
function* spansOf(line: readonly Word[], target: string, keepsCase: boolean): Generator<Span> {
  const units = line.flatMap(unitsOf), texts = units.map(({ text }) => folded(text, keepsCase));
  const longest = target.length / LEAST_TEXT_MATCH;
  const space = SPACE * Math.max(...line.map(({ height }) => height));
  for (let first = 0; first < units.length; first++) {
    let text = "";
    for (let last = first; last < Math.min(units.length, first + LONGEST); last++) {
      text += texts[last];
      if (text.length > longest) break;
      if (text.length < target.length * LEAST_TEXT_MATCH) continue;
      const match = agreement(target, text, LEAST_TEXT_MATCH);
      if (match === 0) continue;
      const isAlone = isApart(units[first - 1], units[first], space) &&
        isApart(units[last], units[last + 1], space);
      const part = units.slice(first, last + 1);
      const { x, y, width, height } = part.reduce<Region | undefined>(united, undefined)!;
      yield {
        x,
        y,
        width,
        height,
        source: "screen",
        text: written(part),
        match,
        isAlone,
        line: lineText(line),
      };
    }
  }
}

/** The characters of a word whose script has no spaces, and otherwise the word. */
function unitsOf(word: Word): (Word & { isGlued?: boolean })[] {
  const characters = [...word.text];
  if (characters.length === 1 || !SPACELESS.test(word.text)) return [word];
  const width = word.width / characters.length;
  return characters.map((text, i) => ({
    text,
    x: Math.floor(word.x + i * width),
    y: word.y,
    width: Math.ceil(width),
    height: word.height,
    isGlued: i > 0,
  }));
}

function written(units: readonly (Word & { isGlued?: boolean })[]): string {
  return units.map(({ text, isGlued }, i) => i > 0 && !isGlued ? ` ${text}` : text).join("");
}

/** Whether two words that follow each other are of different texts, such as labels of buttons. */
function isApart(one: Region | undefined, next: Region | undefined, space: number): boolean {
  return !one || !next || next.x - one.x - one.width > space;
}
