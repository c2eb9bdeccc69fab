/** The command line, as a table of command lines and their meanings. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { globToRegExp, join } from "@std/path";
import { completions } from "../../cli/completions.ts";
import { ALL, FIRST_OPTIONS, helpText, subcommandHelp } from "../../cli/help.ts";
import { EXAMPLES, FILES, manual } from "../../cli/manual.ts";
import { camelCase, type Option, OPTION_GROUPS, valueUsage } from "../../cli/option.ts";
import { OPTIONS, type Settings } from "../../cli/option_table.ts";
import { type CommandLine, readOptions } from "../../cli/options.ts";
import { MAIN_OPTIONS, ownOptions, SHELLS } from "../../cli/subcommand.ts";
import { xdotoolCall } from "../../cli/xdotool/call.ts";
import { openServices } from "../../cli/services.ts";
import { runSubcommand, SUBCOMMANDS } from "../../cli/subcommands.ts";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { COMMANDS, splitCommands } from "../../control/prompt/commands.ts";
import { UsageError } from "../../core/errors.ts";
import { Lifetime } from "../../core/lifetime.ts";
import { CONSOLE } from "../../core/output.ts";
import { DESKTOP_MEANINGS } from "../../ffi/open.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";
import { Terminal } from "../support/terminal.ts";

type Read = Settings & Omit<CommandLine, "settings">;

function read(args: string[], env: Record<string, string> = {}): Read {
  const { settings, ...rest } = readOptions(args, (name) => env[name]);
  return { ...settings, ...rest };
}

const GOOD: [args: string[], expected: Partial<Read>, env?: Record<string, string>][] = [
  [[], { http: undefined, files: undefined, filesPort: 4001, desktop: "auto", words: [] }],
  [["--http"], { http: 4000 }],
  [["--http", "8080"], { http: 8080 }],
  [["--http=8080"], { http: 8080 }],
  [["--http", "0"], { http: 0 }],
  [["--http", "65535", "--files-port", "65535"], { http: 65535, filesPort: 65535 }],
  [["--http", "4001"], { http: 4001 }],
  [["--http", "--files"], { http: 4000, files: "." }],
  [["--files", "/srv", "--http"], { http: 4000, files: "/srv" }],
  [["--files=/srv", "--files-port", "9"], { files: "/srv", filesPort: 9 }],
  [["--http", "doctor"], { http: 4000, words: ["doctor"] }],
  [["--host", "0.0.0.0"], { host: "0.0.0.0" }],
  [["--token", "x", "--require-token"], { token: "x", requireToken: true }],
  [["--token", "x"], { token: "x" }, { DESKHAND_TOKEN: "y" }],
  [[], { token: "y", filesAuth: "a:b" }, { DESKHAND_TOKEN: "y", DESKHAND_FILES_AUTH: "a:b" }],
  [[], { token: undefined }, { DESKHAND_TOKEN: "" }],
  [["--allow-origin", "a", "--allow-origin", "b"], { allowOrigin: ["a", "b"] }],
  [["-c", "g", "--command", "m1-2; g"], { command: ["g", "m1-2; g"] }],
  [["-cm1-2; g", "-c=g"], { command: ["m1-2; g", "g"] }],
  [["--desktop", "virtual", "--read-only"], { desktop: "virtual", readOnly: true }],
  [["--log", "-"], {
    log: "-",
    notices: ["--log does nothing without --http or --files or --webdriver or --vnc"],
  }],
  [["--http", "--log", "-", "--cert", "a", "--key", "b", "--allow-host", "x"], { notices: [] }],
  [["--http", "--files-port", "8080", "--index"], {
    filesPort: 8080,
    notices: ["--files-port does nothing without --files", "--index does nothing without --files"],
  }],
  [["--files", "--allow-origin", "a", "--require-token"], {
    notices: [
      "--require-token does nothing without --http or --webdriver or --vnc",
      "--allow-origin does nothing without --http or --webdriver or --vnc",
    ],
  }],
  [["-c", "g", "--read-only", "--desktop", "virtual"], { notices: [] }, { DESKHAND_TOKEN: "y" }],
  [["--wait-desktop", "0.5", "--log", "-", "--log-format", "json"], {
    waitDesktop: 0.5,
    logFormat: "json",
    notices: ["--log does nothing without --http or --files or --webdriver or --vnc"],
  }],
  [["--http", "0", "--files", "--files-port", "0"], { http: 0, filesPort: 0, notices: [] }],
  [["--webdriver", "--require-token", "--webdriver-wait", "5"], {
    webdriver: 4723,
    webdriverWait: 5,
    notices: [],
  }],
  [["--vnc", "--require-token", "--cert", "a", "--key", "b"], { vnc: 5900, notices: [] }],
  [["--vnc-password-file", "f"], { notices: ["--vnc-password-file does nothing without --vnc"] }],
  [["--webdriver-open", "kcalc"], { notices: ["--webdriver-open does nothing without --webdriver"] }],
  [["--files", "--no-hidden"], { noHidden: true, notices: [] }],
  [["--files"], { noHidden: false, notices: [] }],
  [["-h"], { help: true }],
  [["doctor"], { words: ["doctor"], notices: [] }],
  [["--http", "docter"], { words: ["docter"], notices: [] }], // a misspelled subcommand
  [["mcp", "--agent-open", "mousepad", "--files", "notes", "--trace", "tr", "--languages", "deu"], {
    notices: [],
  }],
  [["mcp", "--log", "-", "--sound"], {
    notices: ["--sound does nothing with mcp", "--log does nothing with mcp"],
  }],
  [["run", "--files", "--trace-hide", "*", "--agent-log", "l", "--", "true"], { notices: [] }],
  [["run", "--desktop", "x11", "-c", "g", "--look", "--", "true"], {
    notices: ["desktop", "look", "command"].map((name) => `--${name} does nothing with run`),
  }],
  [["doctor", "--read-only"], { notices: ["--read-only does nothing with doctor"] }],
  [["--version"], { version: true }],
];

Deno.test("options mean what the table says", () => {
  for (const [args, expected, env] of GOOD) {
    const settings = read(args, env);
    for (const [name, value] of Object.entries(expected)) {
      assertEquals(settings[name as keyof Read], value, `${args.join(" ")}: ${name}`);
    }
  }
});

const WRONG: [args: string[], message: string][] = [
  [["--bogus"], "unknown option --bogus"],
  [["-x"], "unknown option -x"],
  [["--c", "g"], "unknown option --c"],
  [["-hc", "g"], "unknown option -hc;"],
  [["-vers"], "unknown option -vers (did you mean --version?)"],
  [["--h"], "unknown option --h"],
  [["--tokn=secret"], "unknown option --tokn (did you mean"],
  [["--htpp"], "unknown option --htpp (did you mean --http?)"],
  [["--port=80"], "unknown option --port (did you mean --http or --files-port?)"],
  [["-p", "80"], "unknown option -p (did you mean --http or --files-port?)"],
  [["--webdav"], "unknown option --webdav (did you mean --dav?)"],
  [["--upload"], "unknown option --upload (did you mean --allow-upload?)"],
  [["--cors"], "unknown option --cors (did you mean --files-cors?)"],
  [["--file-port", "1"], "(did you mean --files-port?)"],
  [["--requiretoken"], "(did you mean --require-token?)"],
  [["--allow"], "unknown option --allow; --help all lists all options"], // two options begin like this
  [["--frob"], "unknown option --frob; --help all lists all options"],
  [["link", "--frob"], "unknown option --frob; link --help lists its options"],
  [["--no-http"], "unknown option --no-http"],
  [["--http", "-1"], '--http takes a port from 0 to 65535 (0 is any free one), not "-1"'],
  [["--files="], "--files takes a folder, not an empty name; . means the current folder"],
  [["--http", "--files", ""], "--files takes a folder, not an empty name"],
  [["--wait-desktop", "soon"], '--wait-desktop takes seconds from 0 to 3600, such as 30 or 0.5, not "soon"'],
  [["--wait-desktop", "3601"], "--wait-desktop takes seconds from 0 to 3600"],
  [["--log", "-", "--log-format", "xml"], '--log-format takes text, json, not "xml"'],
  [["--http", "abc"], '--http takes a port from 0 to 65535 (0 is any free one), not "abc"'],
  [["--http=abc"], '--http takes a port from 0 to 65535 (0 is any free one), not "abc"'],
  [["--http", "65536"], "--http takes a port"],
  [["--http", "4001", "--files"], "--http and --files-port are both 4001; choose another for one of them"],
  [["--http", "--files", "--files-port", "4000"], "--http and --files-port are both 4000"],
  [["--http", "5900", "--vnc"], "--http and --vnc are both 5900; choose another for one of them"],
  [["--http", "4000x"], "--http takes a port"],
  [["--files-port", "-1"], "--files-port"],
  [["--files-port"], "--files-port needs a value: --files-port PORT"],
  [["--desktop", "mac"], '--desktop takes auto, wayland, portal, x11, windows, virtual, vnc://…, not "mac"'],
  [["--token"], "--token needs a value"],
  [["--allow-host"], "--allow-host needs a value"],
  [["-c"], "--command needs a value"],
  [["--read-only=no"], "--read-only takes no value"],
];

Deno.test("a wrong option is refused by name", () => {
  for (const [args, message] of WRONG) {
    assertThrows(() => read(args), UsageError, message, args.join(" "));
  }
});

/** The names of the options that `deskhand mcp` reads at startup. */
async function optionsReadByMcp(folder: string): Promise<string[]> {
  const args = ["mcp", "--desktop", "virtual", "--files", folder, "--trace", join(folder, "traces")];
  const read = new Set<string>();
  const settings = new Proxy(readOptions(args, () => undefined).settings, {
    get(target, name) {
      read.add(String(name));
      return Reflect.get(target, name);
    },
  });
  const lifetime = new Lifetime(), kept = Deno.env.get("XDG_STATE_HOME");
  Deno.env.set("XDG_STATE_HOME", folder);
  try {
    const services = await openServices(settings, { ...CONSOLE, notice() {} }, lifetime);
    await services().agents();
  } finally {
    await lifetime.end("finished");
    if (kept === undefined) Deno.env.delete("XDG_STATE_HOME");
    else Deno.env.set("XDG_STATE_HOME", kept);
  }
  // The files of other options are read as secrets that agents never see.
  const own: readonly string[] = ["agent-log", "agent-allow", "desktop-password-file"];
  const isSecret = ({ name, path }: Option) => path === "file" && !own.includes(name);
  return OPTIONS.filter((row) => read.has(camelCase(row.name)) && !isSecret(row)).map(({ name }) => name);
}

