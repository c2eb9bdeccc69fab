/** A folder's entries, and how they are shown. */

import { join } from "../../core/path.ts";
import { RequestError } from "../../http/request.ts";
import { mediaType } from "../disposition.ts";
import { millisecondsOrNull } from "../identity.ts";
import { isServable, type Root } from "../resolve.ts";

/** An entry that can be served. */
export interface Entry {
  /** The entry's name; in a deep search, the path from the folder, with `/` between names. */
  name: string;
  /** Size in bytes; undefined for a folder. */
  size: number | undefined;
  /** Milliseconds since 1970; null if the system reports no time. */
  modified: number | null;
}

/**
 * Creates an entry from the system's metadata. Written as one literal, an entry takes 67 bytes; with the
 * properties spread into an object it takes 106.
 */
export function entryOf(name: string, { isFile, size, mtime }: Deno.FileInfo): Entry {
  return { name, size: isFile ? size : undefined, modified: millisecondsOrNull(mtime) };
}

/** Sort orders. Folders always come first. */
export const SORTS = ["name", "size", "time"] as const;
/** One of {@linkcode SORTS}. */
export type Sort = typeof SORTS[number];

/** Page layouts. */
export const LAYOUTS = ["list", "gallery"] as const;
/** One of {@linkcode LAYOUTS}. */
type PageLayout = typeof LAYOUTS[number];

interface Search {
  /** Words that a name must contain; empty matches all names. */
  text: string;
  /** Whether subfolders are searched too. */
  deep: boolean;
}

/** How a listing is viewed: its order, layout and search. */
export interface View {
  sort: Sort;
  descending: boolean;
  /** Defaults to a list. */
  layout?: PageLayout;
  /** Defaults to all entries. */
  search?: Search;
}

/** Numbers of entries. */
export interface Totals {
  folders: number;
  files: number;
  /** Total size of the files, in bytes. */
  bytes: number;
}

/** Counts entries. */
export function totalsOf(entries: readonly Entry[]): Totals {
  const totals = { folders: 0, files: 0, bytes: 0 };
  for (const { size } of entries) {
    totals[size === undefined ? "folders" : "files"]++;
    totals.bytes += size ?? 0;
  }
  return totals;
}

/** Why entries are missing. */
export type Cut = "number" | "time";

/** A file shown in a page. */
export interface ShownFile {
  name: string;
  /** The kind of viewer for the file; undefined if there is none. */
  kind: Kind | undefined;
  /** Size in bytes. */
  size: number;
  /** The content of a text file. */
  text?: string;
  /** Whether the text is only the beginning of the file. */
  isCut?: boolean;
  /** The text rendered as HTML; the plain text is shown if omitted. */
  rendered?: string;
}

/** The kinds of files that browsers can show. */
export type Kind = "picture" | "film" | "sound" | "pdf" | "table" | "text";

/** A text that describes a folder. */
export interface Readme {
  name: string;
  html: string;
}

/** The contents of a listing. */
export interface Contents {
  /** The served folder's own name. */
  top: string;
  /** Names of the folders from the root to this one. */
  names: readonly string[];
  /** The entries, in order. */
  entries: Iterable<Entry>;
  /** The totals of all entries found, including those cut off. */
  totals: Totals;
  /** Why entries are missing, if any are. */
  cut?: Cut;
  /** The number of entries whose names are not valid Unicode, which Deno cannot open; defaults to none. */
  nameless?: number;
  view: View;
  /** Whether files can be uploaded into the folder; defaults to false. */
  takesFiles?: boolean;
  /** Whether thumbnails are available; defaults to false. */
  hasThumbnails?: boolean;
  /** Whether files can be shared by links; defaults to false. */
  isShared?: boolean;
  /** The folder's readme, shown below its list. */
  readme?: Readme;
  /** The file in the folder that the page shows instead of the entries. */
  file?: ShownFile;
}

// The kinds of files that browsers can show, by file name.

