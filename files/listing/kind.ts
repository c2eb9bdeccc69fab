/** The kinds of files that a browser can show, by their names. */

import { mediaType } from "../media.ts";
import type { Kind } from "./entry.ts";

/** Types that browsers show. The registry has more pictures and films than they do. */
const SHOWN: [Kind, RegExp][] = [
  ["picture", /^image\/(?:jpeg|png|apng|gif|webp|avif|bmp|svg\+xml|vnd\.microsoft\.icon|x-icon)\b/],
  ["film", /^video\/(?:mp4|webm|ogg|quicktime|x-m4v|x-matroska|3gpp2?)\b/],
  ["sound", /^audio\//],
  [
    "text",
    /^(?:text\/|application\/(?:json|xml|javascript|toml|sql|x-sh|x-csh|x-perl|x-tex|x-subrip|x-httpd-php|[\w.-]+\+(?:json|xml))\b)/,
  ],
];
/** Endings of text that the registry does not know. */
const TEXT =
  /^\.(?:rb|swift|kts?|tsx|vue|svelte|diff|patch|cfg|env|cs|fs|ex|exs|erl|hs|ml|jl|nim|zig|ps1|bat|fish|zsh|gradle|tf|proto|gitignore|editorconfig|lock|mk|cmake|rst|adoc|org|jsonc|json5|jsonl|ndjson|ipynb|service)$/;

/** Kinds by file name endings, cached since a folder of many files has few endings. */
const byEnding = new Map<string, Kind | undefined>();
/** The most endings that are remembered. */
const ENDINGS_LIMIT = 1000;

/**
 * Finds the kind of viewer for a file by its name.
 * @returns undefined if it cannot, or if the name does not tell.
 */
export function kindOf(name: string): Kind | undefined {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return undefined;
  const ending = name.slice(dot).toLowerCase();
  if (!byEnding.has(ending)) {
    if (byEnding.size === ENDINGS_LIMIT) byEnding.clear();
    byEnding.set(ending, kindOfEnding(ending));
  }
  return byEnding.get(ending);
}

function kindOfEnding(ending: string): Kind | undefined {
  const type = mediaType(`name${ending}`);
  return SHOWN.find(([, types]) => types.test(type))?.[0] ?? (TEXT.test(ending) ? "text" : undefined);
}
