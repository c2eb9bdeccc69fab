/** The cache that programs keep of their own elements: all of them by one call. */

import type { Call } from "./calls.ts";
import { type Ref, refOf } from "./objects.ts";

/** The object of a program that has its cache. */
const CACHE_PATH = "/org/a11y/atspi/cache";
/** Characters of a path that are kept. */
const PATH_LENGTH = 255;

/** An item of a cache: the fields of `Cache.GetItems` that are used, in their order. */
export interface Item {
  ref: Ref;
  parent: string;
  index: number;
  count: number;
  name: string;
  role: number;
  states: number[];
}

/** A call that asks a program for its cache. */
export function askCache(app: string, then: (items: Item[]) => void): Call {
  return {
    object: { destination: app, path: CACHE_PATH, interface: "org.a11y.atspi.Cache" },
    member: "GetItems",
    then: (values) => then(itemsOf(values?.[0])),
  };
}

/**
 * The items of a cache. Its two signatures are `a((so)(so)(so)iiassusau)` and, of older Qt, `a((so)(so)(so)a(so)assusau)`.
 */
export function itemsOf(value: unknown): Item[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    if (!Array.isArray(item)) return [];
    const [object, , around, index] = item, ref = refOf(object), isNew = typeof index === "number";
    const count = isNew ? Number(item[4]) : Array.isArray(index) ? index.length : 0;
    const [, name, role, , states] = item.slice(isNew ? 5 : 4);
    if (!ref || !Array.isArray(around) || !Array.isArray(states)) return [];
    const parent = String(around[1]).slice(0, PATH_LENGTH);
    return [{
      ref,
      parent,
      index: isNew ? index : 0,
      count,
      name: typeof name === "string" ? name : "",
      role: Number(role),
      states: statesOf(states),
    }];
  });
}

/** The two words of states, of a value that may be anything. */
export function statesOf(value: unknown): number[] {
  return Array.isArray(value) ? value.slice(0, 2).map(Number) : [];
}
