/** Recording journals: recovered after a crash, read, discarded and saved. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { attempt } from "../../core/errors.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { statusOf } from "../support/uploads.ts";
import { call } from "./recording.ts";

const VIRTUAL = ["--desktop", "virtual"];

Deno.test("kill -9 loses at most the last second, and the next start offers the rest", async () => {
  await temporary(async (state) => {
    const env = { XDG_STATE_HOME: state };
    await using program = new Program([...VIRTUAL, "--http", "0"], { env });
    const url = await program.controlUrl();
    await call(url, "POST", "recording/start", {});
    for (let i = 0; i < 20; i++) await call(url, "POST", "move", { x: i, y: i });
    const folder = `${state}/deskhand`;
    const journal = () =>
      [...Deno.readDirSync(folder)].map(({ name }) => name).find((name) => name.endsWith(".journal"));
    await until(
      async () => (await Deno.readTextFile(`${folder}/${journal()}`)).split("\n").length,
      (lines) => lines >= 22,
    );
    assertEquals((await Deno.stat(`${folder}/${journal()}`)).mode! & 0o777, 0o600);
    // A second deskhand does not take the first one's journal.
    assertEquals((await run([...VIRTUAL, "-c", "g"], "", { env })).stderr, "");
    program.kill("SIGKILL");
    await program.ended();
    assertEquals((await run([...VIRTUAL, "-c", "g"], "", { env })).stderr, ""); // a script cannot answer a question
    const next = await run(VIRTUAL, `load --recover\nsave ${state}/saved.json\nstatus`, { env });
    assertMatch(
      next.stderr,
      /^a recording that ended at \S+ was left behind unsaved: load --recover restores it\nrecovered 20 events of a recording begun at \S+; save it\nsaved 20 events\n$/,
    );
    assertEquals((await run(VIRTUAL, "g", { env })).stderr, "");
    assertEquals(JSON.parse(await Deno.readTextFile(`${state}/saved.json`)).events.length, 20);
  });
});

Deno.test("reading a recording over HTTP has no effect: it is offered after a crash", async () => {
  for (const method of ["HEAD", "GET"]) {
    await temporary(async (state) => {
      const env = { XDG_STATE_HOME: state };
      await using program = new Program([...VIRTUAL, "--http", "0"], { env });
      const url = await program.controlUrl();
      await call(url, "POST", "recording/start", {});
      await call(url, "POST", "move", { x: 1, y: 2 });
      await call(url, "POST", "recording/stop", {});
      await until(() => journals(state).length === 1);
      await (await fetch(`${url}/api/recording`, { method })).bytes();
      program.kill("SIGKILL");
      await program.ended();
      assertEquals(/was left behind/.test((await run(VIRTUAL, "g", { env })).stderr), true, method);
    });
  }
});

Deno.test("a discarded recording is gone, over HTTP and at the prompt", async () => {
  await temporary(async (state) => {
    await using program = new Program([...VIRTUAL, "--http", "0"], { env: { XDG_STATE_HOME: state } });
    const url = await program.controlUrl();
    const discards = [
      async () => assertEquals((await call(url, "DELETE", "recording")).json, { ok: true }),
      () => program.write("discard"),
    ];
    for (const discard of discards) {
      await call(url, "POST", "recording/start", {});
      await call(url, "POST", "move", { x: 1, y: 2 });
      assertEquals((await call(url, "DELETE", "recording")).status, 409);
      await call(url, "POST", "recording/stop", {});
      assertEquals(journals(state).length, 1);
      await discard();
      await until(() => journals(state).length === 0);
      assertEquals((await call(url, "GET", "recording")).status, 409);
      assertEquals((await call(url, "GET", "recording/state")).json, { state: "idle", events: 0, ms: 0 });
    }
    assertEquals((await call(url, "DELETE", "recording")).status, 200); // nothing is left to discard
  });
});

Deno.test("a recording that a script leaves unsaved can be recovered, and an empty one leaves nothing", async () => {
  await temporary(async (state) => {
    const env = { XDG_STATE_HOME: state };
    const unsaved = /the recording was not saved: load --recover brings it back\n$/;
    const empty = await run([...VIRTUAL, "-c", "rec; stop"], "", { env });
    assertEquals([unsaved.test(empty.stderr), journals(state)], [false, []]);
    for (const [args, input] of [[["-c", "rec; m1-1; stop"], ""], [[], "rec\nm2-2\nquit"]] as const) {
      const { stderr, code } = await run([...VIRTUAL, ...args], input, { env });
      assertMatch(stderr, unsaved);
      assertEquals(code, 0);
    }
    const next = await run(VIRTUAL, "load --recover\ndiscard\nload --recover\ndiscard", { env });
    assertMatch(next.stderr, /was left behind unsaved[^]*recovered 1 event [^]*recovered 1 event /);
    assertEquals([unsaved.test(next.stderr), journals(state)], [false, []]);
  });
});

Deno.test("saving a recording removes its journal and no other", async () => {
  await temporary(async (cwd) => {
    const env = { XDG_STATE_HOME: cwd };
    await using program = new Program(VIRTUAL, { cwd, env });
    const lines = [
      "rec",
      "m1-1",
      "stop",
      "save a.json",
      "rec",
      "m2-2",
      "m3-3",
      "stop",
      "load a.json",
      "save! b",
    ];
    for (const line of lines) await program.write(line);
    await program.printed(/saved 1 event\n[^]*saved 1 event\n/);
    await until(() => journals(cwd), ([journal]) => journal?.split("\n").length === 4);
    program.kill("SIGKILL");
    await program.ended();
    // A recovered recording stays recoverable until it is itself saved.
    const other = "load --recover; rec; m4-4; stop; save! other.json";
    const first = await run([...VIRTUAL, "-c", other], "", { cwd, env });
    assertMatch(first.stderr, /recovered 2 events [^]*saved 1 event\n$/);
    const second = await run([...VIRTUAL, "-c", "load --recover; save! c.json"], "", { cwd, env });
    assertMatch(second.stderr, /recovered 2 events [^]*saved 2 events\n$/);
    assertEquals(journals(cwd), []);
  });
});

/** The journals in a state folder, from which a running program may remove one at any moment. */
function journals(state: string): string[] {
  const folder = `${state}/deskhand`;
  return [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".journal"))
    .map(({ name }) => attempt(() => Deno.readTextFileSync(`${folder}/${name}`)))
    .filter((text) => text !== undefined);
}

