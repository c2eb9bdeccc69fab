/** The table of prompt commands, and finding a line's command in it. */

import { InputError } from "../../core/errors.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { ACTIONS } from "../actions/mod.ts";
import { ACTION_COMMANDS } from "./action_commands.ts";
import { CLIPBOARD_COMMANDS } from "./clipboard_commands.ts";
import { actionCommand, type Command, type CommandContext, Quit } from "./command.ts";
import { FIND } from "./find_command.ts";
import { recorderStatus, RECORDING_COMMANDS } from "./recording_commands.ts";
import { SHOT } from "./shot.ts";
import { WINDOW_COMMANDS } from "./window_commands.ts";

/** Commands of the prompt alone. */
const OWN_COMMANDS: readonly Command[] = [
  {
    name: "status",
    usage: "status",
    example: "status",
    summary: "show what is going on",
    pattern: /^status$/,
    effect: "look",
    run: (_, { runner }) => statusText(runner),
  },
  actionCommand(
    ACTIONS.history,
    {
      name: "history",
      usage: "history",
      example: "history",
      summary: "list the actions that a virtual desktop received, in order",
      pattern: /^history$/,
    },
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
    usage: "help",
    example: "help",
    summary: "list the commands",
    pattern: /^help$/,
    effect: "look",
    run: () => commandHelp(),
  },
  {
    name: "quit",
    usage: "quit",
    example: "quit",
    summary: "leave",
    pattern: /^(?:quit|exit|q)$/,
    effect: "look",
    run() {
      throw new Quit();
    },
  },
];

/** Every command, in the order of help. */
export const COMMANDS: readonly Command[] = [
  ...ACTION_COMMANDS,
  ...WINDOW_COMMANDS,
  ...CLIPBOARD_COMMANDS,
  SHOT,
  FIND,
  ...RECORDING_COMMANDS,
  ...OWN_COMMANDS,
];

/**
 * Runs a line.
 * @param line One command; an empty line or a comment (`#`) does nothing.
 * @returns What to print, if anything.
 * @throws InputError if there is no such command or it is written wrongly; ForbiddenError if `--read-only` closes
 *   it; what the command throws.
 */
export async function runLine(line: string, context: CommandContext): Promise<string | void> {
  // Blanks at the end of what `t` types belong to the text.
  const text = /^\s*t\s/.test(line) ? line.trimStart() : line.trim();
  if (text === "" || text.startsWith("#")) return;
  for (const command of COMMANDS) {
    const match = command.pattern.exec(text);
    if (!match) continue;
    if (command.effect !== "look") context.runner.checkOpen(command);
    return await command.run(match.slice(1), context);
  }
  throw new InputError(misspelt(text));
}

/**
 * Whether a line is one that does not wait for the ones before it.
 * @example
 * isImmediate("stop"); // true
 */
export function isImmediate(line: string): boolean {
  return COMMANDS.some(({ immediate, pattern }) => immediate && pattern.test(line.trim()));
}

/**
 * Splits what `-c` takes into lines; `\;` is a semicolon that does not separate.
 * @example
 * splitCommands("m10-20; g"); // ["m10-20", " g"]
 */
export function splitCommands(lines: string): string[] {
  return lines.split(/(?<!\\);/).map((line) => line.replaceAll("\\;", ";"));
}

/** The list of commands. */
function commandHelp(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length)) + 2;
  return COMMANDS.map(({ usage, summary }) => usage.padEnd(width) + summary).join("\n");
}

/** What is wrong with a line that fits no pattern: its name, what is missing, or how it is written. */
function misspelt(text: string): string {
  const name = /^[a-z]+/i.exec(text)?.[0] ?? text;
  const command = COMMANDS.find((row) => row.name === name.toLowerCase());
  if (!command) return `unknown command ${printable(name, 40)}; help lists them`;
  const { usage, example } = command;
  const missing = /^!?\s*$/.test(text.slice(name.length)) &&
    usage.slice(command.name.length).replace(/^\[!\]/, "");
  const wrong = missing
    ? `${command.name} lacks ${missing.trim()}`
    : `${printable(text, 60)} does not have the form of ${command.name}`;
  return `${wrong}: write ${usage}, such as ${example}`;
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
