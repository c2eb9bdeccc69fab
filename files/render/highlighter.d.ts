/** The used part of highlight.js. Its own types include those of browsers, whose streams differ from Deno's. */

/** The library with its common languages. */
declare const highlighter: {
  /** Tells whether a language is known; undefined if not. */
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals?: boolean }): { value: string };
};
export default highlighter;