// Startup with a state folder or token file that another user may have prepared.

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
      await program.printed(/^the token is for this run only because it cannot be stored: /m);
      await program.printed(says);
    });
  });
}

Deno.test(
  { ...UNIX, name: "without a state folder, what needs it says why and the rest works" },
  async () => {
    await temporary(async (state) => {
      await Deno.writeTextFile(`${state}/file`, "");
      const env = { XDG_STATE_HOME: `${state}/file` };
      const lines = "trace\ntrace list\nload --recover\nrec\nt a\nstop\ng\n";
      const { code, stdout, stderr } = await run(VIRTUAL, lines, { env });
      assertEquals([code, stdout], [1, "640 360\n"]);
      const why = `cannot create ${state}/file/deskhand: Not a directory (os error 20)`;
      assertEquals(stderr.split("\n").filter((line) => line.includes("cannot create")), [
        `recordings and held keys will not survive a crash: ${why}`,
        ...[1, 2, 3].map((line) => `line ${line}: ${why}`),
      ]);
      assertMatch(stderr, /^recorded 2 events$/m);
    });
  },
);

Deno.test(
  { ...need("mkfifo"), name: "--token-file accepts only a regular file of at most 4096 bytes" },
  async () => {
    await temporary(async (folder) => {
      const write = (name: string, text: string) => {
        Deno.writeTextFileSync(`${folder}/${name}`, text);
        return `${folder}/${name}`;
      };
      mkfifo(`${folder}/pipe`);
      const REFUSED: [file: string, says: string][] = [
        [`${folder}/pipe`, "it is not a regular file"],
        [folder, "it is not a regular file"],
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
