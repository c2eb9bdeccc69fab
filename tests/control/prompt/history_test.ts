/** The prompt's history between starts. */

import { assertEquals, assertThrows } from "@std/assert";
import { History, HISTORY_LIMIT, isKept } from "../../../control/prompt/history.ts";
import { InputError } from "../../../core/errors.ts";
import { temporary } from "../../support/temporary.ts";

const KEPT: [line: string, isKept: boolean][] = [
  ["m10-20", true],
  ["  g  ", true],
  ["save recordings/2026-01-02T03-04-05.json", true],
  ["k ctrl+shift+t", true],
  ["t hello", false],
  ["  t hunter2", false],
  ["copy hunter2", false],
  ["hunter2", false], // a password at the wrong prompt
  ["unknown words", false],
  ["k wYKDFPOyXg8cORPlxtu7buzI0nQTcDvuwmP7luH9UMY", false],
  ["save token=0123456789abcdef", false],
  ["# a comment", false],
  ["", false],
];

for (const [line, expected] of KEPT) {
  Deno.test(`${JSON.stringify(line)} is ${expected ? "kept" : "forgotten at the end"}`, () => {
    assertEquals(isKept(line), expected);
  });
}

Deno.test("the newest lines come back, those that are not kept only until the end", async () => {
  await temporary(async (folder) => {
    const file = `${folder}/history`;
    await Deno.writeTextFile(file, "");
    const first = new History(file);
    for (const line of ["m1-2", "g", "g", "t secret", "zz", ""]) first.add(line);
    assertEquals(first.lines, ["zz", "t secret", "g", "m1-2"]);
    assertEquals(await Deno.readTextFile(file), "m1-2\ng\n");
    assertEquals(new History(file).lines, ["g", "m1-2"]);
  });
});

Deno.test("a long history is cut to its newest lines", async () => {
  await temporary(async (folder) => {
    const file = `${folder}/history`;
    const lines = Array.from({ length: HISTORY_LIMIT + 5 }, (_, i) => `m${i}-0`);
    await Deno.writeTextFile(file, lines.join("\n") + "\nt secret\n");
    const history = new History(file);
    assertEquals(history.lines, lines.slice(5).reverse());
    assertEquals(await Deno.readTextFile(file), lines.slice(5).join("\n") + "\n");
    history.add("g");
    assertEquals([history.lines.length, history.lines[0]], [HISTORY_LIMIT, "g"]);
  });
});

Deno.test("a file that is no history is not read", async () => {
  await temporary(async (folder) => {
    await Deno.writeFile(`${folder}/large`, new Uint8Array(3_000_000));
    assertThrows(() => new History(`${folder}/large`), InputError, "it is larger than");
  });
});
