/** Finds `using` declarations that `deno bundle` would drop. */

/** A `using` declaration at the beginning of a line, up to its end: its indentation and its name. */
const DECLARED = /^([ \t]*)(?:await )?using ([\w$]+) =[^]*?;$/gm;

/**
 * Finds resources in a module that would never be disposed of. esbuild, which minifies the modules, inlines a
 * variable that is used only once, if nothing is called or read in between. For a `using` variable, this
 * drops the declaration.
 * @param text A module as formatted by `deno fmt`.
 * @returns The names of such variables.
 * @example
 * droppedResources("{\n  using file = open();\n  return file !== undefined;\n}\n"); // ["file"]
 */
export function droppedResources(text: string): string[] {
  const code = text.replace(/(?<=^|\s)\/\/.*|^\s*\/?\*.*/gm, "").replace(/[ \t]+$/gm, "");
  return Array.from(code.matchAll(DECLARED)).filter(({ 0: declaration, 1: indent, 2: name, index }) => {
    const rest = code.slice(index + declaration.length + 1);
    const end = rest.search(new RegExp(`^(?!${indent})[ \\t]*\\S`, "m")); // the block's end is indented less
    const block = end < 0 ? rest : rest.slice(0, end);
    const [before, ...behind] = block.split(
      new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`),
    );
    return behind.length === 1 && !/[(.]/.test(before);
  }).map(([, , name]) => name);
}
