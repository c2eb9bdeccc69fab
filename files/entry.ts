/** Entries of a folder, and how they are shown. */

import { Pace } from "./pace.ts";

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

/** Entries that are worked on before it is looked whether others should have their turn. */
export const RUN = 200;

/**
 * Writes entries in turns with other requests.
 * @param separator What stands between two.
 * @returns Pieces of the text.
 */
export async function written(
  entries: readonly Entry[],
  write: (entry: Entry) => string,
  separator = "",
): Promise<string[]> {
  const pace = new Pace(), parts: string[] = [];
  for (let i = 0; i < entries.length; i += RUN) {
    if (pace.isOver) await pace.turn();
    parts.push((i ? separator : "") + entries.slice(i, i + RUN).map(write).join(separator));
  }
  return parts;
}

/** Text in UTF-8. */
export async function bytesOf(parts: string[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
