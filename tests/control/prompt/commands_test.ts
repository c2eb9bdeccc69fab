/** The prompt's grammar, and its commands' effects on a desktop. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Operator } from "../../../control/operator/operator.ts";
import { Quit } from "../../../control/prompt/command.ts";
import {
  commandNamed,
  COMMANDS,
  inPromptWords,
  isImmediate,
  OTHERS,
  runLine,
  splitCommands,
} from "../../../control/prompt/commands.ts";
import { complete } from "../../../control/prompt/shell.ts";
import {
  ForbiddenError,
  InputError,
  NotFoundError,
  StateError,
  TimeLimitError,
} from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { runnerOf } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { temporary } from "../../support/shell.ts";

function prompt(readOnly = false) {
  const desktop = new VirtualDesktop();
  const operator = new Operator(desktop);
  const context = {
    runner: runnerOf(operator, readOnly),
    signal: new AbortController().signal,
    by: "prompt" as const,
    notice: () => {},
  };
  const { permission } = context.runner;
  return { desktop, operator, permission, run: (line: string) => runLine(line, context) };
}

const button = (name: string, x: number, y: number) => [
  { type: "button", button: name, down: true, x, y },
  { type: "button", button: name, down: false, x, y },
];
const LINES: [line: string, told: unknown[]][] = [
  ["m10-20", [{ type: "move", x: 10, y: 20 }]],
  ["  m10-20  ", [{ type: "move", x: 10, y: 20 }]],
  ["c", [{ type: "move", x: 640, y: 360 }, ...button("left", 640, 360)]],
  ["rc", [{ type: "move", x: 640, y: 360 }, ...button("right", 640, 360)]],
  ["c5-6", [{ type: "move", x: 5, y: 6 }, ...button("left", 5, 6)]],
  ["rc5-6", [{ type: "move", x: 5, y: 6 }, ...button("right", 5, 6)]],
  ["mc5-6", [{ type: "move", x: 5, y: 6 }, ...button("middle", 5, 6)]],
  ["dc5-6", [{ type: "move", x: 5, y: 6 }, ...button("left", 5, 6), ...button("left", 5, 6)]],
  ["sc3", [{ type: "scroll", direction: "up", amount: 3, x: 640, y: 360 }]],
  ["sc-3", [{ type: "scroll", direction: "down", amount: 3, x: 640, y: 360 }]],
  ["t hello; world ", [{ type: "text", text: "hello; world " }]],
  ["k ctrl+T", [
    { type: "key", key: "ctrl", down: true },
    { type: "key", key: "t", down: true },
    { type: "key", key: "t", down: false },
    { type: "key", key: "ctrl", down: false },
  ]],
  ["press left", [{ type: "button", button: "left", down: true, x: 640, y: 360 }]],
  ["press key left", [{ type: "key", key: "left", down: true }]],
  ["release shift", [{ type: "key", key: "shift", down: false }]],
  ["", []],
  ["   ", []],
  ["# a comment", []],
];

for (const [line, told] of LINES) {
  Deno.test(`the line ${JSON.stringify(line)} does what it says`, async () => {
    const { desktop, run } = prompt();
    assertEquals(await run(line), undefined);
    assertEquals(desktop.log, told as never);
  });
}

/** Coordinates may be negative: the virtual desktop has none, so its refusal shows how they were parsed. */
const REFUSED: [line: string, message: string | RegExp][] = [
  ["m-5-10", "x must be from 0 to 1279 (the bounds of the desktop), not -5"],
  ["m10--5", "y must be from 0 to 719 (the bounds of the desktop), not -5"],
  ["m-5--10", "x must be from 0 to 1279 (the bounds of the desktop), not -5"],
  ["c9999-1", "x must be from 0 to 1279 (the bounds of the desktop), not 9999"],
  ["m", "m lacks <x>-<y>: write m<x>-<y>, such as m10-20"],
  ["m10", /m<x>-<y>/],
  ["m10-20-30", /m<x>-<y>/],
  ["m 10-20", /m<x>-<y>/],
  ["mx-y", /^unknown command mx/],
  ["sc", /sc<n>/],
  ["sc0", /^sc takes 1 to 1000/],
  ["sc5000", /^sc takes 1 to 1000/],
  ["g now", "g now does not have the form of g: write g, such as g"],
  ["t", /t <text>/],
  ["k", /k <keys>/],
  ["k ctrl+nokey", /unknown key, "nokey"/],
  ["drag 1-2", /drag <x>-<y> <x>-<y>/],
  ["expect looks", /^expect lacks|does not have the form of expect/],
  [
    "expect looks a.png colour=red",
    /^expect looks: unknown field colour; it takes x, y, .*max_pixels, timeout_ms$/,
  ],
  ["expect looks window=Notes", /^expect looks needs a file: expect looks <file>/],
  ["expect looks a.png threshold=2", /^threshold must be a number from 0 to 1/],
  ["expect looks /nowhere/a.png timeout_ms=soon", /^timeout_ms must be a whole number from 1 to 600000/],
  ["expect looks main.ts", /PNG/],
  ["shot a.gif", /ends in \.bmp or \.png/],
  ["shot /nowhere/a.png", /^cannot write \/nowhere\/a\.png/],
  ["find main.ts", "cannot read main.ts: it must be a PNG or BMP file"],
  [
    "find the Save button",
    'cannot read the Save button: there is no such file; text to find is in quotes: find "Save"',
  ],
  ["save", "save lacks <file>: write save[!] <file>, such as save morning.json"],
  ["save!", "save lacks <file>: write save[!] <file>, such as save morning.json"],
  ["press", "press lacks [key] <button or key>: write press [key] <button or key>, such as press shift"],
  ["press nokey", /^key must be a key name such as enter/],
  ["wait 1-2 red", /^the colour must be a colour of six hexadecimal digits such as #ff8800, not "red"$/],
  ["wait Done", /: write wait <x>-<y> .* \| wait \[gone\] "<text>" \[<ms>\], such as/],
  ["pixel 1", /^pixel 1 does not have the form of pixel: write pixel <x>-<y>/],
  ["frobnicate", /^unknown command frobnicate; help all lists them$/],
  ["shto a.png", /^unknown command shto \(did you mean shot\?\); help all lists them$/],
  ["hlep", /^unknown command hlep \(did you mean help\?\); help all lists them$/],
  ["help shto", /^unknown command shto \(did you mean shot\?\); help all lists them$/],
  ["click 10 20", "unknown command click (did you mean c[<x>-<y>], such as c10-20?); help all lists them"],
  ["Move 10 20", "unknown command Move (did you mean m<x>-<y>, such as m10-20?); help all lists them"],
  ["typ hello", "unknown command typ (did you mean t <text>, such as t hello?); help all lists them"],
  ["windows", /^unknown command windows \(did you mean win \[<title>\], such as /],
  ["help clik", /^unknown command clik \(did you mean c\[<x>-<y>\], such as c10-20\?\)/],
  ["help api", /^the control API is off: start deskhand with --http$/],
  ["\x1b[A", /^unknown command \\u\{1b\}\[A/],
  ["M10-20", /does not have the form of m/],
];

for (const [line, message] of REFUSED) {
  Deno.test(`the line ${JSON.stringify(line)} is refused`, async () => {
    const { desktop, run } = prompt();
    const error = await assertRejects(() => run(line), InputError);
    if (typeof message === "string") assertEquals(error.message, message);
    else assertMatch(error.message, message);
    assertEquals(desktop.log, []);
  });
}

Deno.test("g prints the position, help all every command, quit ends", async () => {
  const { run } = prompt();
  await run("m7-8");
  assertEquals(await run("g"), "7 8");
  const help = await run("help all") as string;
  for (const { usage } of COMMANDS) assertEquals(help.includes(usage), true, usage);
  assertEquals(
    await run("help k"),
    "k <keys>\n  press a key or shortcut\n  such as k ctrl+shift+t",
  );
  assertEquals(await run("help click"), await run("help c"));
  await assertRejects(() => run("quit"), Quit);
});

/** Control API calls in messages that can appear at the prompt, with the rest of their source line. */
function* callsInMessages(folder: URL): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory && !["http", "page"].includes(name)) yield* callsInMessages(new URL(`${name}/`, folder));
    if (!name.endsWith(".ts") || name === "commands.ts") continue;
    for (const line of Deno.readTextFileSync(new URL(name, folder)).split("\n")) {
      if (/^\s*(?:\*|\/[*/])/.test(line)) continue;
      const call = /(?:\b(?:GET|POST|PUT|DELETE) |from )\/api\/.*/.exec(line);
      if (call) yield call[0];
    }
  }
}

