/** The Python client, from its packages: its own tests, the docs' programs, and a deskhand that it starts. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { installPython, programsOf, python } from "./pages.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const TESTS = fromFileUrl(new URL("./python", import.meta.url));
const NEEDED = need("python3", "pip3");
/** Debian's own interpreter, which has Pillow. */
const DEBIANS = "/usr/bin/python3";
const PILLOW = need(DEBIANS, "/usr/lib/python3/dist-packages/PIL/__init__.py");

Deno.test({ ...NEEDED, name: "the Python client, from its wheel" }, async (t) => {
  await using client = await installPython();
  await t.step("retries, errors, connections, pictures and searches", async () => {
    const args = ["-m", "unittest", "discover", "-s", TESTS, "-p", "test_[tp]*.py"];
    const { code, printed } = await python(client, args);
    assertEquals(code, 0, printed);
    assertMatch(printed, /^Ran [2-9]\d tests/m);
  });
  await t.step({
    name: "the same with Pillow, with no test skipped",
    ...PILLOW,
    fn: async () => {
      const args = ["-m", "unittest", "discover", "-s", TESTS, "-p", "test_pictures.py"];
      const { code, printed } = await python(client, args, {}, DEBIANS);
      assertEquals([code, /skipped/.test(printed)], [0, false], printed);
    },
  });
  await t.step("the programs of docs/clients.md and the README run unchanged", async () => {
    await using program = new Program(["--desktop", "virtual", "--http", "0"]);
    const env = { DESKHAND_URL: await program.controlUrl() };
    const [page] = programsOf(await Deno.readTextFile(`${ROOT}docs/clients.md`), "python");
    const ran = await python(client, ["-c", page], env);
    assertMatch(ran.printed, /^300 200\n280 180 1\n(?:hit|miss|unsure)\nNotes\n408\n$/);
    const [first, second] = programsOf(await Deno.readTextFile(`${ROOT}clients/python/README.md`), "python");
    assertEquals((await python(client, ["-c", first], env)).printed, "300\n");
    assertEquals((await python(client, ["-c", second], env)).printed, "");
    const { actions } = await (await fetch(`${env.DESKHAND_URL}/api/history`)).json();
    const typed = actions.filter(({ type }: { type: string }) => type === "text");
    assertEquals(typed.map(({ text }: { text: string }) => text).slice(0, 2), ["héllo", "héllo €5"]);
  });
  await t.step("its end releases what it held, even after an error", async () => {
    await using program = new Program(["--desktop", "virtual", "--http", "0"]);
    const env = { DESKHAND_URL: await program.controlUrl() };
    const script = `
import deskhand
with deskhand.Desk() as desk:
    desk.press_down(key="shift")
    with desk.hold("ctrl+alt"):
        raise SystemExit(7)`;
    assertEquals((await python(client, ["-c", script], env)).code, 7);
    const { actions } = await (await fetch(`${env.DESKHAND_URL}/api/history`)).json();
    assertEquals(actions.map(({ key, down }: { key: string; down: boolean }) => `${key} ${down}`), [
      "shift true",
      "ctrl true",
      "alt true",
      "alt false",
      "ctrl false",
      "shift false",
    ]);
  });
  await t.step("sends the token, and reports a missing one", async () => {
    const token = "0123456789abcdef0123";
    await using program = new Program(["--desktop", "virtual", "--http", "0", "--require-token"], {
      env: { DESKHAND_TOKEN: token },
    });
    const script = "import deskhand; print(deskhand.Desk().screen()['kind'])";
    const env = { DESKHAND_URL: await program.controlUrl() };
    assertStringIncludes((await python(client, ["-c", script], env)).printed, "NotAllowed");
    assertEquals(
      (await python(client, ["-c", script], { ...env, DESKHAND_TOKEN: token })).printed,
      "virtual\n",
    );
  });
  await t.step("starts the executable if none answers, and ends it with the script", async () => {
    await temporary(async (folder) => await startsAndEnds(client, folder));
  });
  await t.step({
    name: "types of the package and of a program that uses it are correct",
    ...need("mypy"),
    fn: () => temporary(async (folder) => await checksTypes(client, folder)),
  });
});

