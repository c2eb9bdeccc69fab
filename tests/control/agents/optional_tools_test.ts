/** Tools that a person's options open: programs, and the served folder. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { need } from "../../support/need.ts";
import { controlApi, PEER } from "../../support/control.ts";
import { ask, call, wordsOf } from "../../support/mcp.ts";
import { createFilesHandler } from "../../../files/handler.ts";
import { temporary } from "../../support/temporary.ts";

const namesOf = async (api: ReturnType<typeof controlApi>) =>
  (await ask(api, "tools/list")).result.tools.map(({ name }: { name: string }) => name) as string[];

Deno.test("without options there is no tool that starts programs, and none that reads files", async () => {
  const names = await namesOf(controlApi());
  assert(!names.includes("open") && !names.includes("files"));
});

Deno.test({
  name: "a program of the list is started, without deskhand's secrets and with nothing that the model adds",
  ...need("sh"),
  fn: () =>
    temporary(async (folder) => {
      const program = join(folder, "program"), seen = join(folder, "seen");
      await Deno.writeTextFile(program, `#!/bin/sh\necho "$DESKHAND_TOKEN,$#,$HOME" > ${seen}\n`, {
        mode: 0o755,
      });
      const api = controlApi({ agents: { programs: [program] } });
      Deno.env.set("DESKHAND_TOKEN", "secret");
      try {
        const given = { program, arguments: ["--help"] };
        assertEquals(
          wordsOf(await call(api, "open", given)),
          'open has no field "arguments"; it takes program, look',
        );
        assertMatch(
          wordsOf(await call(api, "do", { actions: [{ tool: "open", program }], look: false })),
          /process \d+/,
        );
      } finally {
        Deno.env.delete("DESKHAND_TOKEN");
      }
      assertEquals(await Deno.readTextFile(seen), `,0,${Deno.env.get("HOME") ?? ""}\n`);
    }),
});

/** Programs that cannot be opened, and the message. */
const REFUSED: [program: string, message: string][] = [
  ["sh", "program must be one of /no/program, false, not"],
  ["/no/program", "there is no program /no/program"],
  ["false", "false ended at once with code 1"],
];

for (const [program, message] of REFUSED) {
  Deno.test(`to open ${program} is refused: ${message}`, async () => {
    const result = await call(controlApi({ agents: { programs: ["/no/program", "false"] } }), "open", {
      program,
    });
    assertEquals(result.isError, true);
    assertStringIncludes(wordsOf(result), message);
  });
}

Deno.test("under --read-only programs are closed and files are open", async () => {
  const agents = { programs: ["false"], files: () => Promise.reject(new Error("not read")) };
  const names = await namesOf(controlApi({ readOnly: true, agents }));
  assertEquals([names.includes("open"), names.includes("files")], [false, true]);
});

Deno.test("the served folder is listed and read, in parts, and nothing outside it", () =>
  temporary(async (folder) => {
    const root = join(folder, "root");
    await Deno.mkdir(join(root, "a b#"), { recursive: true });
    await Deno.writeTextFile(join(root, "a b#", "long.txt"), "0123456789".repeat(2500));
    await Deno.writeFile(join(root, "film.mp4"), new Uint8Array(5));
    await Deno.writeTextFile(join(root, "key.pem"), "secret");
    await Deno.writeTextFile(join(folder, "outside.txt"), "secret");
    const handler = createFilesHandler({ root, secrets: { files: [join(root, "key.pem")] } });
    const api = controlApi({
      agents: {
        files: async (path, headers) =>
          await handler(new Request(`http://127.0.0.1${path}`, { headers }), PEER),
      },
    });
    const files = async (given: Record<string, unknown>) => wordsOf(await call(api, "files", given));
    assertEquals(await files({}), '"a b#"/\n"film.mp4" 5 bytes');
    assertEquals(await files({ path: "a b#" }), '"long.txt" 25000 bytes');
    const first = await files({ path: "a b#/long.txt" });
    assertEquals(first.length, 20_000 + "\n… 20000 of 25000 bytes; go on with from 20000".length);
    assertEquals(await files({ path: "/a b#/long.txt", from: 20_000 }), "0123456789".repeat(500));
    assertStringIncludes(
      await files({ path: "a b#/long.txt", from: 25_000 }),
      "from must be below the file's size, 25000",
    );
    assertEquals(await files({ path: "film.mp4" }), '"film.mp4" is no text file: video/mp4, 5 bytes');
    for (const path of ["none.txt", "key.pem", "../outside.txt", "a b#/../../outside.txt"]) {
      const result = await call(api, "files", { path });
      assertEquals([result.isError, wordsOf(result)], [
        true,
        `there is no file ${JSON.stringify(path)} in the served folder`,
      ]);
    }
  }));
