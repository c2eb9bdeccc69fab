/** Entries of a folder, and how they are shown. */

import type { Rendered } from "../render/work.ts";

/** An entry that can be served. */
export interface Entry {
  /** Its name; for an entry of a search below the folder the names on the way to it too, with `/` between them. */
  name: string;
  /** Bytes; undefined for a folder. */
  size: number | undefined;
  /** Milliseconds since 1970; null if the system has no time for it. */
  modified: number | null;
}

/** How entries can be sorted. Folders always come first. */
export const SORTS = ["name", "size", "time"] as const;
/** One of {@linkcode SORTS}. */
export type Sort = typeof SORTS[number];

/** How a page can lay entries out. */
export const LAYOUTS = ["list", "gallery"] as const;
/** One of {@linkcode LAYOUTS}. */
export type PageLayout = typeof LAYOUTS[number];

/** A search for entries. */
export interface Search {
  /** Words that a name must have; all names have none. */
  text: string;
  /** Tells whether folders below are searched too. */
  deep: boolean;
}

/** How a listing is shown. */
export interface View {
  sort: Sort;
  descending: boolean;
  /** A list if left out. */
  layout?: PageLayout;
  /** All entries if left out. */
  search?: Search;
}

/** How many entries there are. */
export interface Totals {
  folders: number;
  files: number;
  /** Of the files together. */
  bytes: number;
}

/** Why entries of a search are missing. */
export type Cut = "number" | "time";

/** A file that is shown in a page. */
export interface ShownFile {
  name: string;
  /** How it is shown; undefined if it cannot be. */
  kind: Kind | undefined;
  /** Bytes. */
  size: number;
  /** Of a text. */
  text?: string;
  /** Tells whether the text is only the beginning of the file's. */
  isCut?: boolean;
  /** The text as HTML; the text itself is shown if left out. */
  rendered?: Rendered;
}

/** How a browser can show a file. */
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
  /** In order. */
  entries: Iterable<Entry>;
  /** Of all entries that were found, also of those that are cut off. */
  totals: Totals;
  /** Set if entries are missing. */
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
