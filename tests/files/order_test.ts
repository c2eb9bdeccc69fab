/** The order of a listing. */

import { assertEquals } from "@std/assert";
import { ordered } from "../../files/listing/order.ts";

Deno.test("names are in the order in which people count", () => {
  const names = ["b", "A10", "a9", "a09", "ä8", "a", "Z", "100", "20", "3", "_x", "a 2", "a 10", "É", "e1"];
  const entries = names.map((name) => ({ name, folder: false, size: 1, modified: null }));
  const sorted = ordered(entries, { sort: "name", descending: false });
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

Deno.test("the latest is last, and what has no time the oldest", () => {
  const entries = ([["b", 20], ["c", null], ["d", 10], ["a", 20], ["e", null]] as [string, number | null][])
    .map(([name, time]) => ({
      name,
      folder: false,
      size: 1,
      modified: time === null ? null : new Date(time),
    }));
  const names = (descending: boolean) =>
    ordered(entries, { sort: "time", descending }).map(({ name }) => name).join("");
  assertEquals([names(false), names(true)], ["cedab", "badec"]);
});

Deno.test("folders come first, then what was asked for", () => {
  const random = (i: number) => Math.imul(i, 2654435761) >>> 0;
  const entries = Array.from({ length: 2000 }, (_, i) => ({
    name: `file ${random(i)}`,
    folder: random(i) % 7 === 0,
    size: random(i) % 100,
    modified: null,
  }));
  const sorted = ordered(entries, { sort: "size", descending: true });
  assertEquals(sorted.length, entries.length);
  assertEquals(new Set(sorted).size, entries.length);
  sorted.slice(1).forEach((entry, i) => {
    const before = sorted[i];
    assertEquals(before.folder || !entry.folder, true, "folders come first");
    if (before.folder === entry.folder) assertEquals(before.size! >= entry.size!, true, "the largest first");
  });
});
