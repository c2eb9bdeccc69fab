/** Finds doc comments in source files and sentences in Markdown pages, as a reader sees them. */

export interface Piece {
  /** Its first line number, from 1. */
  line: number;
  text: string;
}

const COMMENT = /^[ \t]*\/\*\*(?!\/)([\s\S]*?)\*\//gm;

/**
 * Finds the doc comments of a source file.
 * @returns Each without its asterisks, with line breaks preserved.
 * @example
 * commentsOf("/** A place. *\/\nlet a;"); // [{ line: 1, text: "A place." }]
 */
export function commentsOf(source: string): Piece[] {
  return Array.from(source.matchAll(COMMENT), (match) => ({
    line: lineAt(source, match.index),
    text: match[1].split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd()).join("\n").trim(),
  })).filter(({ text }) => text);
}

const lineAt = (source: string, index: number) => source.slice(0, index).split("\n").length;

/** Lines without sentences: headings, tables, HTML, the fences of code blocks. */
const HEADING = /^#|^\|/, HTML = /^\s*<(?:!--|\/?\w)/, FENCE = /^\s*(?:```|~~~)/;
/** A list item's marker, with surrounding blanks; a number may also begin a line within a sentence. */
const ITEM = /^\s*(?:[-*+]|\d+\.) +/, NUMBER = /^\s*\d/;
/** A line in a code block, by its indentation. */
const CODE = /^(?: {4}|\t)/;

/**
 * Finds the sentences in a Markdown page: those in paragraphs, quotations and list items.
 * @returns Each on one line, in the page's order.
 * @example
 * sentencesOf("# Head\n\nIt looks once. A list:\n\n- one, e.g. this\n"); // of lines 3, 3 and 5
 */
export function sentencesOf(markdown: string): Piece[] {
  return paragraphsOf(markdown).flatMap(({ line, text }) =>
    splitSentences(text).map((sentence) => ({ line, text: sentence }))
  );
}

function paragraphsOf(markdown: string): Piece[] {
  const paragraphs: Piece[] = [];
  let open: Piece | undefined, isFenced = false, isBehindBlank = true, isInCode = false, isNumbered = false;
  for (const [index, whole] of markdown.split("\n").entries()) {
    const line = whole.replace(/^\s*> ?/, ""), isBlank = !line.trim();
    if (FENCE.test(line)) isFenced = !isFenced;
    const isItem: boolean = ITEM.test(line) && (isBehindBlank || isNumbered || !NUMBER.test(line));
    if (!isBlank) isInCode = CODE.test(whole) && (isInCode || isBehindBlank && !isItem);
    if (isItem || isBehindBlank) isNumbered = isItem && NUMBER.test(line);
    const isText = !isBlank && !isFenced && !isInCode &&
      ![HEADING, HTML, FENCE].some((form) => form.test(line));
    if (!isText || isItem) open = undefined;
    if (isText && open) open.text += ` ${line.trim()}`;
    else if (isText) paragraphs.push(open = { line: index + 1, text: line.replace(ITEM, "").trim() });
    isBehindBlank = isBlank;
  }
  return paragraphs;
}

/** Words ending with a full stop that does not end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|[A-Z])\.$/;
/** Code, link targets and text in parentheses: no sentence ends within them. */
const WHOLE = /`+[^`]*`+|\]\([^)]*\)|\([^()]*\)/g;
const END = /[.!?]["')\]*_]*(?=\s)/g;

/**
 * Splits a paragraph into sentences: at full stops, question marks and exclamation marks, but not at colons,
 * semicolons or abbreviations, nor within code or parentheses.
 * @example
 * splitSentences("It takes one, e.g. this: `a. b`. curl too (see it. There)."); // 2 sentences
 */
export function splitSentences(paragraph: string): string[] {
  const masked = paragraph.replace(WHOLE, (part) => part.replace(/[.!?]/g, "_"));
  const sentences: string[] = [];
  let from = 0;
  for (const { 0: end, index } of masked.matchAll(END)) {
    const to = index + end.length;
    if (end === "." && ABBREVIATION.test(masked.slice(from, to))) continue;
    sentences.push(paragraph.slice(from, to).trim());
    from = to;
  }
  return [...sentences, paragraph.slice(from).trim()].filter(Boolean);
}
