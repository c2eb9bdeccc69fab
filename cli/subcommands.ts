/** The table of subcommands, such as `deskhand doctor`. Each subcommand's modules are loaded when it runs. */

import { UsageError } from "../core/errors.ts";
import { nearest } from "../core/printable.ts";
import type { Output } from "../core/output.ts";
import { VERSION } from "../core/version.ts";
import { SHELLS, type Start, type Subcommand } from "./subcommand.ts";
import { COMMAND_NAMES } from "./xdotool/call.ts";

/** All subcommands, in the order of help. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: "doctor",
    summary: "check what works here, and how to fix the rest",
    options: ["http", "files-port", "desktop", "desktop-password-file", "desktop-cert", "desktop-paste"],
    meanings: {
      desktop: "the desktop to check (the session's own)",
      http: "the port to check for the control API (4000)",
      "files-port": "and for the file server (4001)",
    },
    async run(output, _, { settings }) {
      const { text, ok } = await (await import("./doctor.ts")).diagnosis(settings);
      output.result(text);
      return ok ? 0 : 1;
    },
  },
  {
    name: "setup",
    summary: "grant deskhand the permissions that this desktop requires (KDE)",
    options: ["desktop", "remove"],
    async run(output, _, { settings }) {
      return await (await import("./setup.ts")).runSetup(settings.desktop, settings.remove, output);
    },
  },
  {
    name: "mcp",
    summary: "serve one AI agent on standard input and output (MCP)",
    options: [
      ...["files", "no-hidden", "desktop", "size", "wait-desktop", "read-only", "languages"] as const,
      ...["desktop-password-file", "desktop-cert", "desktop-paste"] as const,
      ...["trace", "trace-limit", "trace-days", "trace-hide"] as const,
      ...["view", "view-display", "tools", "agent-open", "agent-allow", "agent-log"] as const,
    ],
    meanings: { files: "let the agent read a folder (the current one)" },
    async run(output, _, { settings, lifetime }) {
      return await (await import("./services.ts")).runMcp(settings, output, lifetime);
    },
  },
  {
    name: "do",
    summary: "run steps on a running deskhand, as agents do",
    argument: {
      name: "STEP...",
      choices: ["click", "fill", "key", "menu", "see", "type", "wait"],
      isList: true,
    },
    options: ["http", "token", "token-file", "cert"],
    meanings: {
      cert: "certificate of the running control API, if it has one",
      http: "port of the running control API (4000)",
      token: "token of the running control API",
    },
    async run(output, _, { settings }, words) {
      return await (await import("./do.ts")).runDo(words, settings, output);
    },
  },
  {
    name: "run",
    summary: "run a command, such as a test, on a desktop of its own (Xvfb)",
    argument: { name: "-- COMMAND...", choices: [], isList: true },
    options: ["size", "http", "trace", "webdriver"],
    ignoredOfStart: ["desktop", "command"],
    meanings: {
      size: "size of the screen (1280x720)",
      http: "the port of the control API (a free one)",
      trace: "the folder of the trace (deskhand-traces)",
    },
    async run(output, _, { settings, lifetime }, words) {
      return await (await import("./own_desktop.ts")).runOnOwnDesktop(words, settings, output, lifetime);
    },
  },
  {
    name: "skill",
    summary: "print instructions for an AI agent on the command line",
    async run(output) {
      output.result((await import("./skill.ts")).SKILL.trimEnd());
      return 0;
    },
  },
  {
    name: "agent",
    summary: "list or revoke what agents may act in; install or uninstall the skill",
    argument: {
      name: "list|forget|install|uninstall [NAME]",
      choices: ["list", "forget", "install", "uninstall", "claude", "codex", "gemini", "opencode"],
      isList: true,
    },
    options: ["http", "token", "token-file", "cert", "agent-allow"],
    meanings: {
      "agent-allow": "list or change this file; no deskhand needs to run",
      cert: "certificate of the running control API, if it has one",
      http: "port of the running control API (4000)",
      token: "token of the running control API",
    },
    async run(output, _argument, { settings }, words) {
      if (words[0] === "list" || words[0] === "forget") {
        return await (await import("./agent_grants.ts")).runAgentGrants(words, settings, output);
      }
      return (await import("./agent.ts")).runAgent(words, output);
    },
  },
  {
    name: "link",
    summary: "make a guest link that expires: view-only, or with control",
    options: ["http", "token", "token-file", "cert", "look", "hours", "name", "list", "revoke"],
    meanings: {
      cert: "certificate of the running control API, if it has one",
      http: "port of the running control API (4000)",
      token: "token of the running control API",
      hours: "hours until the link expires (2)",
    },
    async run(output, _, { settings }) {
      return await (await import("./share.ts")).runLink(settings, output);
    },
  },
  {
    name: "share",
    summary: "make an expiring link to a served file",
    argument: { name: "[FILE]", path: "file", isOptional: true },
    options: [
      ...[
        "files-port",
        "files-auth",
        "upload-auth",
        "cert",
        "hours",
        "password",
        "count",
        "collect",
      ] as const,
      ...["list", "revoke"] as const,
    ],
    meanings: {
      "files-port": "port of the running file server (4001)",
      "files-auth": "the user and password of the running file server",
      "upload-auth": "its owner's user and password, if it has both",
      cert: "given if the running file server has it",
      hours: "hours until the share expires (24)",
      list: "list the open shares",
      revoke: "revoke a share at once",
    },
    async run(output, file, { settings }) {
      return await (await import("./share.ts")).runShare(file, settings, output);
    },
  },
  {
    name: "trace",
    summary: "print the entries of a trace as lines or, with --json, as JSON",
    argument: { name: "FILE", path: "file" },
    options: ["json"],
    async run(output, file, { settings }) {
      return await (await import("../control/trace/reading.ts")).printTrace(file, settings.json, output);
    },
  },
  {
    name: "xdotool",
    summary: "run xdotool commands and scripts on any desktop",
    argument: { name: "COMMAND...", choices: COMMAND_NAMES },
    options: ["desktop"],
    isFirst: true,
    run: () => Promise.reject(new UsageError("put xdotool first: deskhand [--desktop KIND] xdotool …")),
  },
  {
    name: "completions",
    summary: `print completions for ${SHELLS.join(", ")}`,
    argument: { name: "SHELL", choices: SHELLS },
    async run(output, shell) {
      output.result(
        (await import("./completions.ts")).completions(shell as typeof SHELLS[number], SUBCOMMANDS),
      );
      return 0;
    },
  },
  {
    name: "man",
    summary: "print the manual page, for: deskhand man | man -l -",
    async run(output) {
      output.result((await import("./manual.ts")).manual(SUBCOMMANDS));
      return 0;
    },
  },
  {
    name: "help",
    summary: "show this help, all options, or the help of a subcommand",
    argument: { name: "[SUBCOMMAND|all]", choices: ["all"], isList: true },
    async run(output, _, __, [topic]) {
      output.result((await import("./help.ts")).helpText(SUBCOMMANDS, topic));
      return 0;
    },
  },
  {
    name: "version",
    summary: "show the version",
    run(output) {
      output.result(`deskhand ${VERSION}`);
      return Promise.resolve(0);
    },
  },
];

/**
 * Runs a subcommand.
 * @param words The subcommand's name and the words after it.
 * @param output Receives the printed text.
 * @param start The settings, and the program's lifetime.
 * @returns The exit code.
 * @throws UsageError if there is no such subcommand, or it does not take the words after its name.
 */
