/** How a text is typed: which characters need the option, and in which sets. Pure. */

import { cutText, KEYS_IN_TEXT } from "../../text.ts";
import { keysymOf } from "../wire/keymaps.ts";
import type { OptionKey } from "./option_keys.ts";

/** Characters, and the symbols that keys have meanwhile. */
export interface TypedPart {
  /** Code points. */
  characters: number[];
  /** Keysyms by key; undefined if the part needs no change. */
  symbols: ReadonlyMap<OptionKey, number> | undefined;
}

/** The keys of the option. */
export interface OptionKeys {
  /** Keys that may be given symbols. */
  free: readonly OptionKey[];
  /** Keysyms that keys have now. */
  present: ReadonlyMap<OptionKey, number>;
}

/**
 * Plans a text with as few changes of the keyboard map as possible, since each takes time to reach programs.
 * @param characters Code points.
 * @param has Whether the person's layout types a character.
 * @returns undefined if the text needs the option and no key is free.
 */
export function planText(
  characters: readonly number[],
  has: (character: number) => boolean,
  { free, present }: OptionKeys,
): TypedPart[] | undefined {
  const needs = (character: number) => !KEYS_IN_TEXT.has(character) && !has(character);
  if (!free.length && characters.some(needs)) return undefined;
  const parts: TypedPart[] = [];
  for (const part of cutText(characters, needs, free.length)) {
    const wanted = new Set(part.filter(needs).map(keysymOf));
    const before = parts.findLast(({ symbols }) => symbols)?.symbols ?? present;
    const symbols = assignKeys(wanted, free, before);
    parts.push({ characters: part, symbols: symbols === before ? undefined : symbols });
  }
  return parts;
}

/**
 * Gives symbols to keys. A symbol that has a key keeps it, and others keep theirs as long as those are not needed.
 * @param wanted Keysyms, at most as many as there are keys.
 * @returns `present` itself if it has all.
 */
export function assignKeys(
  wanted: ReadonlySet<number>,
  free: readonly OptionKey[],
  present: ReadonlyMap<OptionKey, number>,
): ReadonlyMap<OptionKey, number> {
  const had = new Set(present.values()), missing = [...wanted].filter((symbol) => !had.has(symbol));
  if (!missing.length) return present;
  const symbols = new Map(present);
  const unused = free.filter((key) => !symbols.has(key));
  const dispensable = free.filter((key) => symbols.has(key) && !wanted.has(symbols.get(key)!));
  const keys = [...unused, ...dispensable];
  missing.forEach((symbol, i) => symbols.set(keys[i], symbol));
  return symbols;
}
