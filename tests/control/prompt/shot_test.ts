/** `shot`: the files that it replaces, and the permissions of the files that it writes. */

import { assertEquals, assertRejects } from "@std/assert";
import { runLine } from "../../../control/prompt/commands.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { InputError, StateError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { runnerOf } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { temporary } from "../../support/temporary.ts";

const UNIX = { ignore: Deno.build.os === "windows" };

/** Runs lines of a prompt. `answer` is the person's answer to a question; without it there is no terminal. */
function prompt(answer?: boolean) {
  const questions: string[] = [], notices: string[] = [];
  const context = {
    runner: runnerOf(new Operator(new VirtualDesktop())),
    signal: new AbortController().signal,
    by: "prompt" as const,
    notice: (text: string) => void notices.push(text),
    confirm: answer === undefined ? undefined : (question: string) => {
      questions.push(question);
      return Promise.resolve(answer);
    },
  };
  return { questions, notices, run: (line: string) => runLine(line, context) };
}

const magic = async (file: string) => String.fromCharCode(...(await Deno.readFile(file)).slice(0, 4));
const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();

Deno.test(
  { ...UNIX, name: "a picture is written whole into a file that only its user can read" },
  async () => {
    await temporary(async (folder) => {
      const { run, questions } = prompt(false);
      await run(`shot ${folder}/a.png`);
      await run(`shot ${folder}/b.BMP`);
      assertEquals([await magic(`${folder}/a.png`), (await magic(`${folder}/b.BMP`)).slice(0, 2)], [
        "\x89PNG",
        "BM",
      ]);
      for (const name of names(folder)) assertEquals(Deno.statSync(`${folder}/${name}`).mode! & 0o777, 0o600);
      assertEquals([names(folder), questions], [["a.png", "b.BMP"], []]);
    });
  },
);

Deno.test("on a terminal it asks before it replaces a file", async () => {
  await temporary(async (folder) => {
    const file = `${folder}/a.png`;
    await Deno.writeTextFile(file, "old");
    const no = prompt(false);
    await no.run(`shot ${file}`);
    assertEquals(await Deno.readTextFile(file), "old");
    assertEquals([no.questions, no.notices], [[`${file} is there already. Replace it?`], ["not saved"]]);
    await prompt(true).run(`shot ${file}`);
    assertEquals(await magic(file), "\x89PNG");
  });
});

Deno.test("without a terminal it refuses to replace a file and names shot!, which does", async () => {
  await temporary(async (folder) => {
    const file = `${folder}/a.png`;
    await Deno.writeTextFile(file, "old");
    const { run } = prompt();
    await assertRejects(() => run(`shot ${file}`), StateError, `${file} is there already; shot! replaces it`);
    assertEquals(await Deno.readTextFile(file), "old");
    await run(`shot! ${file}`);
    assertEquals(await magic(file), "\x89PNG");
  });
});

Deno.test(
  { ...UNIX, name: "a link is replaced, and the file that it points to stays as it is" },
  async () => {
    await temporary(async (folder) => {
      await Deno.writeTextFile(`${folder}/precious`, "old");
      for (const target of ["precious", "missing"]) {
        const link = `${folder}/${target}.png`;
        await Deno.symlink(target, link);
        await assertRejects(() => prompt().run(`shot ${link}`), StateError, "is there already");
        await prompt().run(`shot! ${link}`);
        assertEquals([Deno.lstatSync(link).isFile, await magic(link)], [true, "\x89PNG"]);
      }
      assertEquals(await Deno.readTextFile(`${folder}/precious`), "old");
      assertEquals(names(folder), ["missing.png", "precious", "precious.png"]);
    });
  },
);

Deno.test(
  { ...need("mkfifo"), name: "a pipe is not replaced, and nothing waits for its reader" },
  async () => {
    await temporary(async (folder) => {
      await new Deno.Command("mkfifo", { args: [`${folder}/a.png`] }).output();
      await assertRejects(() => prompt().run(`shot! ${folder}/a.png`), InputError, "it is no file");
      assertEquals(names(folder), ["a.png"]);
    });
  },
);
