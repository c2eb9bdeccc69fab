/** The counts of a file's run. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { ForkWatch } from "../support/gnome_forks.ts";
import { need, needOpen } from "../support/need.ts";
import { announcement, sizes } from "../support/packages.ts";
import { threadsOf } from "../support/program.ts";
import { SESSION_BUS } from "../support/session_bus.ts";
import { temporary, until } from "../support/shell.ts";
import { exists, UserSession } from "../support/user_session.ts";
import { testFile } from "./test_files.ts";

const CASES: [
  source: string,
  counts: [passed: number, failed: number, skipped: number],
  failures: string[],
][] = [
  ['Deno.test("a", () => {});', [1, 0, 0], []],
  ['Deno.test("a", () => {}); Deno.test({ name: "b", ignore: true, fn() {} });', [1, 0, 1], []],
  [
    'Deno.test("a", () => {}); Deno.test("<b> & \\"c\\"", () => { throw new Error("no"); });',
    [1, 1, 0],
    ['<b> & "c"'],
  ],
  ['Deno.test("a", async (t) => void await t.step("s", () => { throw new Error("no"); }));', [0, 2, 0], [
    "a",
    "a > s",
  ]],
  ['import "./missing.ts"; Deno.test("a", () => {});', [0, 1, 0], []],
  ['Deno.test("a", () => {}); Deno.test("b", () => Deno.exit(0));', [1, 1, 0], ["b"]],
  ['Deno.test("a", () => { Deno.kill(Deno.pid, "SIGKILL"); });', [0, 1, 0], []],
];

Deno.test("tests that pass, fail or are skipped are counted as such, and so is a file that does not load", async (t) => {
  for (const [source, [passed, failed, skipped], failures] of CASES) {
    await t.step(source, () =>
      temporary(async (folder) => {
        const file = `${folder}/a_test.ts`;
        await Deno.writeTextFile(file, source);
        const outcome = await testFile(file).run();
        assertEquals(outcome.counts, { passed, failed, skipped }, outcome.output);
        assertEquals(outcome.failures.toSorted(), failures);
        if (failed) assertMatch(outcome.output, /\S/);
      }));
  }
});

// The description of an unresponsive process.

Deno.test(
  { name: "a process's threads and children are told with their states", ...need("sh", "sleep") },
  async () => {
    const shell = new Deno.Command("sh", { args: ["-c", "sleep 1000; :"], stderr: "null" }).spawn();
    const both = /^thread \d+: sh, state S, in \S+, ticks \d+ and \d+\nchild (\d+): sleep, state S, /;
    const told = await until(() => threadsOf(shell.pid), (text) => both.test(text));
    Deno.kill(Number(both.exec(told)![1]));
    await shell.status;
    assertEquals(threadsOf(shell.pid), "");
  },
);

// An ordinary user's session leaves no processes or files behind.

const PORTAL = need("/usr/libexec/xdg-document-portal", "fusermount3"), MOUNTS = needOpen("/dev/fuse");

Deno.test({
  ...SESSION_BUS,
  ignore: SESSION_BUS.ignore || PORTAL.ignore || MOUNTS.ignore,
  name: "a session ends with the mount that its documents portal made in the runtime folder",
}, async () => {
  let folder: string;
  {
    await using session = await UserSession.start("mount");
    folder = session.folder;
    const name = "org.freedesktop.portal.Documents", path = "/org/freedesktop/portal/documents";
    const call = ["call", "--session", "--dest", name, "--object-path", path];
    await session.run("gdbus", ...call, "--method", `${name}.GetMountPoint`);
    assert(mounts().includes(` ${folder}/run/doc `), mounts());
  }
  assertEquals([await exists(folder), mounts().includes(folder)], [false, false]);
});

function mounts(): string {
  return Deno.readTextFileSync("/proc/self/mounts");
}

// The notice before the tests' packages are installed.

/** The end of the output of apt-get(8) with --assume-no. */
const PACKAGES_CASES: [printed: string, said: string][] = [
  [
    "0 upgraded, 3 newly installed, 0 to remove and 129 not upgraded.\nNeed to get 44.0 kB of archives.\n" +
    "After this operation, 198 kB of additional disk space will be used.\n",
    "3 packages, 44.0 kB to fetch, 198 kB on the disk",
  ],
  [
    "1 upgraded, 412 newly installed, 0 to remove and 0 not upgraded.\n" +
    "Need to get 95.1 MB/1,020 MB of archives.\nAfter this operation, 3,210 MB of additional disk space will",
    "412 packages, 1,020 MB to fetch, 3,210 MB on the disk",
  ],
  ["E: Unable to locate package frob\n", "apt-get tells no sizes"],
];

Deno.test("the sizes of an installation are those that apt-get tells", () => {
  for (const [printed, said] of PACKAGES_CASES) assertEquals(sizes(printed), said);
});

Deno.test(
  { ...need("apt-get"), name: "an installation is announced with its size, and how to leave it" },
  async () => {
    const said = await announcement(["bash"]);
    assertMatch(said, /^Installing for the tests: bash\nWith what these need: 0 packages/);
    assertMatch(said, /DESKHAND_TEST_INSTALL=no leaves that/);
  },
);

Deno.test(
  { name: "a fork that does not become another program is ended, others go on", ...need("python3") },
  async () => {
    const code = `
import os, subprocess, time
program = subprocess.Popen(["sleep", "1000"])
if os.fork() == 0:
    os._exit(0) # its parent does not take its end
fork = os.fork()
if fork == 0:
    time.sleep(1000)
os.waitpid(fork, 0)
print(program.poll())
program.kill()
`;
    const child = new Deno.Command("python3", { args: ["-c", code], stdout: "piped" }).spawn();
    const watch = new ForkWatch(() => child.pid);
    const { stdout } = await child.output();
    watch.end();
    assert(new TextDecoder().decode(stdout) === "None\n");
  },
);
