/** Paths of requests, and names that have another meaning on Windows. */

import { assertEquals, assertThrows } from "@std/assert";
import { RequestError } from "../../http/request_error.ts";
import { isSpecialOnWindows, pathNames } from "../../files/resolve.ts";

const PATHS: [path: string, names: string[] | number][] = [
  ["/", [""]],
  ["/a", ["a"]],
  ["/a/", ["a", ""]],
  ["/a/b%20c", ["a", "b c"]],
  ["/%E6%BC%A2", ["漢"]],
  ["/%252e%252e/x", ["%2e%2e", "x"]],
  ["/...", ["..."]],
  ["/..", 400],
  ["/../x", 400],
  ["/%2e%2e/x", 400],
  ["/a/./b", 400],
  ["/a%2fb", 400],
  ["/a%5cb", 400],
  ["/a\\b", 400],
  ["/a%00", 400],
  ["/%", 400],
  ["/%zz", 400],
  ["/%ff", 400],
  ["/%c0%ae%c0%ae/", 400],
  ["*", 400],
  ["", 400],
  ["//a", 404],
  ["/a//b", 404],
];

Deno.test("paths are decoded once and never lead up", () => {
  for (const [path, expected] of PATHS) {
    if (typeof expected === "number") {
      assertEquals(assertThrows(() => pathNames(path, false), RequestError).status, expected, path);
    } else assertEquals(pathNames(path, false), expected, path);
  }
});

const SPECIAL = "CON con nul.txt COM1 lpt9.log COM¹ CONIN$ a.txt::$DATA C: a. x.txt. PROGRA~1 a?b a* a|b"
  .split(" ");

Deno.test("names that have another meaning on Windows are not found there, and are found elsewhere", () => {
  for (const name of [...SPECIAL, "a ", "aux .txt"]) {
    assertEquals(isSpecialOnWindows(name), true, name);
    const path = "/" + encodeURIComponent(name);
    assertEquals(assertThrows(() => pathNames(path, true), RequestError).status, 404, name);
    assertEquals(pathNames(path, false), [name]);
  }
  for (const name of ["console", "a.con", "com10", "comx", "a~b", "normal.txt", ".hidden", "nulls.txt"]) {
    assertEquals(isSpecialOnWindows(name), false, name);
  }
});