Deno.test("messages name the prompt's commands instead of control API calls", async () => {
  const { run } = prompt();
  const shown = async (line: string) =>
    inPromptWords((await assertRejects(() => run(line)) as Error).message);
  assertEquals(await shown("trace remove nope"), "nope is not the name of a trace: trace list lists them");
  assertEquals(
    await shown("trace remove 2026-11-22T18-08-00-x11.html"),
    "there is no trace 2026-11-22T18-08-00-x11.html: trace list lists them",
  );
  const calls = ["control", "ffi"].flatMap((room) => [
    ...callsInMessages(new URL(`../../../${room}/`, import.meta.url)),
  ]);
  assert(calls.length >= 8, "the pattern finds messages");
  assertEquals(calls.filter((call) => inPromptWords(call).includes("/api/")), []);
});

Deno.test("help lists 12 commands and the groups, each of which lists its own", async () => {
  const { run } = prompt();
  const lines = (await run("help") as string).split("\n"), [more, last] = lines.splice(-2);
  assertEquals(lines.length, 12);
  assertMatch(last, /^help all /);
  const groups = more.replace(/^[^:]*: /, "").replace(".", "").split(", ");
  const listed = await Promise.all(groups.map(async (name) => await run(`help ${name}`) as string));
  assertEquals(listed.join("\n"), await run("help all"));
  for (const line of lines) {
    assertEquals(listed.some((text) => text.includes(line.trim().split("  ")[0])), true, line);
  }
});