Deno.test("mcp obeys the options that it claims to support", async () => {
  await temporary(async (folder) => {
    // Startup for -c does not mention leftover journals, and the page opens where --http serves it.
    const others = ["command", "http"];
    const taken: readonly string[] = SUBCOMMANDS.find(({ name }) => name === "mcp")!.options!;
    assertEquals((await optionsReadByMcp(folder)).sort(), [...taken, ...others].sort());
  });
});

Deno.test("help has every option: those of one subcommand are in its own help", () => {
  const subcommands = SUBCOMMANDS.filter((row) => ownOptions(row).length);
  assertEquals(subcommands.map(({ name }) => name), ["setup", "link", "share", "trace"]);
  for (const row of OPTIONS) {
    const users = subcommands.filter((subcommand) =>
      ownOptions(subcommand).some(({ name }) => name === row.name)
    );
    const line = new RegExp(`^ {2}(?:-\\w,| {3}) --${row.name}(?: .*)?(?: {2}|$)`, "m");
    assertEquals(line.test(helpText(SUBCOMMANDS, ALL)), users.length === 0, row.name);
    for (const user of users) assertMatch(subcommandHelp(user), line);
  }
});

Deno.test("a subcommand's options have their effect where its help puts them", () => {
  for (const row of SUBCOMMANDS.filter(({ options }) => options)) {
    const [usage] = subcommandHelp(row).split("\n");
    const args = usage.replace("[options]", "--desktop virtual").split(" ").slice(2);
    const read = xdotoolCall(args, "deskhand") ?? readOptions(args, () => undefined).settings;
    assertEquals(read.desktop, "virtual", usage);
  }
});

