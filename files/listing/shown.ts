/** Names, sizes and numbers as text of a page, and links to entries. */

import { escape } from "@std/html";
import { printable } from "../../core/printable.ts";

/** Units of sizes; each is 1024 times the unit before. */
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A name as text of a page, in which no character hides or reorders other characters. */
export function shown(name: string): string {
  return escape(printable(name, Infinity));
}

/**
 * A reference to an entry, relative to its folder, that needs no escape between double quotes. Without `./` a name with
 * a colon would begin with a scheme.
 * @param name As {@linkcode Entry} has it.
 * @example
 * linkTo("a b/#1.txt") // "./a%20b/%231.txt"
 */
export function linkTo(name: string): string {
  return "./" + encodeURIComponent(name).replaceAll("%2F", "/");
}

/** A size in bytes with three digits at most, and its unit. */
export function shownSize(bytes: number): string {
  let unit = 0;
  while (bytes >= 1000 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${unit && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${UNITS[unit]}`;
}

/** A number of things, with the word for them. */
export function shownCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
