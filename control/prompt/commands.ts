/** The table of prompt commands, and finding a line's command in it. */

import type { Button, Point } from "../desktop.ts";
import { InputError, StateError } from "../../core/errors.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { parseCombination } from "../keys.ts";
import { SCROLL_LIMIT } from "../operator.ts";
import { type Command, type CommandContext, Quit } from "./command.ts";
import { recorderStatus, RECORDING_COMMANDS } from "./recording_commands.ts";
import { saveScreenshot } from "./shot.ts";

/** Two coordinates, either of which may be negative: `10-20`, `-5-10`, `10--5`. */
const POINT = String.raw`(-?\d{1,7})-(-?\d{1,7})`;

function click(name: string, button: Button, count: number, summary: string): Command {
  return {
    name,
    usage: `${name}<x>-<y>`,
    summary,
    pattern: new RegExp(`^${name}${POINT}$`),
    readOnly: false,
    run: ([x, y], { services }) => services.operator.click(point(x, y), button, count),
  };
}

/** Every command, in the order of help. */
export const COMMANDS: readonly Command[] = [
  {
    name: "m",
    usage: "m<x>-<y>",
    summary: "move the pointer",
    pattern: new RegExp(`^m${POINT}$`),
    readOnly: false,
    run: ([x, y], { services }) => services.operator.move(point(x, y)),
  },
  click("c", "left", 1, "click"),
  click("rc", "right", 1, "click with the right button"),
  click("mc", "middle", 1, "click with the middle button"),
  click("dc", "left", 2, "double click"),
  {
    name: "drag",
    usage: "drag <x>-<y> <x>-<y>",
    summary: "drag from one place to another",
    pattern: new RegExp(String.raw`^drag\s+${POINT}\s+${POINT}$`),
    readOnly: false,
    run: ([x1, y1, x2, y2], { services, signal }) =>
      services.operator.drag(point(x1, y1), point(x2, y2), "left", signal),
  },
  {
    name: "sc",
    usage: "sc<n>",
    summary: "scroll up by n notches, down if n is negative",
    pattern: /^sc(-?\d{1,7})$/,
    readOnly: false,
    run([notches], { services }) {
      const n = Number(notches);
      if (n === 0 || Math.abs(n) > SCROLL_LIMIT) {
        throw new InputError(`sc takes 1 to ${SCROLL_LIMIT} or -1 to -${SCROLL_LIMIT}, not ${n}`);
      }
      return services.operator.scroll(n > 0 ? "up" : "down", Math.abs(n));
    },
  },
  {
    name: "g",
    usage: "g",
    summary: "print the pointer's position",
    pattern: /^g$/,
    readOnly: true,
    run(_, { services }) {
      const { x, y } = services.operator.position();
      return `${x} ${y}`;
    },
  },
  {
    name: "t",
    usage: "t <text>",
    summary: "type text",
    pattern: /^t\s(.+)$/u,
    readOnly: false,
    run: ([text], { services, signal }) => services.operator.type(text!, signal),
  },
  {
    name: "k",
    usage: "k <keys>",
    summary: "press a combination, such as k ctrl+shift+t",
    pattern: /^k\s+(\S+)$/u,
    readOnly: false,
    run: ([keys], { services }) => services.operator.combination(parseCombination(keys!)),
  },
  {
    name: "shot",
    usage: "shot <file>",
    summary: "save a picture of the screen, .bmp or .png by its name",
    pattern: /^shot\s+(.+)$/u,
    readOnly: true,
    run: ([file], { services }) => saveScreenshot(services.operator, file!),
  },
  ...RECORDING_COMMANDS,
  {
    name: "status",
    usage: "status",
    summary: "tell what is going on",
    pattern: /^status$/,
    readOnly: true,
    run: (_, { services }) => statusText(services),
  },
  {
    name: "history",
    usage: "history",
    summary: "list what a virtual desktop was told, in order",
    pattern: /^history$/,
    readOnly: true,
    run(_, { services }) {
      const { desktop } = services.operator;
      if (!desktop.log) throw new StateError(`a desktop of kind ${desktop.kind} keeps no history`);
      return printableJson(desktop.log.map((action) => JSON.stringify(action)).join("\n"));
    },
  },
  {
    name: "help",
    usage: "help",
    summary: "list the commands",
    pattern: /^help$/,
    readOnly: true,
    run: () => commandHelp(),
  },
  {
    name: "quit",
    usage: "quit",
    summary: "leave",
    pattern: /^(?:quit|exit|q)$/,
    readOnly: true,
    run() {
      throw new Quit();
    },
  },
];

/**
 * Runs a line.
 * @param line One command; an empty line or a comment (`#`) does nothing.
 * @param readOnly Whether commands that change something are refused.
 * @returns What to print, if anything.
 * @throws InputError if there is no such command or it is written wrongly; whatever the command throws.
 */
export async function runLine(
  line: string,
  readOnly: boolean,
  context: CommandContext,
): Promise<string | void> {
  // Blanks at the end of what is typed by `t` belong to the text.
  const text = /^\s*t\s/.test(line) ? line.trimStart() : line.trim();
  if (text === "" || text.startsWith("#")) return;
  for (const command of COMMANDS) {
    const match = command.pattern.exec(text);
    if (!match) continue;
    if (readOnly && !command.readOnly) {
      throw new StateError(`${command.name} is not open: deskhand was started with --read-only`);
    }
    return await command.run(match.slice(1), context);
  }
  throw new InputError(misspelt(text));
}

/** Whether a line is one that does not wait for the ones before it. */
export function isImmediate(line: string): boolean {
  return COMMANDS.some(({ immediate, pattern }) => immediate && pattern.test(line.trim()));
}

/** Splits what `-c` takes into lines; `\;` is a semicolon that does not separate. */
export function splitCommands(lines: string): string[] {
  return lines.split(/(?<!\\);/).map((line) => line.replaceAll("\\;", ";"));
}

/** The list of commands. */
export function commandHelp(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length)) + 2;
  return COMMANDS.map(({ usage, summary }) => usage.padEnd(width) + summary).join("\n");
}

function misspelt(text: string): string {
  const name = /^[a-z]+/i.exec(text)?.[0] ?? text;
  const command = COMMANDS.find((row) => row.name === name.toLowerCase());
  return command
    ? `${printable(text, 60)} is not how ${command.name} is written: ${command.usage} (${command.summary})`
    : `unknown command ${printable(name, 40)}; help lists them`;
}

function statusText({ operator, recorder }: CommandContext["services"]): string {
  const { width, height } = operator.screen();
  const held = operator.held().map(([, name]) => name);
  return [
    `desktop  ${operator.desktop.kind}, ${width}x${height}`,
    `held     ${held.join(", ") || "nothing"}`,
    `recorder ${recorderStatus(recorder)}`,
  ].join("\n");
}

function point(x: string | undefined, y: string | undefined): Point {
  return { x: Number(x) + 0, y: Number(y) + 0 }; // -0, which no desktop has, becomes 0
}
