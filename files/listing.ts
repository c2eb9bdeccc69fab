/** A folder's listing, for people and for scripts. */

import { join } from "@std/path";
import { RequestError } from "../errors.ts";
import { contentDisposition } from "./disposition.ts";
import { BATCH, type Entry, type Sort, SORTS, turn, type View } from "./entry.ts";
import { listingPage } from "./listing_page.ts";
import { COMMON } from "./pages.ts";
import { isServable, type Root } from "./resolve.ts";

const COMPARE: Record<Sort, (a: Entry, b: Entry) => number> = {
  name: () => 0,
  size: (a, b) => (a.size ?? 0) - (b.size ?? 0),
  time: (a, b) => (a.modified?.getTime() ?? 0) - (b.modified?.getTime() ?? 0),
};

/**
 * Lists a folder.
 * @param real The folder's real path.
 * @param names Names on the way to it.
 * @param query `sort`, `order` and `format=json`.
 * @param place The path that was asked for, links not followed.
 * @throws RequestError 400 if the query asks for what is not there.
 */
export async function listing(
  root: Root,
  real: string,
  names: string[],
  query: string,
  place: string,
): Promise<Response> {
  const asked = new URLSearchParams(query);
  const view = {
    sort: choice(asked, "sort", SORTS),
    descending: choice(asked, "order", ["asc", "desc"]) === "desc",
  };
  const format = choice(asked, "format", ["html", "json"]);
  const entries = sorted(await readEntries(root, real, place), view);
  return format === "json" ? json(names, entries) : await listingPage(names, entries, view);
}

function choice<const T extends string>(asked: URLSearchParams, name: string, allowed: readonly T[]): T {
  const value = asked.get(name) ?? allowed[0];
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new RequestError(400, `${name} must be one of ${allowed.join(", ")}.`);
}

async function readEntries(root: Root, real: string, place: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let seen = 0;
  for await (const item of Deno.readDir(real)) {
    if (++seen % BATCH === 0) await turn();
    if (!isServable(item.name)) continue;
    const entry = item.isSymlink ? linked(root, join(place, item.name)) : plain(join(real, item.name));
    if (entry) entries.push({ name: item.name, ...entry });
  }
  return entries;
}

/** What a link leads to, if that may be served. */
function linked(root: Root, path: string): Omit<Entry, "name"> | undefined {
  try {
    return facts(root.find(path).info);
  } catch {
    return undefined;
  }
}

function plain(path: string): Omit<Entry, "name"> | undefined {
  try {
    return facts(Deno.lstatSync(path));
  } catch {
    return undefined; // it vanished, or may not be looked at
  }
}

function facts(info: Deno.FileInfo): Omit<Entry, "name"> | undefined {
  if (!info.isFile && !info.isDirectory) return undefined;
  return { folder: info.isDirectory, size: info.isFile ? info.size : undefined, modified: info.mtime };
}

function sorted(entries: Entry[], { sort, descending }: View): Entry[] {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const direction = descending ? -1 : 1;
  return entries.sort((a, b) => {
    if (a.folder !== b.folder) return a.folder ? -1 : 1;
    return direction *
      (COMPARE[sort](a, b) || collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
  });
}

function json(names: string[], entries: Entry[]): Response {
  const body = new TextEncoder().encode(JSON.stringify({
    path: "/" + names.map((name) => `${name}/`).join(""),
    entries: entries.map(({ name, folder, size, modified }) => ({
      name,
      type: folder ? "folder" : "file",
      ...(folder ? {} : { size }),
      modified: modified?.toISOString() ?? null,
    })),
  }));
  const type = "application/json";
  return new Response(body, {
    headers: [
      ...COMMON,
      ["content-type", type],
      ["content-length", String(body.length)],
      ["content-disposition", contentDisposition(`${names.at(-1) ?? "files"}.json`, type)],
      ["cache-control", "no-cache"],
    ],
  });
}
