/** A listing for scripts. */

import type { Entry } from "./entry.ts";

/**
 * Writes it.
 * @param names Names on the way to the folder.
 * @returns JSON.
 */
export function writeJson(names: readonly string[], entries: readonly Entry[]): string {
  return JSON.stringify({
    path: "/" + names.map((name) => `${name}/`).join(""),
    entries: entries.map(described),
  });
}

function described({ name, folder, size, modified }: Entry) {
  return {
    name,
    type: folder ? "folder" : "file",
    ...(folder ? {} : { size }),
    modified: modified?.toISOString() ?? null,
  };
}
