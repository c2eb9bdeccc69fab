/** Targets and text of strangers. */

import { assertEquals } from "@std/assert";
import { printable } from "../../http/printable.ts";
import { targetOf } from "../../http/target.ts";

Deno.test("a target is taken from any URL that a request can have", () => {
  const cases: [url: string, path: string, query: string][] = [
    ["http://a/b", "/b", ""],
    ["http://a", "/", ""],
    ["http://a/b?c=d", "/b", "c=d"],
    ["http://a/b?c?d#e", "/b", "c?d"],
    ["http://a/b#c?d", "/b", ""],
    ["http://a/../../etc/passwd", "/../../etc/passwd", ""],
    ["http://a/%2e%2e/x", "/%2e%2e/x", ""],
    ["http://a//b//c", "//b//c", ""],
    ["http://a b/c", "/c", ""],
    ["http://[::1]:80/c?", "/c", ""],
    ["/c?d", "/c", "d"],
  ];
  for (const [url, path, query] of cases) assertEquals(targetOf(url), { path, query }, url);
});

Deno.test("what a terminal would act on is made visible", () => {
  const cases: [text: string, shown: string][] = [
    ["plain ü 漢 😀", "plain ü 漢 😀"],
    ["\x1b[2J", "\\u{1b}[2J"],
    ["a\nb\r", "a\\u{a}b\\u{d}"],
    ["\u202egnp.exe", "\\u{202e}gnp.exe"],
    ["\u2028", "\\u{2028}"],
    ["\ud800", "\\u{d800}"],
    ["\x9b31m", "\\u{9b}31m"],
  ];
  for (const [text, shown] of cases) assertEquals(printable(text), shown);
  assertEquals(printable("abcdef", 3), "abc…");
});
