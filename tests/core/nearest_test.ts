/** The name that a misspelt name is meant for. */

import { assertEquals } from "@std/assert";
import { nearest } from "../../core/printable.ts";

const NAMES = ["count", "format", "files", "files-port", "x", "y"];

const CASES: [typed: string, meant: string | undefined][] = [
  ["cout", "count"],
  ["fromat", "format"],
  ["flies", "files"],
  ["float", undefined],
  ["fils", "files"],
  ["fiels", "files"],
  ["conut", "count"],
  ["file-port", "files-port"],
  ["form", "format"], // the only one that begins so
  ["file", "files"],
  ["z", undefined],
  ["x1", undefined],
  ["c", undefined],
  ["", undefined],
  ["colour", undefined],
];

for (const [typed, meant] of CASES) {
  Deno.test(`${JSON.stringify(typed)} is ${meant ? `taken for ${meant}` : "near no name"}`, () => {
    assertEquals(nearest(typed, NAMES), meant);
  });
}
