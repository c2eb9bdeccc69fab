/** The kinds of texts that are rendered, without the renderer. */

/** Endings of texts without a language. */
const PLAIN = /\.(?:txt|log|csv|tsv|srt|vtt)$/i;
/** The longest text that is rendered, in UTF-16 code units. */
const LONGEST = 256 * 1024;

/** Tells whether a file is Markdown, by its name. */
export function isMarkdown(name: string): boolean {
  return /\.(?:md|markdown)$/i.test(name);
}

/** Tells whether a text may have a language, by its file's name, and is short enough to be rendered. */
export function isRendered(name: string, text: string): boolean {
  return text.length <= LONGEST && !PLAIN.test(name) &&
    (name.includes(".") || name.toLowerCase() === "makefile");
}
