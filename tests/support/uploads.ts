/** Uploads of texts in tests. */

import type { Ask } from "./files.ts";

export const OPEN = { uploads: { overwrite: false, limit: 1000, hasPassword: false } };
export const OVERWRITING = { uploads: { ...OPEN.uploads, overwrite: true } };

/** Uploads a text, with its length as HTTP clients send it. */
export function put(
  ask: Ask,
  path: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const all = { "content-length": `${new TextEncoder().encode(text).length}`, ...headers };
  return ask(path, { method: "PUT", body: text, headers: all });
}

export function names(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}
