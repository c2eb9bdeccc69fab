/**
 * Finds what the executable must hold beside the modules that main.ts imports: Workers, and files that are
 * read at run time. Both are named in the source as `new URL("./name", import.meta.url)`, and that is the whole
 * rule: nobody keeps a list.
 */

import { fromFileUrl, toFileUrl } from "@std/path";

/** A use of a module's own address, and the relative path in it if that is a plain string. */
const OWN_ADDRESS =
  /new URL\(\s*(?:(["'])([^"'\\\n]*)\1|[^()]*?),\s*import\.meta\.url\b|import\.meta\.(?:dirname|filename|resolve)\b/g;
const MODULE = /\.(?:ts|mts|js|mjs)$/;
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;

/** Thrown for a path in the source that cannot be followed. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
}

/**
 * Finds Workers and files.
 * @param entry The main module's path.
 * @returns Their paths, sorted; folders are to be taken whole.
 * @throws EmbeddingError if a module names something that is not there, or in a way that cannot be followed.
 */
export async function embeddedFiles(entry: string): Promise<string[]> {
  const found = new Set<string>(), seen = new Set<string>(), entries = [entry];
  for (let next = entries.pop(); next; next = entries.pop()) {
    for (const module of await localModules(next)) {
      if (seen.has(module)) continue;
      seen.add(module);
      for (const path of ownFiles(module, await Deno.readTextFile(module))) {
        if (found.has(path)) continue;
        found.add(path);
        if (MODULE.test(path)) entries.push(path); // a Worker has a module graph of its own
      }
    }
  }
  return [...found].filter((path) => !seen.has(path) || path !== entry).sort();
}

/**
 * The files that a module names relative to itself.
 * @param module The module's path.
 * @param source Its text.
 * @throws EmbeddingError
 */
export function ownFiles(module: string, source: string): string[] {
  return [...source.matchAll(OWN_ADDRESS)].flatMap((match) => {
    const line = source.slice(0, match.index).split("\n");
    if (COMMENT.test(source.split("\n")[line.length - 1])) return [];
    const where = `${module}:${line.length}`;
    if (match[2] === undefined) {
      throw new EmbeddingError(
        `${where} names a file in a way that cannot be followed; ` +
          'write new URL("./name", import.meta.url) with the name as it is, or of the folder it is in',
      );
    }
    const path = fromFileUrl(new URL(match[2], toFileUrl(module)));
    if (!exists(path)) throw new EmbeddingError(`${where} names ${match[2]}, which is not there`);
    if (module.startsWith(path.endsWith("/") ? path : `${path}/`)) {
      throw new EmbeddingError(`${where} names ${match[2]}, the folder that it is in itself`);
    }
    return [path];
  });
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** The modules of this program that a module imports, itself among them. */
async function localModules(entry: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    stderr: "piped",
  }).output();
  if (!success) throw new EmbeddingError(new TextDecoder().decode(stderr).trim());
  const { modules }: { modules: { specifier: string; local?: string }[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  return modules.filter(({ specifier, local }) =>
    specifier.startsWith("file:") && local && MODULE.test(local)
  )
    .map(({ local }) => local!);
}
