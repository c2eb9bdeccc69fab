/** Pure parts of xdotool's command line: options, numbers, patterns, the record of a running deskhand. */

import { assertEquals, assertMatch } from "@std/assert";
import { isOf, sessionOf } from "../../../cli/running.ts";
import type { Held } from "../../../control/desktop/desktop.ts";
import { createLocked } from "../../../core/process_record.ts";
import { OptionReader } from "../../../cli/xdotool/context.ts";
import { type Calls, DesktopTarget, keysOf, posixPattern } from "../../../cli/xdotool/desktop_target.ts";
import { runXdotool } from "../../../cli/xdotool/main.ts";
import { floatOf, intOf, longOf, microsecondsOf } from "../../../cli/xdotool/output.ts";
import { Program, run } from "../../support/program.ts";
import { need } from "../../support/need.ts";
import { mustRun, temporary, until } from "../../support/shell.ts";
import { keycodesDown } from "../../support/window_desktops.ts";
import { Xvfb } from "../../support/xvfb.ts";
import { type Given, Stage, XDOTOOL } from "./stage.ts";

Deno.test("options are read up to the first other word", () => {
  const table = { letters: "cw:h", names: ["clearmodifiers", "window:", "repeat:", "repeat-delay:", "help"] };
  for (
    const [words, options, taken] of [
      ["x --window 5 1", ["window=5"], 3],
      ["x -cw5 1", ["c=", "w=5"], 2],
      ["x -clear 1", ["clearmodifiers="], 2],
      ["x --repeat=2 --repeat-delay 3 -- -1", ["repeat=2", "repeat-delay=3"], 5],
      ["x -5", ["unrecognized option '-5'"], 2],
      ["x --rep 2", ["option '--rep' is ambiguous; possibilities: '--repeat' '--repeat-delay'"], 2],
      ["x --help=1", ["option '--help' doesn't allow an argument"], 2],
      ["x --window", ["option '--window' requires an argument"], 2],
      ["x -w", ["option requires an argument -- 'w'"], 2],
      ["x - 1", [], 1],
    ] as [string, string[], number][]
  ) {
    const reader = new OptionReader(words.split(" "), table), read: string[] = [];
    for (let given = reader.next(); given !== undefined; given = reader.next()) {
      read.push(typeof given === "string" ? given : `${given.option}=${given.value}`);
      if (typeof given === "string") break;
    }
    assertEquals([read, reader.taken], [options, taken], words);
  }
});

Deno.test("numbers are parsed as in C", () => {
  assertEquals(["12", "0x1F", "010", "-3", "x", "7z", ""].map(longOf), [12, 31, 8, -3, 0, 7, 0]);
  assertEquals(["12", "0x1F", "010", "-3", "x"].map(intOf), [12, 0, 10, -3, 0]);
  assertEquals(["0.5", "x", "2s"].map(floatOf), [0.5, 0, 2]);
  assertEquals(["12", "x"].map(microsecondsOf), [12_000, 0]);
});

Deno.test("keys and patterns", () => {
  const unknown: string[] = [];
  assertEquals(keysOf("ctrl+Alt_L+nonesuch+A", (name) => unknown.push(name)), ["ctrl", "alt", "A"]);
  assertEquals([unknown, keysOf("a b", () => {})], [["nonesuch"], undefined]);
  assertEquals([posixPattern("^[[:digit:]]+$")!.test("42"), posixPattern("EDI")!.test("Editor")], [
    true,
    true,
  ]);
});

Deno.test("a record belongs to the session's desktop", () => {
  const env = (variables: Record<string, string>) => sessionOf((name) => variables[name]);
  const x11 = env({ DISPLAY: ":5.0" }),
    wayland = env({ WAYLAND_DISPLAY: "wayland-1", XDG_RUNTIME_DIR: "/run/1" });
  const record = (kind: string, session: typeof x11) => ({ url: "", hasKeptToken: true, kind, session });
  for (
    const [kind, theirs, wanted, own, expected] of [
      ["x11", x11, "auto", env({ DISPLAY: ":5" }), true],
      ["x11", x11, "auto", env({ DISPLAY: ":6" }), false],
      ["wayland", wayland, "auto", env({ WAYLAND_DISPLAY: "/run/1/wayland-1", DISPLAY: ":0" }), true],
      ["wayland", wayland, "auto", env({ DISPLAY: ":0" }), false],
      ["virtual", x11, "auto", x11, false],
      ["virtual", x11, "virtual", wayland, true],
    ] as const
  ) assertEquals(isOf(record(kind, theirs), wanted, own), expected, `${kind} ${wanted}`);
});

Deno.test("modifiers that a command releases are pressed again even if it fails", async () => {
  const log: string[] = [],
    note = (what: string) => ([, name]: Held) => Promise.resolve(void log.push(what + name));
  const calls = {
    press: note("+"),
    release: note("-"),
    windows: () => Promise.resolve([]),
  } as unknown as Calls;
  const print = { out() {}, err() {} },
    target = new DesktopTarget(Object.assign(calls, { close() {} }), print);
  const words = "keydown shift click --clearmodifiers --window 99 1".split(" ");
  const code = await runXdotool(words, { program: "xdotool", print, open: () => Promise.resolve(target) });
  assertEquals([code, log], [1, ["+shift", "-shift", "+shift"]]);
});

Deno.test(
  { name: "a key is released if nothing reads the output", ...need("Xvfb", "xinput", "bash") },
  async () => {
    await using server = await Xvfb.start();
    const main = new URL("../../../main.ts", import.meta.url).pathname;
    const line = `${Deno.execPath()} run -A ${main} --desktop x11 xdotool keydown shift getmouselocation`;
    const code = await mustRun("bash", ["-c", `${line} | true; echo \${PIPESTATUS[0]}`], { env: server.env });
    assertEquals([code, await keycodesDown(server)], ["141\n", []]);
  },
);