/** Types that browsers show. The registry has more picture and video types. */
const SHOWN: [Kind, RegExp][] = [
  ["picture", /^image\/(?:jpeg|png|apng|gif|webp|avif|bmp|svg\+xml|vnd\.microsoft\.icon|x-icon)\b/],
  ["film", /^video\/(?:mp4|webm|ogg|quicktime|x-m4v|x-matroska|3gpp2?)\b/],
  ["sound", /^audio\//],
  ["pdf", /^application\/pdf\b/],
  ["table", /^text\/(?:csv|tab-separated-values)\b/],
  [
    "text",
    /^(?:text\/|application\/(?:json|xml|javascript|toml|sql|x-sh|x-csh|x-perl|x-tex|x-subrip|x-httpd-php|[\w.-]+\+(?:json|xml))\b)/,
  ],
];
/** Extensions of text files that the registry does not know. */
const TEXT =
  /^\.(?:rb|swift|kts?|tsx|vue|svelte|diff|patch|cfg|env|cs|fs|ex|exs|erl|hs|ml|jl|nim|zig|ps1|bat|fish|zsh|gradle|tf|proto|gitignore|editorconfig|lock|mk|cmake|rst|adoc|org|jsonc|json5|jsonl|ndjson|ipynb|service)$/;

/** Kinds by file name endings, cached since a folder of many files has few endings. */
const byEnding = new Map<string, Kind | undefined>();
/** Maximum number of cached endings. */
const ENDINGS_LIMIT = 1000;

/**
 * Finds the kind of viewer for a file by its name.
 * @returns undefined if there is none, or if the name does not determine it.
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

/** Types of archive files. */
const ARCHIVE =
  /^application\/(?:zip|gzip|x-(?:tar|gtar|gzip|bzip2?|xz|7z-compressed|rar-compressed|compressed)|zstd|vnd\.rar)\b/;

/** The kind of an entry's icon: a folder, a kind that browsers show, an archive, or another file. */
export function iconOf({ name, size }: Entry): Kind | "folder" | "archive" | "other" {
  if (size === undefined) return "folder";
  return kindOf(name) ?? (ARCHIVE.test(mediaType(name)) ? "archive" : "other");
}

// The items of a folder that are listed.

/**
 * Returns a test for servable names. U+FFFD stands for bytes that are not valid Unicode: of several files
 * whose names look the same, only the first passes.
 */
export function servableOnce(): (name: string) => boolean {
  const unclear = new Set<string>();
  return (name) => {
    if (!isServable(name)) return false;
    if (!name.includes("\ufffd")) return true;
    const isFirst = !unclear.has(name);
    unclear.add(name);
    return isFirst;
  };
}

/** Number of items queried per file system call. */
const AT_ONCE = 16;

/**
 * Queries items of a folder as {@linkcode infoOf} does, without making other requests wait.
 * @param folder The folder's real path, and its path in a request.
 * @param client Aborted when the client has left; the remaining work is then abandoned.
 * @returns For each name, undefined if the item must not be served.
 * @throws BusyError if the file system does not respond; RequestError 499 if the client has left.
 */
export async function infosOf(
  root: Root,
  folder: { real: string; lexicalPath: string },
  names: readonly string[],
  client?: AbortSignal,
): Promise<(Deno.FileInfo | undefined)[]> {
  if (client?.aborted) throw new RequestError(499, "The client disconnected.");
  const now = root.snapshot(), paths = names.map((name) => join(folder.real, name));
  const starts = Array.from({ length: Math.ceil(names.length / AT_ONCE) }, (_, i) => i * AT_ONCE);
  const infos = (await Promise.all(starts.map((start) =>
    root.reach(paths[start], async () => {
      const infos: (Deno.FileInfo | undefined)[] = [];
      for (const path of paths.slice(start, start + AT_ONCE)) {
        infos.push(await Deno.lstat(path).catch(() => undefined));
      }
      return infos;
    })
  ))).flat();
  return await Promise.all(infos.map(async (info, i) => {
    if (info?.isSymlink) return (await now.findOrNull(join(folder.lexicalPath, names[i])))?.info;
    return info && (info.isFile || info.isDirectory) && !now.isExcluded(paths[i], info) ? info : undefined;
  }));
}

/**
 * Queries an item, or the target of a link.
 * @param path The item's path below the folder's real path.
 * @param lexicalPath The item's path in a request.
 * @returns undefined if the item must not be served.
 */
export function infoOf(root: Root, path: string, lexicalPath: string): Deno.FileInfo | undefined {
  try {
    const info = Deno.lstatSync(path);
    const served = info.isSymlink ? root.resolve(lexicalPath).info : info;
    if (!served.isFile && !served.isDirectory) return undefined;
    return info.isSymlink || !root.isExcluded(path, info) ? served : undefined;
  } catch {
    return undefined; // the file has vanished, or deskhand cannot read it
  }
}
