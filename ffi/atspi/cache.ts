/**
 * The cache that programs maintain of their own elements (`org.a11y.atspi.Cache`), read with a single call.
 */

import type { ValueReader } from "../linux/dbus/marshalling.ts";
import { type Call, isPath } from "./objects.ts";

/** The path of a program's cache object. */
const CACHE_PATH = "/org/a11y/atspi/cache";
/** Maximum length of a stored path, in characters. */
const PATH_LENGTH = 255;
/** The signatures of the items: the current one, and that of older Qt versions. */
const SIGNATURES = { new: "a((so)(so)(so)iiassusau)", old: "a((so)(so)(so)a(so)assusau)" };

/** A cache item: the used fields of `Cache.GetItems`, in order. */
export interface Item {
  path: string;
  parent: string;
  index: number;
  count: number;
  name: string;
  role: number;
  states: number[];
  /** The description, if it was requested. */
  description?: string;
}

/**
 * A call that requests a program's cache.
 * @param described Whether to read descriptions as well.
 */
export function askCache(app: string, then: (items: Item[]) => void, described = false): Call {
  return {
    object: { destination: app, path: CACHE_PATH, interface: "org.a11y.atspi.Cache" },
    member: "GetItems",
    decode: (reader, signature) => readItems(reader, signature, app, described),
    then: (items) => then((items ?? []) as Item[]),
  };
}

/**
 * Reads a cache's items directly from the bytes of an answer: a page has thousands, each with fifteen
 * strings, three of which are used.
 * @param app The program. Items that claim to belong to other programs are skipped.
 * @returns No items if the answer has another signature.
 * @throws MarshalError if the bytes do not fit the signature.
 */
function readItems(reader: ValueReader, signature: string, app: string, described: boolean): Item[] {
  const isOld = signature === SIGNATURES.old, items: Item[] = [];
  if (!isOld && signature !== SIGNATURES.new) return items;
  for (const end = reader.readArray(8); reader.at < end;) {
    const item = readItem(reader, app, isOld, described);
    if (item) items.push(item);
  }
  return items;
}

function readItem(
  reader: ValueReader,
  app: string,
  isOld: boolean,
  described: boolean,
): Item | undefined {
  reader.align(8);
  reader.align(8);
  const isOwn = reader.readText() === app, path = reader.readText();
  skipObject(reader); // the program
  reader.align(8);
  reader.skipText();
  const parent = reader.readText().slice(0, PATH_LENGTH);
  const index = isOld ? 0 : reader.readInt(), count = isOld ? countObjects(reader) : reader.readInt();
  reader.at = reader.readArray(4); // interfaces
  const name = reader.readText(), role = reader.readUint();
  const description = described ? reader.readText() : void reader.skipText();
  const states: number[] = [];
  for (const end = reader.readArray(4); reader.at < end;) states.push(reader.readUint());
  if (!isOwn || !isPath(path)) return undefined;
  const item = { path, parent, index, count, name, role, states };
  return description === undefined ? item : { ...item, description };
}

function countObjects(reader: ValueReader): number {
  let count = 0;
  for (const end = reader.readArray(8); reader.at < end; count++) skipObject(reader);
  return count;
}

/** Skips an object reference: a structure of the program's name and a path. */
function skipObject(reader: ValueReader): void {
  reader.align(8);
  reader.skipText();
  reader.skipText();
}

/** The two words of an item's states; the value may be of any type. */
export function stateBits(value: unknown): number[] {
  return Array.isArray(value) ? value.slice(0, 2).map(Number) : [];
}