export async function runSubcommand(
  [name, ...rest]: string[],
  output: Output,
  start: Start,
): Promise<number> {
  const row = SUBCOMMANDS.find((subcommand) => subcommand.name === name);
  if (!row) {
    const names = SUBCOMMANDS.map((subcommand) => subcommand.name), meant = nearest(name, names);
    throw new UsageError(
      `unknown command ${JSON.stringify(name)}${meant ? ` (did you mean ${meant}?)` : ""}; available: ${
        names.join(", ")
      }, and options (see --help all)`,
    );
  }
  return await row.run(output, row.isFirst ? "" : argumentOf(row, rest), start, rest);
}

function argumentOf({ name, argument }: Subcommand, words: string[]): string {
  if (!argument) {
    if (words.length) throw new UsageError(`${name} takes no arguments`);
    return "";
  }
  if ("isList" in argument) return "";
  if ("path" in argument) {
    if (words.length === 1 && words[0]) return words[0];
    if (argument.isOptional && !words.length) return "";
    throw new UsageError(`${name} takes one ${argument.name}: deskhand ${name} ${argument.name}`);
  }
  if (words.length === 1 && argument.choices.includes(words[0])) return words[0];
  const given = words.length ? `, not ${JSON.stringify(words.join(" "))}` : "";
  throw new UsageError(`${name} takes one of ${argument.choices.join(", ")}${given}`);
}
