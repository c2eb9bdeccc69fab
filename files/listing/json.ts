/** A listing for scripts. */

import { printableJson } from "../../core/printable.ts";
import type { Contents, Entry } from "./entry.ts";

/**
 * Writes a listing as JSON.
 * @returns Its parts, in order.
 */
export function* jsonParts({ names, entries }: Contents): Generator<string> {
  const path = "/" + names.map((name) => `${name}/`).join("");
  yield `{"path":${quoted(path)},"entries":[`;
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