Deno.test("the short help has 12 options, every subcommand, and no line longer than 80 characters", () => {
  assertEquals([FIRST_OPTIONS.length, new Set(FIRST_OPTIONS).size], [12, 12]);
  const first = helpText(SUBCOMMANDS);
  assertEquals(
    [...first.matchAll(/^ {2}(?:-\w,| {3}) --([a-z-]+)/gm)].map(([, name]) => name),
    FIRST_OPTIONS,
  );
  assertStringIncludes(first, "`deskhand --help all`");
  for (const { name } of SUBCOMMANDS) assertMatch(first, new RegExp(`^ {2}${name} `, "m"));
  for (const topic of [undefined, ALL, ...SUBCOMMANDS.map(({ name }) => name)]) {
    const long = helpText(SUBCOMMANDS, topic).split("\n").filter((line) => line.length > 80);
    assertEquals(long, [], topic);
  }
  assertThrows(() => helpText(SUBCOMMANDS, "shar"), UsageError, "did you mean share?");
});

Deno.test("help has each option once, below its group's heading", () => {
  const groups = helpText(SUBCOMMANDS, ALL).split("\n\n");
  for (const [name, heading] of Object.entries(OPTION_GROUPS)) {
    const [first, ...lines] = groups.find((group) => group.startsWith(`${heading}:`))!.split("\n");
    assertEquals(first, `${heading}:`);
    const names = lines.flatMap((line) => /^ {2}(?:-\w,| {3}) --([a-z-]+)/.exec(line)?.[1] ?? []);
    assertEquals(names, MAIN_OPTIONS.filter(({ group }) => group === name).map((row) => row.name));
  }
});

