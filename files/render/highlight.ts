/** Code in colours: HTML with a class for each kind of word. */

import { escape } from "@std/html";
// @ts-types="./highlighter.d.ts"
import highlighter from "highlight.js/common";

/** Languages of file names without a telling ending. */
const BY_NAME: Record<string, string> = { makefile: "makefile", "cmakelists.txt": "plaintext" };

/**
 * The language of a file by its name.
 * @returns undefined if the language is unknown.
 */
export function languageOf(name: string): string | undefined {
  const lower = name.toLowerCase(), dot = lower.lastIndexOf(".");
  const language = BY_NAME[lower] ?? (dot < 0 ? undefined : lower.slice(dot + 1));
  return language !== undefined && highlighter.getLanguage(language) ? language : undefined;
}

/**
 * Writes code as HTML.
 * @param language A name or an ending, such as `ts`; unknown ones give the text without colours.
 * @example
 * highlighted("1", "no such language"); // "1"
 */
export function highlighted(code: string, language: string | undefined): string {
  if (language === undefined || !highlighter.getLanguage(language)) return escape(code);
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
