/** Entries of a folder, and how they are shown. */

import { join } from "../../core/path.ts";
import { RequestError } from "../../http/request.ts";
import { mediaType } from "../disposition.ts";
import { millisecondsOrNull } from "../identity.ts";
import { isServable, type Root } from "../resolve.ts";

/** An entry that can be served. */
export interface Entry {
  /**
   * The entry's name; for an entry of a search below the folder the names on the way to it too, with `/` between them.
   */
  name: string;
  /** Bytes; undefined for a folder. */
  size: number | undefined;
  /** Milliseconds since 1970; null if the system has no time for it. */
  modified: number | null;
}

/**
 * Makes an entry from the system's report of a file or folder. Written in one literal, an entry takes 67 bytes; with the
 * properties spread into an object it takes 106.
 */
export function entryOf(name: string, { isFile, size, mtime }: Deno.FileInfo): Entry {
  return { name, size: isFile ? size : undefined, modified: millisecondsOrNull(mtime) };
}

/** The orders of entries. Folders always come first. */
export const SORTS = ["name", "size", "time"] as const;
/** One of {@linkcode SORTS}. */
export type Sort = typeof SORTS[number];

/** The layouts of a page's entries. */
export const LAYOUTS = ["list", "gallery"] as const;
/** One of {@linkcode LAYOUTS}. */
type PageLayout = typeof LAYOUTS[number];

interface Search {
  /** Words that a name must contain; empty for all names. */
  text: string;
  /** Whether folders below are searched too. */
  deep: boolean;
}

/** The view of a listing: its order, layout and search. */
export interface View {
  sort: Sort;
  descending: boolean;
  /** A list if left out. */
  layout?: PageLayout;
  /** All entries if left out. */
  search?: Search;
}

/** The numbers of entries. */
export interface Totals {
  folders: number;
  files: number;
  /** The bytes of the files together. */
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

/** The reason why entries are missing. */
export type Cut = "number" | "time";

/** A file that is shown in a page. */
export interface ShownFile {
  name: string;
  /** The kind of viewer that shows the file; undefined if none can. */
  kind: Kind | undefined;
  /** The size in bytes. */
  size: number;
  /** The content of a text. */
  text?: string;
  /** Whether the text is only the beginning of the file's. */
  isCut?: boolean;
  /** The text as HTML; the text itself is shown if left out. */
  rendered?: string;
}

/** The kinds of files that a browser can show. */
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
  /** Names on the way from the root to the folder. */
  names: readonly string[];
  /** The entries in order. */
  entries: Iterable<Entry>;
  /** The totals of all entries that were found, also of those that are cut off. */
  totals: Totals;
  /** The reason why entries are missing, if some are. */
  cut?: Cut;
  /** The number of entries whose names are not Unicode, which Deno cannot open; none if left out. */
  nameless?: number;
  view: View;
  /** Whether files can be uploaded into the folder; no if left out. */
  takesFiles?: boolean;
  /** Whether small pictures can be had; no if left out. */
  hasThumbnails?: boolean;
  /** Whether files can be shared by links; no if left out. */
  isShared?: boolean;
  /** The folder's description, shown with its list; none if left out. */
  readme?: Readme;
  /** The file of the folder that the page shows instead of the entries. */
  file?: ShownFile;
}

// The kinds of files that a browser can show, by their names.

/** Types that browsers show. The registry has more pictures and films than they do. */
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

/** Types of files that hold other files. */
const ARCHIVE =
  /^application\/(?:zip|gzip|x-(?:tar|gtar|gzip|bzip2?|xz|7z-compressed|rar-compressed|compressed)|zstd|vnd\.rar)\b/;

/** The kind of an entry's icon: of a folder, a kind that a browser shows, an archive, or another file. */
export function iconOf({ name, size }: Entry): Kind | "folder" | "archive" | "other" {
  if (size === undefined) return "folder";
  return kindOf(name) ?? (ARCHIVE.test(mediaType(name)) ? "archive" : "other");
}

// The rule for items of a folder that are listed.

/**
 * Makes a test for names that can be served. U+FFFD stands for bytes that are not valid Unicode: of several files
 * whose names look the same, one passes.
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

/** Items that are asked for in one call of the file system. */
const AT_ONCE = 16;

/**
 * Asks the system about items of a folder as {@linkcode infoOf} does, without making other requests wait.
 * @param folder The folder's real path, and the path in a request for it.
 * @param client Aborted when the client has left: the rest of its work is then given up.
 * @returns For each name undefined if the item may not be served.
 * @throws BusyError if the file system does not answer; RequestError 499 if the client has left.
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
 * Asks the system about an item, or about the target of a link.
 * @param path The item's path below the folder's real one.
 * @param lexicalPath The path in a request for the item.
 * @returns undefined if the item may not be served.
 */
export function infoOf(root: Root, path: string, lexicalPath: string): Deno.FileInfo | undefined {
  try {
    const info = Deno.lstatSync(path);
    const served = info.isSymlink ? root.resolve(lexicalPath).info : info;
    if (!served.isFile && !served.isDirectory) return undefined;
    return info.isSymlink || !root.isExcluded(path, info) ? served : undefined;
  } catch {
    return undefined; // the file has vanished, or deskhand may not read it
  }
}
