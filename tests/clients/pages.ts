/** Programs in pages of the documentation. */

/**
 * The blocks of a page in a language.
 * @param language As it stands behind the fence; `py` and `python` are two, of which one is not run.
 */
export function programsOf(page: string, language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"));
  return Array.from(blocks, ([, text]) => text);
}
