/** Entries of a folder, and how they are shown. */

/** An entry that can be served. */
export interface Entry {
  name: string;
  folder: boolean;
  /** Bytes; of a folder undefined. */
  size: number | undefined;
  modified: Date | null;
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
