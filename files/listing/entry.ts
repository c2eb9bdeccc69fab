/** Entries of a folder, and how they are shown. */

/** An entry that can be served. */
export interface Entry {
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

/** How a listing is shown. */
export interface View {
  sort: Sort;
  descending: boolean;
}

/** What a listing is written from. */
export interface Contents {
  /** Names on the way from the root to the folder. */
  names: readonly string[];
  /** In order. */
  entries: Iterable<Entry>;
  view: View;
}
