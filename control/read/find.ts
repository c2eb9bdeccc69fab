/**
 * Finds a text on the screen: first in the elements, if the desktop has them, then by reading the screen.
 */

import { ExpectedError, NotFoundError, on, StateError, TimeLimitError } from "../../core/errors.ts";
import { contains, intersection, middleOf, type Point, type Region } from "../desktop/input.ts";
import type { WindowInfo } from "../desktop/windows.ts";
import type { Operator } from "../operator/operator.ts";
import { poll } from "../operator/wait.ts";
import type { Word } from "./grey.ts";
import type { TextReader } from "./reader.ts";
import type { ReadLine } from "./reading.ts";
import {
  agreement,
  areAlike,
  chosen,
  folded,
  inOrder,
  LEAST_TEXT_MATCH,
  lineText,
  type Source,
  type Span,
  USUAL_MATCH,
  type Wanted,
} from "./spans.ts";

// The texts that elements show, as programs report them: exact, and without text recognition.

/** A text shown by an element. */
export interface ElementText extends Region {
  text: string;
  ref: string;
  role: string;
}

/** Roles of elements that show their name. */
const NAMED = new Set(
  ("button,togglebutton,menubutton,link,menu,menuitem,menuitemcheckbox,menuitemradio,checkbox,radio,switch,tab,listitem," +
    "treeitem,cell,columnheader,rowheader,heading,label,text,paragraph,static,caption,desktop icon").split(
      ",",
    ),
);
/** Roles of elements that show their value; their name is that of a nearby label. */
const VALUED = new Set(["textbox", "combobox", "spinbutton", "autocomplete"]);

/**
 * The texts of a window's elements.
 * @param region Only texts entirely within it.
 * @param id The window's id; the active window if left out.
 * @returns None if elements cannot be read or their places are unknown.
 */
async function elementTexts(operator: Operator, region: Region, id?: string): Promise<ElementText[]> {
  if (!operator.desktop.elements) return [];
  const { readElements } = await import("../elements/list.ts");
  // Without elements, the screen is read in any case.
  const read = await readElements(operator, id === undefined ? {} : { id }).catch(on(ExpectedError));
  if (read?.places !== "screen") return [];
  return read.elements.flatMap(({ ref, role, name, value, states, place }) => {
    const text = VALUED.has(role) ? value ?? "" : NAMED.has(role) ? name : "";
    const isShown = place && place.width > 0 && place.height > 0 && !states.includes("hidden");
    if (!isShown || folded(text) === "" || !isWithin(place, region)) return [];
    return [{ text, ref, role, ...place }];
  });
}

function isWithin(place: Region, region: Region): boolean {
  const shown = intersection(place, region);
  return shown?.width === place.width && shown.height === place.height;
}

/** A place of a text shown by an element. */
interface ElementSpan extends Span {
  ref: string;
  role: string;
}

/** The elements whose whole text matches or nearly matches. */
export function elementSpans(texts: readonly ElementText[], { text, keepsCase }: Wanted): ElementSpan[] {
  const target = folded(text, keepsCase);
  return texts.flatMap((element) => {
    const match = agreement(target, folded(element.text, keepsCase), LEAST_TEXT_MATCH);
    return match ? [{ ...element, source: "element" as const, match, isAlone: true }] : [];
  });
}

/** A text to find. */
export interface TextRequest {
  text: string;
  /** Minimum agreement, {@linkcode LEAST_TEXT_MATCH} to 1; {@linkcode USUAL_MATCH} if left out. */
  match?: number;
  /** Whether the search is case-sensitive. */
  case?: boolean;
  /** Index of the wanted place, from 1, in the order of {@linkcode TextResult}. */
  nth?: number;
  /** Language names joined by `+`; those of the option if left out. */
  language?: string;
  /** Restricts the search to elements or to screen text. */
  source?: Source;
  /** The region to search, as in `Operator.region`. */
  region: Partial<Region>;
  /** Locates the part to search before each look, instead of a fixed region. */
  locate?(): Promise<TextPlace>;
  signal: AbortSignal;
}

/** A part of the desktop to search for texts. */
interface TextPlace {
  /** As in `Operator.region`. */
  region: Partial<Region>;
  /** The window to read, even if others cover it; the screen if left out. */
  window?: WindowInfo;
  /** The id of the window whose elements are used; the active window if left out. */
  id?: string;
}

