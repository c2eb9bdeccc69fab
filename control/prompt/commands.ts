/** The table of prompt commands, and the lookup of a line's command. */

import { InputError } from "../../core/errors.ts";
import { styled, terminalColumns } from "../../core/output.ts";
import { fillLines, inColumns, nearest, printable, printableJson } from "../../core/printable.ts";
import { ACTIONS } from "../actions/mod.ts";
import {
  CLIPBOARD_COMMANDS,
  ELEMENT_COMMANDS,
  FIND,
  KEY_COMMANDS,
  POINTER_COMMANDS,
  SCREEN_COMMANDS,
  TEXT_COMMANDS,
  WINDOW_COMMANDS,
} from "./action_commands.ts";
import { parseFields } from "../schema/schema.ts";
import {
  actionCommand,
  type Command,
  type CommandContext,
  EXPECT_USAGE,
  plain,
  Quit,
  type ServerAbout,
} from "./command.ts";
import {
  recorderStatus,
  RECORDING_COMMANDS,
  SHOT,
  TRACE_COMMANDS,
  traceStatus,
} from "./recording_commands.ts";

// Other interfaces' names for what the prompt's commands do, for messages about unknown commands.

/** Commands by the API path or agent tool name of the same action. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  activate: "act",
  click: "c",
  clipboard: "copy",
  fullscreen: "full",
  key: "k",
  maximize: "max",
  minimize: "min",
  move: "m",
  position: "g",
  record: "rec",
  recording: "rec",
  screenshot: "shot",
  scroll: "sc",
  type: "t",
  window: "win",
  windows: "win",
};

/** All names of other interfaces. */
export const OTHERS: readonly string[] = Object.keys(OTHER_NAMES);

/**
 * The prompt's command for another interface's name.
 * @param name The name in lower case.
 * @returns The command's name; undefined if no other interface has this name, or if a command already has it.
 * @example
 * commandNamed("click"); // "c"
 */
export function commandNamed(name: string): string | undefined {
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
}

/** Control API calls that messages suggest, with the equivalent prompt commands. */
const OTHER_CALLS: readonly (readonly [call: string, words: string])[] = [
  ['POST /api/elements {"enabled":true}, or elements on', "elements on"],
  ["PUT /api/clipboard, then Ctrl+V", "copy, then k ctrl+v"],
  ["POST /api/recording/stop", "stop"],
  ["GET /api/traces", "trace list"],
  ["GET /api/windows", "win"],
  ["/api/windows", "win"],
  ["/api/elements", "el"],
];

/**
 * Replaces control API calls in a message with prompt commands.
 * @example
 * inPromptWords("there is no trace a: GET /api/traces lists them"); // "there is no trace a: trace list lists them"
 */
export function inPromptWords(message: string): string {
  return OTHER_CALLS.reduce((words, [call, own]) => words.replaceAll(call, own), message);
}

/** Commands that only the prompt has. */
const OWN_COMMANDS: readonly Command[] = [
  {
    ...plain("status"),
    summary: "show the current state",
    effect: "read",
    run: async (_, { runner, servers = [] }) =>
      [
        statusText(runner),
        `trace    ${traceStatus(runner)}`,
        ...await Promise.all(servers.map((server) => server.about())),
      ].join("\n"),
  },
  actionCommand(
    ACTIONS.history,
    { ...plain("history"), summary: "list the actions that a virtual desktop received, in order" },
    () => ({}),
    ({ actions }) => printableJson(actions.map((action) => JSON.stringify(action)).join("\n")),
  ),
  actionCommand(ACTIONS.allowAgents, {
    name: "agents",
    usage: "agents on|off",
    example: "agents on",
    pattern: /^agents\s+(on|off)$/,
    immediate: true,
  }, ([word]) => ({ allowed: word === "on" })),
  {
    name: "help",
    usage: "help [<command>|<group>|all|api]",
    example: "help wait",
    summary: "explain a command, list a group of commands, all of them, or the calls of the control API",
    pattern: /^(?:help|\?)(?:\s+(\S+))?$/,
    effect: "read",
    run: ([topic], { servers = [] }) =>
      Promise.try(() => topic === undefined ? firstHelp() : topicHelp(topic, servers)),
  },
  {
    ...plain("quit"),
    summary: "leave",
    pattern: /^(?:quit|exit|q)$/,
    effect: "read",
    run() {
      throw new Quit();
    },
  },
];