Deno.test("names from other interfaces are not commands, but lead to one", () => {
  const names = COMMANDS.map(({ name }) => name);
  for (const other of OTHERS) {
    assertEquals([names.includes(other), names.includes(commandNamed(other)!)], [false, true], other);
  }
});

Deno.test("under --read-only commands that change something are refused", async () => {
  const { run, desktop } = prompt(true);
  for (
    const line of ["m1-1", "c1-1", "sc1", "t x", "k a", "drag 1-1 2-2", "press a", "release", "rec", "save x"]
  ) {
    await assertRejects(() => run(line), ForbiddenError, "--read-only");
  }
  assertEquals(await run("g"), "640 360");
  assertMatch(await run("status") as string, /virtual/);
  assertEquals(await run("history"), "");
  assertMatch(await run("help") as string, /m<x>-<y>/);
  await assertRejects(() => run("shot a.gif"), InputError);
  await assertRejects(() => run("q"), Quit);
  assertEquals(desktop.log, []);
});

Deno.test("agents are stopped and allowed immediately, without waiting for earlier lines", async () => {
  const { run, operator, permission } = prompt();
  assertEquals(["agents off", "agents on"].map(isImmediate), [true, true]);
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  await permission.guard(async (signal) => {
    signal.addEventListener("abort", () => resolve(signal.reason.message));
    await run("agents off");
  });
  assertMatch(await ended as string, /^a person stopped the agents/);
  await assertRejects(() => permission.guard(() => operator.move({ x: 1, y: 1 })), StateError, "stopped");
  await run("agents on");
  await permission.guard(() => operator.move({ x: 1, y: 1 }));
  await assertRejects(() => run("agents maybe"), InputError, "write agents on|off");
});

