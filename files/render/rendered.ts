/** The texts that are rendered, without the renderer. */

/** The longest text that is rendered, in UTF-16 code units. */
const LONGEST = 256 * 1024;

/** Whether a text is rendered: Markdown, by its file's name, that is short enough. */
export function isRendered(name: string, text: string): boolean {
  return text.length <= LONGEST && /\.(?:md|markdown)$/i.test(name);
}
