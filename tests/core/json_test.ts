/** JSON parsing: the position of a syntax error. */

import { assertEquals, assertThrows } from "@std/assert";
import { InputError } from "../../core/errors.ts";
import { faultIn, parseJson } from "../../core/json.ts";

/** Invalid JSON; `^` marks the first wrong character. */
const FAULTS = [
  '{"a":1^',
  "^",
  " ^",
  '{"a":1,^}',
  "[1,\n2,\n^,3]",
  "[1,2^",
  "[^,1]",
  "[1 ^2]",
  "{^a:1}",
  "{^'a':1}",
  '{"a" ^1}',
  '{"a":^}',
  '{"a":1}\n^{',
  "^nope",
  "[^True]",
  "[^01]",
  "[^1.]",
  "[^+1]",
  "[1]^]",
  '{"a":[1^}',
  '["x^\ny"]',
  '["x^\\y"]',
  '["x^\\u12g4"]',
  '["x^',
  "[1,2,^// no",
  '{"events":[\n{"t":0},\n{"t":1}\n^{"t":2}\n]}',
];

Deno.test("finds the position of a syntax error", () => {
  for (const marked of FAULTS) {
    const text = marked.replace("^", "");
    assertThrows(() => JSON.parse(text), SyntaxError);
    assertEquals(faultIn(text), marked.indexOf("^"), marked);
  }
});

Deno.test("finds no error in valid JSON", () => {
  const value = { a: [1, -2.5e-3, true, null, {}, [], '\u0080\u007f\\"/é😀'], "": { b: [[[]]] } };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), " 1\n", '"x"', "0e1"]) {
    JSON.parse(text);
    assertEquals(faultIn(text), text.length, text);
  }
});

Deno.test("the message has the line and column, and none of the text", () => {
  const read = (text: string) => parseJson(new TextEncoder().encode(text), "the body");
  for (
    const [text, place] of [['{"secret":1,\n  "b":}', "line 2, column 7"], ["{secret}", "line 1, column 2"]]
  ) {
    const { message } = assertThrows(() => read(text), InputError);
    assertEquals(
      message,
      `the body is not valid JSON: a JSON object in UTF-8 is needed; the error is at ${place}`,
    );
  }
});