Deno.test("only stop and agents do not wait for earlier lines", () => {
  assertEquals(["stop", " stop ", "m1-1", "stopp", "", "quit"].map(isImmediate), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

Deno.test("status reports what is held", async () => {
  const { run, operator } = prompt();
  assertMatch(await run("status") as string, /^desktop {2}virtual, 1280x720\nheld {5}nothing\nrecorder /);
  await operator.press(["button", "left"]);
  await operator.press(["key", "shift"]);
  assertMatch(await run("status") as string, /^held {5}left, shift$/m);
});

Deno.test("semicolons separate -c commands, unless escaped", () => {
  assertEquals(splitCommands("g; m1-2"), ["g", " m1-2"]);
  assertEquals(splitCommands(String.raw`t a\;b;g`), ["t a;b", "g"]);
});

Deno.test("pixel prints a colour, and wait ends when the screen looks like that", async () => {
  const { run } = prompt();
  assertEquals(await run("pixel 309-200"), "#3f6276");
  assertEquals(await run("wait 309-200 #3f6276"), undefined);
  assertEquals(await run("wait still 30"), undefined);
  await assertRejects(() => run("wait 309-200 #ffffff 20"), TimeLimitError, "within 20 ms");
});

// Completion with Tab.

Deno.test("command names are completed", async () => {
  assertEquals(await complete("dr"), [["drag "], "dr"]);
  assertEquals(await complete("he"), [["help "], "he"]);
  assertEquals(await complete("help wai"), [["wait", "waitwin"], "wai"]);
  assertEquals(await complete("sav"), [["save "], "sav"]);
  assertEquals(await complete("zz"), [[], "zz"]);
  assertEquals((await complete(""))[0].length, new Set(COMMANDS.map(({ name }) => name)).size);
});

Deno.test("file names are completed after shot, save and load", async () => {
  await temporary(async (folder) => {
    for (const name of ["a.json", "a b.json", "c.png", ".hidden", "bad\x1b[31m"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "");
    }
    await Deno.mkdir(`${folder}/inside`);
    const CASES: [line: string, offers: string[]][] = [
      ["load a", ["a b.json", "a.json"]],
      ["load a b", ["a b.json"]],
      ["save! a.", ["a.json"]],
      ["shot ", ["a b.json", "a.json", "c.png", "inside/"]], // no name that a terminal would interpret
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

Deno.test("nothing is offered after commands without a file argument", async () => {
  assertEquals(await complete("t a"), [[], "t a"]);
  assertEquals(await complete("k ctrl"), [[], "k ctrl"]);
});

// `shot`: the files that it replaces, and the permissions of the files that it writes.

const UNIX = { ignore: Deno.build.os === "windows" };

/** Runs prompt lines. `answer` is the person's answer to a question; without it there is no terminal. */
function shotPrompt(answer?: boolean) {
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
  { ...UNIX, name: "a screenshot is written whole into a file that only its user can read" },
  async () => {
    await temporary(async (folder) => {
      const { run, questions } = shotPrompt(false);
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
    const no = shotPrompt(false);
    await no.run(`shot ${file}`);
    assertEquals(await Deno.readTextFile(file), "old");
    assertEquals([no.questions, no.notices], [[`${file} already exists. Replace it?`], ["not saved"]]);
    await shotPrompt(true).run(`shot ${file}`);
    assertEquals(await magic(file), "\x89PNG");
  });
});

Deno.test("without a terminal it refuses to replace a file and names shot!, which does", async () => {
  await temporary(async (folder) => {
    const file = `${folder}/a.png`;
    await Deno.writeTextFile(file, "old");
    const { run } = shotPrompt();
    await assertRejects(() => run(`shot ${file}`), StateError, `${file} already exists; shot! replaces it`);
    assertEquals(await Deno.readTextFile(file), "old");
    await run(`shot! ${file}`);
    assertEquals(await magic(file), "\x89PNG");
  });
});

Deno.test(
  { ...UNIX, name: "a symbolic link is replaced, and its target stays unchanged" },
  async () => {
    await temporary(async (folder) => {
      await Deno.writeTextFile(`${folder}/precious`, "old");
      for (const target of ["precious", "missing"]) {
        const link = `${folder}/${target}.png`;
        await Deno.symlink(target, link);
        await assertRejects(() => shotPrompt().run(`shot ${link}`), StateError, "already exists");
        await shotPrompt().run(`shot! ${link}`);
        assertEquals([Deno.lstatSync(link).isFile, await magic(link)], [true, "\x89PNG"]);
      }
      assertEquals(await Deno.readTextFile(`${folder}/precious`), "old");
      assertEquals(names(folder), ["missing.png", "precious", "precious.png"]);
    });
  },
);

Deno.test(
  { ...need("mkfifo"), name: "a named pipe is not replaced, and nothing waits for its reader" },
  async () => {
    await temporary(async (folder) => {
      await new Deno.Command("mkfifo", { args: [`${folder}/a.png`] }).output();
      await assertRejects(() => shotPrompt().run(`shot! ${folder}/a.png`), InputError, "it is not a file");
      assertEquals(names(folder), ["a.png"]);
    });
  },
);

Deno.test("expect looks writes a missing baseline and fails, then compares with it except for masks", async () => {
  await temporary(async (folder) => {
    const { operator, run } = prompt(),
      file = `${folder}/notes.png`,
      line = `expect looks ${file} window=Notes`;
    await operator.desktop.windows!.change((await operator.desktop.windows!.list())[0], { to: "active" });
    await assertRejects(() => run(line), StateError, `no baseline ${file} existed; it has been written now`);
    assertEquals(await run(line), undefined);
    await run('es textbox in "Notes" = Hello');
    const wrong = await assertRejects(() => run(`${line} timeout_ms=50`), StateError);
    assertMatch(wrong.message, /^\d+ pixels \(\d+\.\d\d %\) differ from .*: \d+x\d+ at .*-difference\.png$/);
    const files = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
    assertEquals(files, ["notes-actual.png", "notes-difference.png", "notes.png"]);
    const pixels = (message: string) => Number(message.split(" ")[0]);
    const masked = `${line} mask="textbox in \\"Notes\\""`,
      text = await assertRejects(() => run(`${masked} timeout_ms=50`));
    assert(pixels((text as Error).message) < pixels(wrong.message)); // the title and the status report the change, too
    assertEquals(await run(`${masked} max_pixels=${pixels((text as Error).message)}`), undefined);
    assertEquals(await run(`${line} mask=[{"x":0,"y":0,"width":1280,"height":720}]`), undefined);
    assertEquals(await run(`expect looks ${folder}/notes-actual.png window=Notes`), undefined);
    await assertRejects(() => run(`expect looks ${file} window=Nowhere timeout_ms=50`), NotFoundError);
  });
});
