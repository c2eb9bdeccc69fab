/** The order of a listing. */

import { assertEquals } from "@std/assert";
import { Entries, type Entry, type View } from "../../files/listing/entries.ts";
import { ordered } from "../../files/listing/read.ts";

/** Entries as the view shows them. */
function sortedBy(view: View, entries: Entry[]): Entry[] {
  const columns = new Entries();
  for (const entry of entries) {
    columns.add(entry.name);
    columns.describe(columns.count - 1, entry);
    columns.add(`${entry.name} that is not described`);
  }
  return [...columns.inOrder(ordered(columns, view))];
}

Deno.test("names are in natural order", () => {
  const names = ["b", "A10", "a9", "a09", "ä8", "a", "Z", "100", "20", "3", "_x", "a 2", "a 10", "É", "e1"];
  const entries = names.map((name) => ({ name, size: 1, modified: null }));
  const sorted = sortedBy({ sort: "name", descending: false }, entries);
  assertEquals(sorted.map(({ name }) => name), [
    "3",
    "20",
    "100",
    "_x",
    "a",
    "a 2",
    "a 10",
    "ä8",
    "a09",
    "a9",
    "A10",
    "b",
    "É",
    "e1",
    "Z",
  ]);
});

Deno.test("the order of names with numbers does not depend on the order in which they are read", () => {
  const parts = ["", "0", "00", "1", "01", "10", "9", "a", "b", "-", "A1", "a10", "é2", "漢"];
  const names = parts.flatMap((first) => parts.map((second) => `${first}.${second}`)).filter((name) => name);
  const entries = names.map((name) => ({ name, size: 1, modified: null }));
  const ascending = sortedBy({ sort: "name", descending: false }, entries);
  const shuffled = entries.toSorted((a, b) => hash(a.name) - hash(b.name));
  assertEquals(sortedBy({ sort: "name", descending: false }, shuffled), ascending);
  assertEquals(sortedBy({ sort: "name", descending: true }, shuffled), ascending.toReversed());
});

/** Parts of names whose keys are hard to tell apart: long beginnings, numbers of many lengths, signs beside digits. */
const HARD = [
  "",
  "0",
  "007",
  "7",
  "12",
  "123456789",
  "0123456789",
  "9".repeat(30),
  "9".repeat(300),
  "1".repeat(300),
  "/",
]
  .concat(["x".repeat(70), "a", "a:", "a/0", "é", "漢", "\u{1f600}", "-", "_"]);

Deno.test("names are sorted as their comparison says, with any beginning in common", () => {
  for (const beginning of ["", "photo_", "x".repeat(63), "2024-", "1".repeat(62)]) {
    const entries = new Entries();
    for (const [i, first] of HARD.entries()) {
      for (const second of HARD.slice(i % 3)) {
        entries.add(`${beginning}${first}${second}${i}`);
        entries.describe(entries.count - 1, { size: 1, modified: null });
      }
    }
    const order = ordered(entries, { sort: "name", descending: false });
    assertEquals(order.length, entries.count);
    const compared = Array.from(order).sort((a, b) => entries.compareNames(a, b));
    assertEquals(Array.from(order), compared, beginning);
  }
});

function hash(name: string): number {
  return [...name].reduce((sum, character) => Math.imul(sum + character.codePointAt(0)!, 2654435761), 7);
}

Deno.test("the latest entry is last, and entries without a time count as the oldest", () => {
  const entries = ([["b", 20], ["c", null], ["d", 10], ["a", 20], ["e", null]] as [string, number | null][])
    .map(([name, time]) => ({
      name,
      size: 1,
      modified: time,
    }));
  const names = (descending: boolean) =>
    sortedBy({ sort: "time", descending }, entries).map(({ name }) => name).join("");
  assertEquals([names(false), names(true)], ["cedab", "badec"]);
});

Deno.test("folders come first, then files by size", () => {
  const random = (i: number) => Math.imul(i, 2654435761) >>> 0;
  const entries = Array.from({ length: 2000 }, (_, i) => ({
    name: `file ${random(i)}`,
    size: random(i) % 7 === 0 ? undefined : random(i) % 100,
    modified: null,
  }));
  const sorted = sortedBy({ sort: "size", descending: true }, entries);
  assertEquals(new Set(sorted.map(({ name }) => name)), new Set(entries.map(({ name }) => name)));
  const isFolder = ({ size }: Entry) => size === undefined;
  sorted.slice(1).forEach((entry, i) => {
    const before = sorted[i];
    assertEquals(isFolder(before) || !isFolder(entry), true, "folders come first");
    if (!isFolder(before)) assertEquals(before.size! >= entry.size!, true, "the largest first");
  });
});
