/** A folder's listing, for people and for scripts. */

import { SEPARATOR } from "@std/path";
import { RequestError } from "../errors.ts";
import { uncopied } from "../http/uncopied.ts";
import { contentDisposition } from "./disposition.ts";
import { bytesOf, type Entry, SORTS, written } from "./entry.ts";
import { listingPage } from "./listing_page.ts";
import { ordered } from "./order.ts";
import { Pace } from "./pace.ts";
import { COMMON } from "./pages.ts";
import { isServable, type Root } from "./resolve.ts";

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
  const entries = await ordered(await readEntries(root, real, place), view);
  return format === "json" ? await json(names, entries) : await listingPage(names, entries, view);
}

function choice<const T extends string>(asked: URLSearchParams, name: string, allowed: readonly T[]): T {
  const value = asked.get(name) ?? allowed[0];
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new RequestError(400, `${name} must be one of ${allowed.join(", ")}.`);
}

async function readEntries(root: Root, real: string, place: string): Promise<Entry[]> {
  const pace = new Pace(), entries: Entry[] = [];
  for await (const item of Deno.readDir(real)) {
    if (pace.isOver) await pace.turn();
    if (!isServable(item.name)) continue;
    const entry = item.isSymlink
      ? linked(root, place + SEPARATOR + item.name)
      : plain(real + SEPARATOR + item.name);
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

async function json(names: string[], entries: Entry[]): Promise<Response> {
  const path = JSON.stringify("/" + names.map((name) => `${name}/`).join(""));
  const parts = await written(entries, (entry) => JSON.stringify(described(entry)), ",");
  const body = await bytesOf([`{"path":${path},"entries":[`, ...parts, "]}"]);
  const type = "application/json";
  return new Response(uncopied(body), {
    headers: [
      ...COMMON,
      ["content-type", type],
      ["content-length", String(body.length)],
      ["content-disposition", contentDisposition(`${names.at(-1) ?? "files"}.json`, type)],
      ["cache-control", "no-cache"],
    ],
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