/** Compares the screen with a picture in a file. */
const EXPECT: Command = {
  name: "expect",
  usage: EXPECT_USAGE,
  example: "expect looks notes.png window=Notes",
  summary:
    "wait until the screen, a window or an element looks like a picture in a file; create the file if it is missing; " +
    "fields: mask, threshold, max_pixels, timeout_ms",
  pattern: /^(expect\s+looks\s+.+)$/su,
  effect: ACTIONS.compare.effect,
  async run([line], context) {
    const { checkLooks, expectationIn } = await import("./baselines.ts");
    // The bytes move to the comparison's Worker.
    await checkLooks(expectationIn(line!)!, async (png, fields) => {
      return await context.runner.run(
        ACTIONS.compare,
        parseFields(ACTIONS.compare.input, { png: png.slice(), ...fields }),
        context,
      );
    });
  },
};

/** Commands by subject, in help order. */
const GROUPS: readonly CommandGroup[] = [
  ["Pointer", POINTER_COMMANDS],
  ["Keys", KEY_COMMANDS],
  ["Screen", [...SCREEN_COMMANDS, SHOT, FIND, EXPECT, ...TEXT_COMMANDS]],
  ["Windows", WINDOW_COMMANDS],
  ["Elements", ELEMENT_COMMANDS],
  ["Clipboard", CLIPBOARD_COMMANDS],
  ["Recording", RECORDING_COMMANDS],
  ["Traces", TRACE_COMMANDS],
  ["deskhand", OWN_COMMANDS],
];

/** The commands that `help` lists first. */
const FIRST_COMMANDS = ["m", "c", "sc", "g", "t", "k", "win", "shot", "rec", "stop", "save", "play"];

/** Words that `help` accepts besides command names. */
export const HELP_TOPICS: readonly string[] = ["all", "api", ...GROUPS.map(([name]) => name.toLowerCase())];

/** Every command, in help order. */
export const COMMANDS: readonly Command[] = GROUPS.flatMap(([, rows]) => rows);

/**
 * Runs a line.
 * @param line One command; an empty line or a comment (`#`) does nothing.
 * @returns The text to print, if any.
 * @throws InputError if the command is unknown or malformed; ForbiddenError if `--read-only` does not allow
 * it; the command's errors.
 */
export async function runLine(line: string, context: CommandContext): Promise<string | void> {
  // Trailing blanks of a text for `t` belong to the text.
  const text = /^\s*t\s/.test(line) ? line.trimStart() : line.trim();
  if (text === "" || text.startsWith("#")) return;
  for (const command of COMMANDS) {
    const match = command.pattern.exec(text);
    if (!match) continue;
    if (command.effect !== "read") context.runner.checkOpen(command);
    return await command.run(match.slice(1), context);
  }
  throw new InputError(misspelt(text));
}

/**
 * Whether a line runs immediately, without waiting for earlier lines.
 * @example
 * isImmediate("stop"); // true
 */
export function isImmediate(line: string): boolean {
  return COMMANDS.some(({ immediate, pattern }) => immediate && pattern.test(line.trim()));
}

/**
 * Splits the value of `-c` into lines; `\;` is a literal semicolon.
 * @example
 * splitCommands("m10-20; g"); // ["m10-20", " g"]
 */
export function splitCommands(lines: string): string[] {
  return lines.split(/(?<!\\);/).map((line) => line.replaceAll("\\;", ";"));
}

/**
 * The `help` text for a command, a group of commands, all commands, or the control API.
 * @throws InputError if there is no such command, or no control API.
 */