Deno.test(
  { ...need("python3", "pip3"), name: "the source distribution builds the same package" },
  async () => {
    await using wheel = await installPython(), source = await installPython("source");
    const list = async ({ folder }: { folder: string }) => {
      const names = Array.from(Deno.readDirSync(`${folder}/deskhand`), ({ name }) => name);
      return (await Promise.all(
        names.filter((name) => name.endsWith(".py")).map(async (name) =>
          `${name} ${(await Deno.readTextFile(`${folder}/deskhand/${name}`)).length}`
        ),
      )).sort();
    };
    assertEquals(await list(source), await list(wheel));
  },
);

/** Whether a process exists and is not a zombie. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

async function startsAndEnds(client: { folder: string }, folder: string) {
  const installed = { ...client, [Symbol.asyncDispose]: () => Promise.resolve() };
  // A stand-in for the executable: the source on a virtual desktop; it writes its process id.
  const executable = `${folder}/deskhand`;
  const command = `exec ${Deno.execPath()} run -A --no-check ${ROOT}main.ts --desktop virtual "$@"`;
  await Deno.writeTextFile(executable, `#!/bin/sh\necho $$ >${folder}/pid\n${command}\n`, { mode: 0o755 });
  // Nothing listens on port 1; the environment sets no address.
  const head =
    `import deskhand._transport as t; t.DEFAULT_URL = "http://127.0.0.1:1"\nfrom deskhand import *\n`;
  const env = { XDG_STATE_HOME: folder, DESKHAND_URL: "", PATH: `${folder}:${Deno.env.get("PATH")}` };
  const pid = async () => Number(await Deno.readTextFile(`${folder}/pid`));
  const ends: [how: string, script: string, environment: Record<string, string>][] = [
    ["by its end", `desk = Desk(start=True); print(desk.screen()["kind"])`, env],
    [
      "by PyAutoGUI's module",
      'import deskhand.pyautogui as p; p.moveTo(5, 5); print(p.position().x == 5 and "virtual")',
      env,
    ],
    ["by close", `with Desk(start=True) as desk: print(desk.screen()["kind"])`, env],
    [
      "killed",
      `desk = Desk(start=True); print(desk.screen()["kind"], flush=True)\nimport os; os.kill(os.getpid(), 9)`,
      {
        ...env,
        PATH: Deno.env.get("PATH")!,
        DESKHAND_EXECUTABLE: executable,
      },
    ],
  ];
  for (const [how, script, environment] of ends) {
    const { printed } = await python(installed, ["-c", head + script], environment);
    assertEquals(printed, "virtual\n", how);
    const started = await pid();
    await until(() => !runs(started));
  }
  const none = await python(
    installed,
    ["-c", `${head}Desk(start=True)`],
    { ...env, PATH: "/usr/bin:/bin" },
    "/usr/bin/python3",
  );
  assertMatch(
    none.printed,
    /deskhand was not found, so it cannot be started: put it on the PATH or set DESKHAND_EXECUTABLE/,
  );
  const broken = await python(installed, [
    "-c",
    `${head}Desk(start=["/bin/sh", "-c", "echo no display; exit 3"])`,
  ], env);
  assertMatch(broken.printed, /\/bin\/sh did not start:\nno display/);
}

async function checksTypes({ folder: packages }: { folder: string }, folder: string) {
  const good = `from deskhand import Desk
with Desk() as desk:
    x: int = desk.position()["x"]
    desk.click(x, 2, "left", count=2)
    title: str = desk.windows()["windows"][0]["title"]
`;
  await Deno.writeTextFile(`${folder}/good.py`, good);
  await Deno.writeTextFile(`${folder}/wrong.py`, good.replace('"left"', '"lfet"'));
  const mypy = async (...args: string[]) => {
    const env = { MYPYPATH: packages, MYPY_CACHE_DIR: `${folder}/cache`, NO_COLOR: "1" };
    const { code, stdout } = await new Deno.Command("mypy", { args, env, cwd: folder }).output();
    return { code, text: new TextDecoder().decode(stdout) };
  };
  const checked = await mypy(
    "--ignore-missing-imports",
    "--python-version",
    "3.9",
    "-p",
    "deskhand",
    "-m",
    "good",
  );
  assertEquals(checked.code, 0, checked.text);
  const wrong = await mypy("--ignore-missing-imports", "wrong.py");
  assertMatch(wrong.text, /wrong\.py:4: error: Argument 3 to "click".*"Literal\['lfet'\]"/);
}