/** Polling interval, in milliseconds; only changed parts are read again. */
const INTERVAL_MS = 250;
/** Maximum number of places in a message. */
const LISTED = 5;

/** The place of a text that was found. */
export interface TextMatch extends Region {
  /** The pixel in the middle of the text, for clicking. */
  center: Point;
  /** The agreement, 0.5 to 1, with 4 digits. */
  match: number;
  /** The text as the screen shows it. */
  text: string;
  source: Source;
  /** The line that contains the screen text. */
  line?: string;
  /** The element that shows the text. */
  ref?: string;
  role?: string;
}

interface TextResult {
  /**
   * The matches, best first. On a tie, separate texts come before parts of a line, then elements before
   * screen text, then reading order decides.
   */
  matches: TextMatch[];
  /** The most similar texts, if there is no match. */
  nearest?: TextMatch[];
}

/** No text matches well enough. */
export class NoTextError extends NotFoundError {
  /** @param nearest The texts that match best. */
  constructor(text: string, readonly nearest: readonly TextMatch[]) {
    super(`no text like ${JSON.stringify(text)} is on the screen${near(nearest)}`);
  }
}

/** Several places match equally well. */
export class AlikeTextsError extends StateError {
  constructor(text: string, readonly places: readonly TextMatch[]) {
    const listed = places.slice(0, LISTED).map(placeText).join(", ");
    const more = places.length > LISTED ? " …" : "";
    super(
      `${JSON.stringify(text)} appears ${times(places.length)}: at ${listed}${more}; give nth, or a region`,
    );
  }
}

/**
 * Searches for a text once; agents' expectations also use it, and are met if there is a match.
 * @param limit Maximum number of places. With a limit of 1, reading ends at the first exact match.
 * @throws UnsupportedError if a language is missing; BusyError if there are too many readings.
 * @example
 * const { matches } = await findText(reader, { text: "Save", region: {}, signal }, 1);
 */
export async function findText(reader: TextReader, request: TextRequest, limit = 1): Promise<TextResult> {
  const { nth } = request, spans = await look(reader, request, nth ?? limit);
  const found = nth === undefined ? spans.found.slice(0, limit) : spans.found.slice(nth - 1, nth);
  return {
    matches: found.map(matchAt),
    ...found.length ? {} : { nearest: spans.nearest.map(matchAt) },
  };
}

/**
 * Finds the only place of a text to click. The whole region is read.
 * @throws NoTextError if the text does not appear, NotFoundError if it appears fewer than `nth` times;
 * AlikeTextsError if two places match equally well.
 */
export async function oneText(reader: TextReader, request: TextRequest): Promise<TextMatch> {
  const { text, nth } = request, { found, nearest } = await look(reader, request, Infinity);
  if (!found.length) throw new NoTextError(text, nearest.map(matchAt));
  if (nth !== undefined) {
    if (found[nth - 1]) return matchAt(found[nth - 1]);
    throw new NotFoundError(
      `${JSON.stringify(text)} appears ${times(found.length)}, but nth is ${nth}`,
    );
  }
  const alike = found.filter((span) => areAlike(span, found[0]));
  if (alike.length === 1) return matchAt(found[0]);
  throw new AlikeTextsError(text, alike.map(matchAt));
}

/**
 * Searches for a text until it appears.
 * @param gone Waits until the text disappears instead.
 * @param timeoutMs Maximum wait, in milliseconds.
 * @returns The last result, and how long the wait took, in milliseconds.
 * @throws TimeLimitError on timeout, with the most similar texts; the errors of {@linkcode findText}.
 */
export async function waitForText(
  reader: TextReader,
  request: TextRequest,
  gone: boolean,
  timeoutMs: number,
  limit = 1,
): Promise<TextResult & { ms: number }> {
  let result: TextResult = { matches: [] };
  const ms = await poll(
    async () => {
      result = await findText(reader, request, limit);
      return (result.matches.length === 0) === gone;
    },
    INTERVAL_MS,
    timeoutMs,
    request.signal,
  );
  if (ms !== undefined) return { ...result, ms };
  const text = JSON.stringify(request.text), [match] = result.matches;
  throw new TimeLimitError(
    gone
      ? `${text} is still there after ${timeoutMs} ms, at ${placeText(match)}`
      : `${text} did not appear within ${timeoutMs} ms${near(result.nearest ?? [])}`,
  );
}