function topicHelp(topic: string, servers: readonly ServerAbout[]): string {
  if (topic === "api") {
    const calls = servers.flatMap((server) => server.calls?.() ?? []);
    if (!calls.length) throw new InputError("the control API is off: start deskhand with --http");
    return calls.join("\n");
  }
  if (topic === "all") return commandHelp(GROUPS);
  const group = GROUPS.find(([name]) => name.toLowerCase() === topic.toLowerCase());
  if (group) return commandHelp([group]);
  const asked = commandNamed(topic) ?? topic;
  const commands = COMMANDS.filter(({ name }) => name === asked);
  if (!commands.length) throw new InputError(unknownCommand(topic));
  return commands.map(oneHelp).join("\n");
}

/** Message for a word that starts no command. */
function unknownCommand(name: string): string {
  const near = nearest(name.toLowerCase(), [...COMMANDS.map((row) => row.name), ...OTHERS]) ?? "";
  const meant = COMMANDS.find((row) => row.name === (commandNamed(near) ?? near));
  // A command with few letters is recognized by its form.
  const shown = meant?.name === near ? near : `${meant?.usage}, such as ${meant?.example}`;
  return `unknown command ${printable(name, 40)}${
    meant ? ` (did you mean ${shown}?)` : ""
  }; help all lists them`;
}

/** Message for a line that matches no pattern: a wrong name, a missing part, or how to write the line. */
function misspelt(text: string): string {
  const name = /^[a-z]+/i.exec(text)?.[0] ?? text;
  const [command, ...others] = COMMANDS.filter((row) => row.name === name.toLowerCase());
  if (!command) return unknownCommand(name);
  const { usage, example } = command;
  const forms = [usage, ...others.map((row) => row.usage)].join(" | ");
  const missing = /^!?\s*$/.test(text.slice(name.length)) &&
    usage.slice(command.name.length).replace(/^\[!\]/, "");
  const wrong = missing
    ? `${command.name} lacks ${missing.trim()}`
    : `${printable(text, 60)} does not have the form of ${command.name}`;
  return `${wrong}: write ${forms}, such as ${example}`;
}

function statusText({ operator, recorder }: CommandContext["runner"]): string {
  const { width, height } = operator.screen();
  const held = operator.held().map(([, name]) => name);
  return [
    `desktop  ${operator.desktop.kind}, ${width}x${height}`,
    `held     ${held.join(", ") || "nothing"}`,
    `recorder ${recorderStatus(recorder)}`,
  ].join("\n");
}

type CommandGroup = readonly [subject: string, commands: readonly Command[]];

/** The list of the most useful commands, and what else `help` accepts. */
function firstHelp(): string {
  const rows = FIRST_COMMANDS.map((name) => COMMANDS.find((row) => row.name === name)!);
  const groups = GROUPS.map(([name]) => name.toLowerCase()).join(", ");
  const more = [
    `help <group> lists a group of commands: ${groups}.`,
    "help all lists every command, help wait explains one; quit leaves.",
  ].flatMap((line) => fillLines(line.split(" "), terminalColumns() ?? Infinity));
  return [...listed(rows), ...more].join("\n");
}

/** Lists commands with their summaries, wrapped to the terminal's width. */
function listed(commands: readonly Command[]): string[] {
  const rows = commands.map(({ usage, summary }) => [`  ${usage}`, summary] as const);
  return inColumns(rows, terminalColumns(), (usage) => styled("name", usage));
}

function commandHelp(groups: readonly CommandGroup[]): string {
  return groups.flatMap(([subject, commands]) => [styled("bold", subject), ...listed(commands)]).join("\n");
}

/** A command's help: its form, an example, and its effect. */
function oneHelp({ usage, example, summary }: Command): string {
  const width = (terminalColumns() ?? Infinity) - 2;
  const text = fillLines(summary.split(" "), width), forms = fillLines(usage.split(" "), width);
  return [forms.join("\n  "), ...text.map((line) => `  ${line}`), `  such as ${example}`].join("\n");
}
