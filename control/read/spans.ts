/** Places of a text in recognized lines. */

import { intersection, type Region, united } from "../desktop/geometry.ts";
import type { Word } from "./grey.ts";

// Compares a text read from the screen with the wanted text.

/** Characters with similar shapes, which engines confuse. */
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

/** The cost of one edit, where a wrong letter costs 1. */
const COST = { alike: 0.3, mark: 0.3, swap: 0.6, other: 1 };

const MARK = /[\p{P}\p{S}]/u;

/**
 * A text in comparable form: without diacritics, in lower case, and without spaces, which are the least
 * certain part of a reading.
 * @param keepsCase Preserves case and diacritics.
 * @example
 * folded("Größe ändern"); // "grosseandern"
 */
export function folded(text: string, keepsCase = false): string {
  const plain = text.normalize("NFKD").replace(/\s+/gu, "");
  if (keepsCase) return plain.normalize("NFC");
  return plain.replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
}

/**
 * The agreement of two folded texts, from 0 to 1 with 4 digits: 1 minus the cost of changing one into the
 * other, divided by the length of the longer text.
 * @param least Agreements below this number are returned as 0, which is faster.
 * @example
 * agreement("save", "saved"); // 0.8
 */
export function agreement(wanted: string, read: string, least = 0): number {
  if (wanted === read) return wanted === "" ? 0 : 1;
  const [longer, shorter] = wanted.length > read.length ? [wanted, read] : [read, wanted],
    { length } = longer;
  const bound = (1 - least) * length + 1e-6;
  if (!shorter || lossBetween(longer, shorter) > bound) return 0;
  const cost = changes(wanted, read, bound);
  return cost > bound ? 0 : Math.floor(Math.max(0, 1 - cost / length) * 10_000 + 1e-6) / 10_000;
}

const MARKS = new RegExp(MARK, "gu");

/** The least that the extra characters of a longer text cost: a paragraph is not compared with a word. */
function lossBetween(longer: string, shorter: string): number {
  const extra = longer.length - shorter.length, marks = Math.min(extra, longer.match(MARKS)?.length ?? 0);
  return marks * COST.mark + (extra - marks) * COST.other;
}

/** The minimum cost of the edits (optimal string alignment); if it exceeds `bound`, any larger number. */
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

/** The cost of an extra or missing character. */
function lossOf(character: string): number {
  return MARK.test(character) ? COST.mark : COST.other;
}

/**
 * The cost of replacing one character with another. Case matters if the texts were folded with their case.
 */
function replacement(a: string, b: string): number {
  if (a === b) return 0;
  const alike = CLASSES.get(a);
  return alike !== undefined && alike === CLASSES.get(b) && a.toLowerCase() !== b.toLowerCase()
    ? COST.alike
    : COST.other;
}

/** A text to find. */
export interface Wanted {
  text: string;
  /** Minimum agreement, 0.5 to 1, as in {@linkcode agreement}. */
  match: number;
  /** Whether the search is case-sensitive. */
  keepsCase: boolean;
}

/** Sources of a text: the element that shows it, as reported by its program, or the screen. */
const SOURCES = ["element", "screen"] as const;
/** One of {@linkcode SOURCES}. */
export type Source = typeof SOURCES[number];

/** A place of a text. */
export interface Span extends Region {
  source: Source;
  /** The text as the engine read it. */
  text: string;
  /** The text's agreement with the wanted text. */
  match: number;
  /** Whether the text is separate from other words in its line. */
  isAlone: boolean;
  /** The line that contains the text; left out for elements. */
  line?: string;
}

/** Default minimum agreement: allows letters of similar shape, but no wrong letter in up to 9. */
export const USUAL_MATCH = 0.9;
/** Maximum number of words in a place. */
const LONGEST = 24;
/** Maximum gap between words of one text, as a multiple of their line's height. */
const SPACE = 1;
/** Number of reported places below the required agreement. */
const NEAREST = 3;
/** Minimum agreement that a caller can require, and of a text in `nearest`. */
export const LEAST_TEXT_MATCH = 0.5;

/** Scripts without spaces between words. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The separate parts of a line, such as the labels of buttons in a row. */
export function partsOf(line: readonly Word[]): Word[][] {
  const parts: Word[][] = [], space = SPACE * Math.max(...line.map(({ height }) => height));
  line.forEach((word, i) => {
    if (isApart(line[i - 1], word, space)) parts.push([]);
    parts.at(-1)!.push(word);
  });
  return parts;
}

/** The text of a line, as joined words. */
export function lineText(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** The places of a text, best first. */
interface Places<S extends Span = Span> {
  /** All places that match well enough. */
  found: S[];
  /** The best places, if none matches well enough. */
  nearest: S[];
}

/** Finds the places of a text in lines. */
export function placesOf(lines: Iterable<readonly Word[]>, wanted: Wanted): Places {
  const target = folded(wanted.text, wanted.keepsCase), spans: Span[] = [];
  for (const line of lines) spans.push(...spansOf(line, target, wanted.keepsCase));
  return chosen(spans, wanted);
}

/**
 * Selects places.
 * @returns Places that overlap no better place. On a tie, separate texts come before parts of a line,
 * elements before screen text, and then reading order decides.
 */
export function chosen<S extends Span>(spans: readonly S[], { match }: Pick<Wanted, "match">): Places<S> {
  const kept: S[] = [];
  for (const span of spans.toSorted(better)) {
    if (!kept.some((other) => intersection(span, other))) kept.push(span);
  }
  const found = kept.filter((span) => span.match >= match);
  return { found, nearest: found.length ? [] : kept.slice(0, NEAREST) };
}

/** Whether two places match equally well, so that it is unclear which one the caller means. */
export function areAlike(a: Span, b: Span): boolean {
  return a.match === b.match && a.isAlone === b.isAlone;
}

function better(a: Span, b: Span): number {
  return b.match - a.match || Number(b.isAlone) - Number(a.isAlone) ||
    SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source) || inOrder(a, b);
}

/** Reading order: of two places that share most of their rows, the left one comes first. */
export function inOrder(a: Region, b: Region): number {
  const shared = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return shared > Math.min(a.height, b.height) / 2 ? a.x - b.x : a.y - b.y;
}

/**
 * Parts of a line that may be the wanted text: consecutive words, or consecutive characters in a script
 * without spaces.
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

/** The characters of a word in a script without spaces; otherwise, the word itself. */
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

/** Whether two consecutive words belong to different texts, such as button labels. */
function isApart(one: Region | undefined, next: Region | undefined, space: number): boolean {
  return !one || !next || next.x - one.x - one.width > space;
}
