/** Completions by Tab. */

import { assertEquals } from "@std/assert";
import { COMMANDS } from "../../../control/prompt/commands.ts";
import { complete } from "../../../control/prompt/pipe.ts";
import { temporary } from "../../support/temporary.ts";

Deno.test("command names are completed", async () => {
  assertEquals(await complete("dr"), [["drag "], "dr"]);
  assertEquals(await complete("he"), [["help "], "he"]);
  assertEquals(await complete("help wai"), [["wait", "waitwin"], "wai"]);
  assertEquals(await complete("sav"), [["save "], "sav"]);
  assertEquals(await complete("zz"), [[], "zz"]);
  assertEquals((await complete(""))[0].length, new Set(COMMANDS.map(({ name }) => name)).size);
});

Deno.test("file names are completed behind shot, save and load", async () => {
  await temporary(async (folder) => {
    for (const name of ["a.json", "a b.json", "c.png", ".hidden", "bad\x1b[31m"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "");
    }
    await Deno.mkdir(`${folder}/inside`);
    const CASES: [line: string, offers: string[]][] = [
      ["load a", ["a b.json", "a.json"]],
      ["load a b", ["a b.json"]],
      ["save! a.", ["a.json"]],
      ["shot ", ["a b.json", "a.json", "c.png", "inside/"]], // no name that a terminal would act on
      ["save in", ["inside/"]],
      ["save inside/", []],
      ["load .", [".hidden"]],
      ["load missing/", []],
    ];
    for (const [line, offers] of CASES) {
      const [, command, begun] = /^(\S+ )(.*)$/.exec(line)!;
      const typed = `${folder}/${begun}`;
      assertEquals(
        await complete(command + typed),
        [offers.map((name) => `${folder}/${name}`), typed],
        line,
      );
    }
  });
});

Deno.test("nothing is offered behind commands that take no file", async () => {
  assertEquals(await complete("t a"), [[], "t a"]);
  assertEquals(await complete("k ctrl"), [[], "k ctrl"]);
});