// Completion as the shells themselves complete; and that every script has every option.

/** Text before Tab, and the line after it. */
const TYPED: [typed: string, completed: string][] = [
  ["deskhand --des", "deskhand --desktop"],
  ["deskhand --desktop vi", "deskhand --desktop virtual"],
  ["deskhand --desktop=vi", "deskhand --desktop=virtual"],
  ["deskhand --http --read", "deskhand --http --read-only"],
  ["deskhand --files ins", "deskhand --files inside/"],
  ["deskhand --files=ins", "deskhand --files=inside/"],
  ["deskhand --files --inde", "deskhand --files --index"],
  ["deskhand --cert serv", "deskhand --cert server.pem"],
  ["deskhand comp", "deskhand completions"],
  ["deskhand link --loo", "deskhand link --look"],
  ["deskhand --loo", "deskhand --loo"],
  ["deskhand completions po", "deskhand completions powershell"],
];

/** How to start each shell without the user's settings, and with the completions. */
const STARTED: Partial<Record<typeof SHELLS[number], { command: string; setup: string }>> = {
  bash: { command: "bash --noprofile --norc", setup: "PS1='$ '; source completions.bash" },
  zsh: {
    command: "zsh --no-rcs",
    setup: "PS1='$ '; autoload -U compinit; compinit -u -D; source completions.zsh",
  },
  fish: {
    command: "fish --no-config",
    setup:
      "function fish_prompt; echo -n '$ '; end; source completions.fish; set -g fish_autosuggestion_enabled 0",
  },
};

for (const shell of SHELLS) {
  const started = STARTED[shell];
  if (!started) continue;
  const { command, setup } = started;
  Deno.test({
    ...need("tmux", shell),
    name: `${shell} completes options, their values, files and words`,
    async fn(test) {
      await temporary(async (folder) => {
        await Deno.mkdir(join(folder, "inside"));
        await Deno.writeTextFile(join(folder, "server.pem"), "");
        await Deno.writeTextFile(join(folder, `completions.${shell}`), completions(shell, SUBCOMMANDS));
        await using terminal = await Terminal.open(
          `cd '${folder}'; env -i TERM=xterm LC_ALL=C.UTF-8 HOME='${folder}' PATH="$PATH" ${command}`,
        );
        await terminal.line(setup);
        await terminal.keys("C-l");
        await terminal.shows(/^\$\s*$/);
        for (const [typed, completed] of TYPED) {
          await test.step(typed, async () => {
            try {
              await terminal.keys(typed);
              await terminal.shows(new RegExp(`^\\$ ${RegExp.escape(typed)}$`, "m"));
              await terminal.keys("Tab");
              // A shell may append a space, or the = that a value may follow.
              await terminal.shows(new RegExp(`^\\$ ${RegExp.escape(completed)}[= ]*$`, "m"));
            } finally {
              await terminal.keys("C-u", "C-l");
            }
            await terminal.shows(/^\$\s*$/);
          });
        }
        if (shell !== "bash") { // bash shows only words
          await terminal.keys("deskhand --desktop ");
          await terminal.shows(/^\$ deskhand --desktop\s*$/m);
          await terminal.keys("Tab");
          for (const [word, meaning] of Object.entries(DESKTOP_MEANINGS)) {
            await terminal.shows(new RegExp(`\\b${word}\\s.*${RegExp.escape(meaning)}`));
          }
        }
      });
    },
  });
}

Deno.test("every shell's completions have every option and subcommand", () => {
  for (const shell of SHELLS) {
    const script = completions(shell, SUBCOMMANDS);
    for (const { name } of OPTIONS) {
      assertStringIncludes(script, shell === "fish" ? ` -l ${name} ` : `--${name}`);
    }
    for (const { name } of SUBCOMMANDS) assertStringIncludes(script, name);
  }
});

