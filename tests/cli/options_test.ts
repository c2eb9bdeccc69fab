/** The command line, as a table of command lines and their meanings. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../core/errors.ts";
import { OPTION_GROUPS, OPTIONS, type Settings } from "../../cli/option_table.ts";
import { helpText } from "../../cli/help.ts";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { type CommandLine, readOptions } from "../../cli/options.ts";

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
  [["--log", "-"], { log: "-", notices: ["--log does nothing without --http or --files"] }],
  [["--http", "--log", "-", "--cert", "a", "--key", "b", "--allow-host", "x"], { notices: [] }],
  [["--http", "--files-port", "8080", "--index"], {
    filesPort: 8080,
    notices: ["--files-port does nothing without --files", "--index does nothing without --files"],
  }],
  [["--files", "--allow-origin", "a", "--require-token"], {
    notices: ["--require-token does nothing without --http", "--allow-origin does nothing without --http"],
  }],
  [["-c", "g", "--read-only", "--desktop", "virtual"], { notices: [] }, { DESKHAND_TOKEN: "y" }],
  [["--wait-desktop", "0.5", "--log", "-", "--log-format", "json"], {
    waitDesktop: 0.5,
    logFormat: "json",
    notices: ["--log does nothing without --http or --files"],
  }],
  [["--http", "0", "--files", "--files-port", "0"], { http: 0, filesPort: 0, notices: [] }],
  [["--files", "--no-hidden"], { noHidden: true, notices: [] }],
  [["--files"], { noHidden: false, notices: [] }],
  [["-h"], { help: true }],
  [["doctor"], { words: ["doctor"], notices: [] }],
  [["--http", "docter"], { words: ["docter"], notices: [] }], // a subcommand, misspelt
  [["doctor", "--desktop", "virtual"], { notices: ["--desktop does nothing with doctor"] }],
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
  [["--file-port", "1"], "(did you mean --files-port?)"],
  [["--requiretoken"], "(did you mean --require-token?)"],
  [["--allow"], "unknown option --allow; --help lists them"], // two options begin so
  [["--frob"], "unknown option --frob; --help lists them"],
  [["--no-http"], "unknown option --no-http"],
  [["--http", "-1"], '--http takes a port from 0 to 65535 (0 is any free one), not "-1"'],
  [["--files="], "--files takes a folder, not an empty name; . is the current folder"],
  [["--http", "--files", ""], "--files takes a folder, not an empty name"],
  [["--wait-desktop", "soon"], '--wait-desktop takes seconds from 0 to 3600, such as 30 or 0.5, not "soon"'],
  [["--wait-desktop", "3601"], "--wait-desktop takes seconds from 0 to 3600"],
  [["--log", "-", "--log-format", "xml"], '--log-format takes text, json, not "xml"'],
  [["--http", "abc"], '--http takes a port from 0 to 65535 (0 is any free one), not "abc"'],
  [["--http=abc"], '--http takes a port from 0 to 65535 (0 is any free one), not "abc"'],
  [["--http", "65536"], "--http takes a port"],
  [["--http", "4001", "--files"], "--http and --files-port are both 4001; choose another for one of them"],
  [["--http", "--files", "--files-port", "4000"], "--http and --files-port are both 4000"],
  [["--http", "4000x"], "--http takes a port"],
  [["--files-port", "-1"], "--files-port"],
  [["--files-port"], "--files-port needs a value: --files-port PORT"],
  [["--desktop", "mac"], '--desktop takes auto, wayland, portal, x11, windows, virtual, not "mac"'],
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

Deno.test("help has every option", () => {
  for (const { name } of OPTIONS) assertStringIncludes(helpText(SUBCOMMANDS), `--${name}`);
});

Deno.test("help has each option once, below the heading of its group", () => {
  const groups = helpText(SUBCOMMANDS).split("\n\n");
  for (const [name, heading] of Object.entries(OPTION_GROUPS)) {
    const [first, ...lines] = groups.find((group) => group.startsWith(`${heading}:`))!.split("\n");
    assertEquals(first, `${heading}:`);
    const names = lines.map((line) => /--([a-z-]+)/.exec(line)![1]);
    assertEquals(names, OPTIONS.filter(({ group }) => group === name).map((row) => row.name));
  }
});
