/** A listing for scripts. */

import { printableJson } from "../../core/printable.ts";
import type { Contents, Entry } from "./entry.ts";

/**
 * Writes a listing as JSON. A search also tells how many entries were found, and whether all of them are there.
 * @returns Its parts, in order.
 */
export function* jsonParts({ names, entries, totals, view: { search }, cut }: Contents): Generator<string> {
  const path = "/" + names.map((name) => `${name}/`).join("");
  const found = search ? `"found":${totals.folders + totals.files},"complete":${!cut},` : "";
  yield `{"path":${quoted(path)},${found}"entries":[`;
  let comma = "";
  for (const entry of entries) {
    yield comma + object(entry);
    comma = ",";
  }
  yield "]}";
}

function object({ name, size, modified }: Entry): string {
  const type = size === undefined ? `"type":"folder"` : `"type":"file","size":${size}`;
  const time = modified === null ? "null" : `"${new Date(modified).toISOString()}"`;
  return `{"name":${quoted(name)},${type},"modified":${time}}`;
}

/** A string in JSON that a terminal shows as it is. */
function quoted(text: string): string {
  return printableJson(JSON.stringify(text));
}