for (const signal of ["SIGHUP", "SIGQUIT", "SIGTERM"] as const) {
  Deno.test(
    { name: `a held key is released when ${signal} ends the command`, ...need("Xvfb", "xinput") },
    async () => {
      await using server = await Xvfb.start();
      await using program = new Program("--desktop x11 xdotool keydown shift sleep 600".split(" "), {
        env: server.env,
      });
      await until(async () => (await keycodesDown(server)).length === 1);
      program.kill(signal);
      await program.ended();
      assertEquals(await keycodesDown(server), []);
    },
  );
}

// xdotool's commands go to the deskhand that has the desktop, if one runs.

Deno.test("a running deskhand executes the commands, and is no longer found once it has ended", async () => {
  await temporary(async (folder) => {
    const env = { XDG_STATE_HOME: folder, DISPLAY: "", WAYLAND_DISPLAY: "", DESKHAND_URL: "" };
    const virtual = (line: string, more: Record<string, string> = {}) =>
      run(["--desktop", "virtual", "xdotool", ...line.split(" ")], "", { env: { ...env, ...more } });

    let url = "";
    {
      await using program = new Program(["--desktop", "virtual", "--http", "0"], { env });
      url = await program.controlUrl();
      const records = () =>
        [...Deno.readDirSync(`${folder}/deskhand`)].filter(({ name }) => /^running-/.test(name));
      await until(() => records().length === 1);
      // Another deskhand, which has not written its record yet.
      using _starting = createLocked(`${folder}/deskhand/running-${crypto.randomUUID()}.json`);
      const moved = await virtual("mousemove 30 40 click 3 keydown shift");
      assertEquals(moved, { code: 0, stdout: "", stderr: "" });
      // A key that a command presses stays down after the command, as with xdotool.
      const { actions } = await (await fetch(`${url}/api/history`)).json();
      assertEquals(actions.map(({ type }: { type: string }) => type), ["move", "button", "button", "key"]);
      assertMatch((await virtual("getmouselocation", { DESKHAND_URL: url })).stdout, /^x:30 y:40 /);
      assertEquals((await virtual("keyup shift")).code, 0);
    }
    const { code, stderr } = await virtual("getmouselocation", { DESKHAND_URL: url });
    assertEquals(code, 1);
    assertMatch(stderr, /is not responding/);
  });
});

// xdotool scripts: on standard input, in files and in pipes, run by xdotool and then by deskhand.

/** Scripts on standard input. */
const SCRIPTS: readonly string[] = [
  "getmouselocation\n",
  "# a comment\n\n   # another\n  getmouselocation --shell\n",
  "mousemove 10 20 getmouselocation\n",
  "search --name '^Editor$' getwindowname\ngetwindowname %1\n",
  'search --name "^Editor$"\ngetwindowname\n',
  "exec --sync echo 'two words' \"and more\" '$HOME' x$HOME ''\n",
  "exec --sync echo $NAME end\n",
  "exec --sync echo $NONESUCH\n",
  "exec --sync echo $1\n",
  "getwindowname %1\n",
  "nonesuch\ngetmouselocation\n",
  "exec --sync false\nexec --sync echo after\n",
  "exec --sync echo after\nexec --sync sh -c 'exit 3'\n",
  "mousemove 5 5\nmousemove 9 9\nmousemove restore\ngetmouselocation\n",
  "mousemove restore\n",
  // Many queries together: over a window, and over the desktop with pointer moves in between.
  "mousemove 300 250\n" + "getmouselocation\n".repeat(600),
  "mousemove 9 9\ngetmouselocation\n \tGetMouseLocation \nmousemove 3 4\ngetmouselocation\ngetmouselocation\nmousemove 5 6\n",
  "mousemove 3 4\n" + "getmouselocation\n".repeat(3) + "getmouselocation --shell\ngetmouselocation\n",
];

/** Scripts in files, and their arguments. */
const FILES: readonly (readonly [text: string, ...args: string[]])[] = [
  ["mousemove 5 5\nmousemove 9 9\nmousemove restore getmouselocation\n"],
  ["mousemove 5 5\nmousemove 9 9\nmousemove $1\ngetmouselocation\n", "restore"],
  ["mousemove 7 8\ngetmouselocation --shell\n"],
  ["exec --sync echo $0 $2 $1\n", "a", "b~c"],
  ["exec --sync echo $2\n", "a"],
];

/** Runs xdotool and deskhand in turn, since both move the pointer, and compares the results. */
async function same(stage: Stage, line: string, what: string, given?: Given): Promise<void> {
  const wanted = await stage.run("xdotool", line, given);
  assertEquals(await stage.run("deskhand", line, given), wanted, what);
}

Deno.test({
  ...XDOTOOL,
  name: "scripts print what they print with xdotool, and end the same way",
  async fn(t) {
    await using stage = await Stage.start();
    await stage.reset();
    await t.step("on standard input", async () => {
      for (const input of SCRIPTS) await same(stage, "-", input, { input, env: { NAME: "a name" } });
    });
    await t.step("in files, with arguments", () =>
      temporary(async (folder) => {
        const path = `${folder}/script`;
        for (const [text, ...args] of FILES) {
          await Deno.writeTextFile(path, text);
          await same(stage, [path, ...args].join(" "), text);
        }
      }));
    await t.step("in a named pipe", async () => {
      const [input] = FILES[0];
      await same(stage, "/dev/stdin", input, { input });
    });
  },
});