/** @param count Number of exact matches after which reading may end. */
async function look(reader: TextReader, request: TextRequest, count: number) {
  const { text, match = USUAL_MATCH, source, language, signal } = request;
  const { region, window, id } = await request.locate?.() ?? request as TextPlace;
  const wanted = { text, match, keepsCase: request.case ?? false }, { operator } = reader;
  const texts = source === "screen" ? [] : await elementTexts(operator, operator.region(region), id);
  const elements = elementSpans(texts, wanted), known = chosen(elements, wanted);
  if (source === "element" || known.found.filter(({ match }) => match === 1).length >= count) return known;
  const isFirstEnough = count === 1 && !known.found.length;
  const read = await reader.read({
    region,
    ...(window ? { window } : {}),
    language,
    wanted,
    isFirstEnough,
    signal,
  });
  const letters = [...read.found, ...read.nearest].filter((span) =>
    !known.found.some((element) => contains(element, matchAt(span).center))
  );
  return chosen<Span | ElementSpan>([...elements, ...letters], wanted);
}

function matchAt(span: Span | ElementSpan): TextMatch {
  const { x, y, width, height, match, text, source, line } = span;
  return {
    x,
    y,
    width,
    height,
    center: middleOf(span),
    match,
    text,
    source,
    ...(line === undefined ? {} : { line }),
    ...("ref" in span ? { ref: span.ref, role: span.role } : {}),
  };
}

const times = (count: number) => count === 1 ? "once" : `${count} times`;

const placeText = ({ center: { x, y } }: { center: Point }) => `${x},${y}`;

/** The most similar texts, in words. */
function near(nearest: readonly TextMatch[]): string {
  if (!nearest.length) return "";
  const places = nearest.map((place) =>
    `${JSON.stringify(place.text)} at ${placeText(place)} (match ${place.match})`
  );
  return `; nearest: ${places.join(", ")}`;
}

// The text of a region: recognized words and texts of elements, without duplicates.

/** A line of text, or an element's text. */
export interface TextLine extends Region {
  text: string;
  source: Source;
  /** The words of a line that was read from the screen. */
  words?: Word[];
  /** The element that shows the text. */
  ref?: string;
  role?: string;
}

/** A region to read. */
interface WholeTextRequest extends TextPlace {
  language?: string;
  source?: Source;
  signal: AbortSignal;
}

/** Share of common letters from which a recognized text counts as that of the element at the same place. */
const SAME = 0.6;

/** Reads a region in reading order. @throws Like `TextReader.read`. */
export async function wholeText(reader: TextReader, request: WholeTextRequest): Promise<TextLine[]> {
  const { source, region, id } = request, { operator } = reader;
  const lines = source === "element" ? [] : (await reader.read(request)).lines;
  const elements = source === "screen" ? [] : await elementTexts(operator, operator.region(region), id);
  return merged(lines, elements);
}

/**
 * Replaces recognized words with the texts of the elements at their places, and adds texts of elements
 * without any recognized word.
 */
export function merged(lines: readonly ReadLine[], elements: readonly ElementText[]): TextLine[] {
  const known: TextLine[] = [], taken = new Set<Word>(), words = lines.flatMap(({ words }) => words);
  const bySize = elements.toSorted((a, b) => a.width * a.height - b.width * b.height);
  for (const element of bySize) {
    const there = words.filter((word) => isMiddleIn(word, element));
    if (there.some((word) => taken.has(word))) continue; // a smaller element inside has the text
    if (there.length && !isSame(there, element.text)) continue;
    there.forEach((word) => taken.add(word));
    known.push({ ...element, source: "element" });
  }
  const read = lines.flatMap((line): TextLine[] => {
    const words = line.words.filter((word) => !taken.has(word));
    return words.length
      ? [{ ...line, text: lineText(words), source: "screen", words: words.map(shown) }]
      : [];
  });
  return [...read, ...known].sort(inOrder);
}

/** A word in the form of answers. */
function shown({ text, x, y, width, height }: Word): Word {
  return { text, x, y, width, height };
}

function isMiddleIn({ x, y, width, height }: Region, region: Region): boolean {
  return contains(region, { x: x + width / 2, y: y + height / 2 });
}

/** Whether recognized words are those of a text: most letters of each occur in the other. */
function isSame(words: readonly Word[], text: string): boolean {
  const whole = folded(text), letters = words.map(({ text }) => folded(text));
  const read = letters.join("").length;
  const shared = letters.filter((word) => whole.includes(word)).join("").length;
  return shared >= SAME * read && shared >= SAME * whole.length;
}
