/** A start whose state folder or token file another user may have prepared. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { statusOf } from "../support/files.ts";

const ARGS = ["--desktop", "virtual", "--http", "0"];
const PLANTED = "a-token-that-another-user-knows";
const UNIX = { ignore: Deno.build.os === "windows" };

/** The ways to plant a token, and the line on standard error. */
const PLANTINGS: [name: string, plant: (folder: string) => void, says: RegExp][] = [
  ["in a folder that others can write", (folder) => {
    plantFile(`${folder}/token`, 0o600);
    Deno.chmodSync(folder, 0o777);
  }, /deskhand can be written by other users; .* chmod 700 '/],
  [
    "as a file that others can write",
    (folder) => plantFile(`${folder}/token`, 0o666),
    /token can be written by/,
  ],
  ["as a link", (folder) => {
    plantFile(`${folder}/elsewhere`, 0o600);
    Deno.symlinkSync(`${folder}/elsewhere`, `${folder}/token`);
  }, /token is a link; remove it/],
];

for (const [name, plant, says] of PLANTINGS) {
  Deno.test({ ...UNIX, name: `a token planted ${name} is not accepted` }, async () => {
    await temporary(async (state) => {
      await Deno.mkdir(`${state}/deskhand`);
      plant(`${state}/deskhand`);
      await using program = new Program([...ARGS, "--require-token"], { env: { XDG_STATE_HOME: state } });
      const url = await program.controlUrl();
      assertEquals(
        await statusOf(fetch(`${url}/api/position`, { headers: { authorization: `Bearer ${PLANTED}` } })),
        401,
      );
      await program.printed(/^the token is for this run only, it cannot be kept: /m);
      await program.printed(says);
    });
  });
}

Deno.test({ ...need("mkfifo"), name: "a start waits for no pipe in the state folder" }, async () => {
  await temporary(async (state) => {
    const folder = `${state}/deskhand`;
    await Deno.mkdir(folder);
    for (const name of ["token", `recording-${crypto.randomUUID()}.journal`]) mkfifo(`${folder}/${name}`);
    const env = { XDG_STATE_HOME: state };
    const { code, stderr } = await run([...ARGS, "-c", "g"], "", { env });
    assertEquals(code, 0);
    assertMatch(stderr, /token is no regular file; remove it/);
    const recovered = await run(ARGS.slice(0, 2), "load --recover\n", { env });
    assertMatch(recovered.stderr, /there is no recording to recover/);
  });
});

Deno.test(
  { ...need("mkfifo"), name: "--token-file takes a regular file of 4096 bytes at most" },
  async () => {
    await temporary(async (folder) => {
      const write = (name: string, text: string) => {
        Deno.writeTextFileSync(`${folder}/${name}`, text);
        return `${folder}/${name}`;
      };
      mkfifo(`${folder}/pipe`);
      const REFUSED: [file: string, says: string][] = [
        [`${folder}/pipe`, "it is no regular file"],
        [folder, "it is no regular file"],
        [write("large", PLANTED + "\n".repeat(4096)), "it is larger than 4096 bytes"],
        [write("short", "short"), "must be 16 characters or more"],
      ];
      for (const [file, says] of REFUSED) {
        const { code, stderr } = await run([...ARGS, "--token-file", file, "-c", "g"]);
        assertEquals(code, 2, stderr);
        assertStringIncludes(stderr, says);
      }
      const whole = write("whole", PLANTED.padEnd(4095, "x") + "\n");
      await Deno.symlink(whole, `${folder}/link`); // as secrets are mounted into containers
      for (const file of [whole, `${folder}/link`]) {
        assertEquals((await run([...ARGS, "--token-file", file, "-c", "g"])).code, 0);
      }
    });
  },
);

function plantFile(path: string, mode: number) {
  Deno.writeTextFileSync(path, PLANTED);
  Deno.chmodSync(path, mode);
}

function mkfifo(path: string) {
  new Deno.Command("mkfifo", { args: [path] }).outputSync();
}
