/**
 * Finds the parts of the executable besides the modules that main.ts imports: Workers, and files read at run
 * time. Both are written as `new URL("./name", import.meta.url)` in the source, and that is the only rule:
 * there is no list to maintain.
 */

import { attempt } from "../../core/errors.ts";
import { fromFileUrl, toFileUrl } from "@std/path";

/** A use of a module's own URL, and the relative path in it if that is a plain string. */
const OWN_ADDRESS =
  /new URL\(\s*(?:(["'])([^"'\\\n]*)\1|[^()]*?),\s*import\.meta\.url\b|import\.meta\.(?:dirname|filename|resolve)\b/g;
const MODULE = /\.(?:ts|mts|js|mjs)$/;
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;

/** Thrown for a path in the source that cannot be resolved. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
}

/** The executable's parts. */
export interface Parts {
  /** All files of this program that main.ts or a Worker imports. */
  modules: string[];
  /** Workers, each a separate entry point. */
  workers: string[];
  /** Files and folders read at run time; folders are included entirely. */
  files: string[];
}

/**
 * Finds the parts.
 * @param entry The main module's path.
 * @returns Paths, sorted.
 * @throws EmbeddingError if a module names something that does not exist, or in a way that cannot be
 * resolved.
 */
export async function findParts(entry: string): Promise<Parts> {
  const modules = new Set<string>(), named = new Set<string>(), entries = [entry];
  for (let next = entries.pop(); next; next = entries.pop()) {
    for (const module of await localModules(next)) {
      if (modules.has(module)) continue;
      modules.add(module);
      if (!MODULE.test(module)) continue;
      for (const path of ownFiles(module, await Deno.readTextFile(module))) {
        if (named.has(path)) continue;
        named.add(path);
        if (MODULE.test(path)) entries.push(path); // a Worker has its own module graph
      }
    }
  }
  const sorted = [...named].sort();
  return {
    modules: [...modules].sort(),
    workers: sorted.filter((path) => MODULE.test(path)),
    files: sorted.filter((path) => !MODULE.test(path)),
  };
}

/**
 * Finds the files that a module references relative to itself.
 * @param module The module's path.
 * @param source Its text.
 * @throws EmbeddingError
 */
export function ownFiles(module: string, source: string): string[] {
  const paths: string[] = [];
  renameOwnFiles(module, source, (path) => {
    paths.push(path);
    return path;
  });
  return paths;
}

/**
 * Renames the files that a module references.
 * @param rename Returns the new text in the source for a file's path.
 * @returns The source.
 * @throws EmbeddingError
 */
export function renameOwnFiles(module: string, source: string, rename: (path: string) => string): string {
  return source.replace(OWN_ADDRESS, (...match) => {
    const [all, , name] = match as (string | undefined)[];
    const before = source.slice(0, match.at(-2)).split("\n");
    if (COMMENT.test(source.split("\n")[before.length - 1])) return all!;
    const where = `${module}:${before.length}`;
    if (name === undefined) {
      throw new EmbeddingError(
        `${where} names a file in a way that cannot be followed; ` +
          'write new URL("./name", import.meta.url) with the name as it is, or of the folder it is in',
      );
    }
    const path = fromFileUrl(new URL(name, toFileUrl(module)));
    if (!attempt(() => Deno.statSync(path))) {
      throw new EmbeddingError(`${where} names ${name}, which is not there`);
    }
    if (module.startsWith(path.endsWith("/") ? path : `${path}/`)) {
      throw new EmbeddingError(`${where} names ${name}, the folder that it is in itself`);
    }
    return `new URL(${JSON.stringify(rename(path))}, import.meta.url`;
  });
}

/** The files of this program that a module imports, including itself. */
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
