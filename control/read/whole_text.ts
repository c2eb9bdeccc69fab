/** The text of a region: read words and texts of elements, without doubles. */

import { contains, type Region } from "../input.ts";
import { type ElementText, elementTexts } from "./element_texts.ts";
import { folded } from "./match.ts";
import type { Word } from "./word.ts";
import type { TextReader } from "./reader.ts";
import type { ReadLine } from "./reading.ts";
import { inOrder, lineText, type Source } from "./spans.ts";

/** A line of text, or the text of an element. */
export interface TextLine extends Region {
  text: string;
  source: Source;
  /** The words of a line that was read. */
  words?: Word[];
  /** The element that shows the text. */
  ref?: string;
  role?: string;
}

/** A region to read. */
export interface WholeTextRequest {
  /** The region to read, as in `Operator.region`. */
  region: Partial<Region>;
  language?: string;
  source?: Source;
  signal: AbortSignal;
}

/** The share of common letters from which a text that was read counts as the text of the element there. */
const SAME = 0.6;

/** Reads a region, in reading order. @throws As `TextReader.read` does. */
export async function wholeText(reader: TextReader, request: WholeTextRequest): Promise<TextLine[]> {
  const { source, region } = request, { operator } = reader;
  const lines = source === "element" ? [] : (await reader.read(request)).lines;
  const elements = source === "screen" ? [] : await elementTexts(operator, operator.region(region));
  return merged(lines, elements);
}

/**
 * Replaces read words by the texts of the elements at their places, and adds texts of elements of which no word was
 * read.
 */
export function merged(lines: readonly ReadLine[], elements: readonly ElementText[]): TextLine[] {
  const known: TextLine[] = [], taken = new Set<Word>();
  const bySize = elements.toSorted((a, b) => a.width * a.height - b.width * b.height);
  for (const element of bySize) {
    const there = lines.flatMap(({ words }) => words).filter((word) => isMiddleIn(word, element));
    if (there.some((word) => taken.has(word))) continue; // a smaller element inside has the text
    if (there.length && !isSame(there, element.text)) continue;
    there.forEach((word) => taken.add(word));
    known.push({ ...element, source: "element" });
  }
  const read = lines.flatMap((line): TextLine[] => {
    const words = line.words.filter((word) => !taken.has(word));
    return words.length ? [{ ...line, text: lineText(words), source: "screen", words }] : [];
  });
  return [...read, ...known].sort(inOrder);
}

function isMiddleIn({ x, y, width, height }: Region, region: Region): boolean {
  return contains(region, { x: x + width / 2, y: y + height / 2 });
}

/** Tells whether words that were read are those of a text: most letters of each are in the other. */
function isSame(words: readonly Word[], text: string): boolean {
  const whole = folded(text), letters = words.map(({ text }) => folded(text));
  const read = letters.join("").length;
  const shared = letters.filter((word) => whole.includes(word)).join("").length;
  return shared >= SAME * read && shared >= SAME * whole.length;
}