Deno.test("quotes in a summary end no string", () => {
  // The summaries contain apostrophes; in PowerShell and zsh an odd number of quotes on a line would be an
  // error.
  assert(OPTIONS.some(({ summary }) => summary.includes("'")));
  for (
    const line of completions("powershell", SUBCOMMANDS).split("\n").filter((line) =>
      line.startsWith("    '")
    )
  ) {
    assertEquals(line.replaceAll("''", "").split("'").length % 2, 1, line);
  }
});

const START = { settings: readOptions([], () => undefined).settings, lifetime: new Lifetime() };

Deno.test("an unknown shell is refused", async () => {
  for (const words of [[], ["tcsh"], ["bash", "zsh"], ["toString"]]) {
    await assertRejects(
      () => runSubcommand(["completions", ...words], CONSOLE, START),
      UsageError,
      "bash, zsh, fish, powershell",
    );
  }
});

// The manual page: troff formats it without a warning, and it has every row of the tables.

Deno.test({
  ...need("groff"),
  name: "troff reads the manual page without a warning, and every row is in it",
  async fn() {
    const groff = new Deno.Command("groff", {
      args: ["-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = groff.stdin.getWriter();
    await writer.write(new TextEncoder().encode(manual(SUBCOMMANDS) + "\n"));
    await writer.close();
    const { success, stdout, stderr } = await groff.output();
    assertEquals([success, new TextDecoder().decode(stderr)], [true, ""]);
    const page = new TextDecoder().decode(stdout).replaceAll("’", "'");
    for (
      const { name, summary } of [
        ...MAIN_OPTIONS,
        ...SUBCOMMANDS.flatMap(ownOptions),
        ...SUBCOMMANDS,
        ...COMMANDS,
      ]
    ) {
      assertStringIncludes(page, name);
      assertStringIncludes(page, summary);
    }
    for (const { method, path, summary, part } of ENDPOINTS) {
      const isListed = new RegExp(`^ *${method} ${RegExp.escape(path)}(?: |$)`, "m").test(page);
      assertEquals(isListed, !part, path); // a page's part is not an endpoint that a person calls
      assertStringIncludes(page, summary);
    }
  },
});

Deno.test("every option and prompt command in the examples is valid", () => {
  for (const [line] of EXAMPLES) {
    const words = line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ""));
    const { settings, notices, words: rest } = readOptions(words.slice(1), () => undefined);
    assertEquals([notices, rest], [[], []], line);
    for (const command of settings.command.flatMap(splitCommands)) {
      assertEquals(COMMANDS.some(({ pattern }) => pattern.test(command.trim())), true, command);
    }
  }
  assertMatch(manual(SUBCOMMANDS), /^\.SH FILES$[^]*^\.SH EXAMPLES$/m);
});

Deno.test("the page names the files that deskhand stores", async () => {
  await temporary(async (cwd) => {
    await using program = new Program(["--http", "0", "--desktop", "virtual"], { cwd });
    await program.controlUrl();
    await program.write("rec");
    await program.printed(/^recording/m);
    const kept = Array.from(Deno.readDirSync(`${program.stateFolder}/deskhand`), ({ name }) => name);
    const patterns = FILES.flatMap(([names]) => names.split(", ")).map((name) => globToRegExp(name));
    for (const name of kept) assertEquals(patterns.some((pattern) => pattern.test(name)), true, name);
    assertEquals(kept.includes("token"), true);
  });
});

Deno.test("no line of the page is accidentally a troff request", () => {
  for (const line of manual(SUBCOMMANDS).split("\n").filter((line) => /^[.']/.test(line))) {
    assertEquals(/^\.(TH|SH|TP|RS|RE|B|br)\b/.test(line), true, line);
  }
});

// The documentation names every option, subcommand and prompt command.

const document = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));

Deno.test("docs/options.md has every option with its value, and every subcommand", () => {
  const page = document("docs/options.md");
  for (const row of OPTIONS) {
    assertStringIncludes(page, `--${row.name}${valueUsage(row)}\``);
  }
  for (const { name } of SUBCOMMANDS) assertMatch(page, new RegExp(`\`(deskhand )?${name}\\b`));
});

Deno.test("docs/prompt.md has every prompt command", () => {
  const page = document("docs/prompt.md");
  for (const { name } of COMMANDS) assertStringIncludes(page.slice(page.indexOf("## Commands")), `\`${name}`);
});

Deno.test("options that the README names exist", () => {
  const names = OPTIONS.map(({ name }) => `--${name}`);
  const part = document("README.md").split("\n## ").find((part) => part.startsWith("Options"))!;
  for (const [option] of part.matchAll(/--[a-z][a-z-]*/g)) {
    assert(names.includes(option), option);
  }
});
