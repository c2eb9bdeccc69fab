/** Entries of a folder, and how they are shown. */

import type { Rendered } from "../render/work.ts";
import { millisecondsOrNull } from "../times.ts";

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

/** The properties of an entry besides its name. */
export type Properties = Omit<Entry, "name">;

/** Reads an entry's properties from the system's report of the file or folder. */
export function propertiesOf({ isFile, size, mtime }: Deno.FileInfo): Properties {
  return { size: isFile ? size : undefined, modified: millisecondsOrNull(mtime) };
}

/** The orders of entries. Folders always come first. */
export const SORTS = ["name", "size", "time"] as const;
/** One of {@linkcode SORTS}. */
export type Sort = typeof SORTS[number];

/** The layouts of a page's entries. */
export const LAYOUTS = ["list", "gallery"] as const;
/** One of {@linkcode LAYOUTS}. */
export type PageLayout = typeof LAYOUTS[number];

/** A search for entries. */
export interface Search {
  /** Words that a name must contain; empty for all names. */
  text: string;
  /** Tells whether folders below are searched too. */
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

/** The reason why entries of a search are missing. */
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
  /** Tells whether the text is only the beginning of the file's. */
  isCut?: boolean;
  /** The text as HTML; the text itself is shown if left out. */
  rendered?: Rendered;
}

/** The kinds of files that a browser can show. */
export type Kind = "picture" | "film" | "sound" | "text";

/** A text that describes a folder. */
export interface Readme {
  /** The file's name. */
  name: string;
  html: string;
}

/** The contents of a listing. */
export interface Contents {
  /** Names on the way from the root to the folder. */
  names: readonly string[];
  /** The entries in order. */
  entries: Iterable<Entry>;
  /** The totals of all entries that were found, also of those that are cut off. */
  totals: Totals;
  /** The reason why entries are missing, if some are. */
  cut?: Cut;
  view: View;
  /** Tells whether files can be uploaded into the folder; no if left out. */
  takesFiles?: boolean;
  /** Tells whether small pictures can be had; no if left out. */
  hasThumbnails?: boolean;
  /** Tells whether files can be shared by links; no if left out. */
  isShared?: boolean;
  /** The folder's description, shown with its list; none if left out. */
  readme?: Readme;
  /** The file of the folder that the page shows in place of the entries. */
  file?: ShownFile;
}
