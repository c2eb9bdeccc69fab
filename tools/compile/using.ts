/** Finds declarations with `using` that `deno bundle` would drop. */

/** A declaration with `using` at the beginning of a line, to its end: its indent and its name. */
const DECLARED = /^([ \t]*)(?:await )?using ([\w$]+) =[^]*?;$/gm;

/**
 * Finds the resources of a module that would never be disposed of. esbuild, which minifies the modules, puts the value
 * of a variable into the only place that uses it, if nothing is called or read in between. For a variable of `using`,
 * this drops the declaration.
 * @param text A module as `deno fmt` writes it.
 * @returns The names of such variables.
 * @example
 * droppedResources("{\n  using file = open();\n  return file !== undefined;\n}\n"); // ["file"]
 */
export function droppedResources(text: string): string[] {
  const code = text.replace(/(?<=^|\s)\/\/.*|^\s*\/?\*.*/gm, "").replace(/[ \t]+$/gm, "");
  return Array.from(code.matchAll(DECLARED)).filter(({ 0: declaration, 1: indent, 2: name, index }) => {
    const rest = code.slice(index + declaration.length + 1);
    const end = rest.search(new RegExp(`^(?!${indent})[ \\t]*\\S`, "m")); // the block's end has a smaller indent
    const block = end < 0 ? rest : rest.slice(0, end);
    const [before, ...behind] = block.split(
      new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`),
    );
    return behind.length === 1 && !/[(.]/.test(before);
  }).map(([, , name]) => name);
}
