/**
 * The command line: one table of options, from which reading it, `--help` and the shell completions derive.
 */

import { parseArgs } from "@std/cli";
import { UsageError } from "./errors.ts";
import { DESKTOP_CHOICES, type DesktopChoice } from "./ffi/open.ts";

/** What an option takes. */
type Kind =
  /** Nothing: it is there or not. */
  | "flag"
  /** A word, required. */
  | "word"
  /** A word, and it may be given several times. */
  | "list"
  /** A word that may be left out. */
  | "optional";

/** A row of the table. */
export interface Option {
  name: string;
  short?: string;
  kind: Kind;
  /** What the value is called in help. */
  value?: string;
  /** One line for help. */
  summary: string;
  /** Values that completions offer. */
  choices?: readonly string[];
  /** Completions offer files or folders. */
  path?: "file" | "folder";
  /** Environment variable that stands in for it. */
  env?: string;
}

/** Port of the control API where none is named. */
export const HTTP_PORT = 4000;
/** Port of the file server where none is named. */
export const FILES_PORT = 4001;

/** Every option, in the order of help. */
export const OPTIONS = [
  { name: "http", kind: "optional", value: "PORT", summary: `start the control API (port ${HTTP_PORT})` },
  {
    name: "files",
    kind: "optional",
    value: "FOLDER",
    path: "folder",
    summary: "serve a folder read-only (the current one)",
  },
  { name: "files-port", kind: "word", value: "PORT", summary: `port of the file server (${FILES_PORT})` },
  { name: "host", kind: "word", value: "ADDR", summary: "address both listen on (this machine only)" },
  {
    name: "token",
    kind: "word",
    value: "SECRET",
    env: "DESKHAND_TOKEN",
    summary: "what every caller of the control API must know",
  },
  { name: "token-file", kind: "word", value: "FILE", path: "file", summary: "read that secret from a file" },
  { name: "require-token", kind: "flag", summary: "callers on this machine need the token too" },
  { name: "allow-origin", kind: "list", value: "ORIGIN", summary: "a web page's origin that needs no token" },
  { name: "allow-host", kind: "list", value: "NAME", summary: "a further host name to answer to" },
  {
    name: "files-auth",
    kind: "word",
    value: "USER:PASSWORD",
    env: "DESKHAND_FILES_AUTH",
    summary: "ask for a password on the file server",
  },
  { name: "index", kind: "flag", summary: "serve a folder's index.html instead of its listing" },
  { name: "trust-html", kind: "flag", summary: "serve HTML, SVG and XML files without a sandbox" },
  {
    name: "cert",
    kind: "word",
    value: "FILE",
    path: "file",
    summary: "TLS certificate chain (PEM), with --key",
  },
  { name: "key", kind: "word", value: "FILE", path: "file", summary: "TLS private key (PEM), with --cert" },
  {
    name: "desktop",
    kind: "word",
    value: DESKTOP_CHOICES.join("|"),
    choices: DESKTOP_CHOICES,
    summary: "which desktop to control (auto)",
  },
  {
    name: "command",
    short: "c",
    kind: "list",
    value: '"LINE"',
    summary: "run prompt commands (; separates) and exit",
  },
  { name: "read-only", kind: "flag", summary: "look and serve files, move nothing" },
  { name: "log", kind: "word", value: "FILE|-", path: "file", summary: "one line per request" },
  { name: "help", short: "h", kind: "flag", summary: "show this" },
  { name: "version", kind: "flag", summary: "show the version" },
] as const satisfies readonly Option[];

/** Shells that completions are made for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** Words in place of options, each a program of its own. */
export const WORDS = [
  {
    name: "doctor",
    usage: "doctor",
    summary: "tell what works here, and what would make the rest work",
  },
  {
    name: "completions",
    usage: "completions SHELL",
    choices: SHELLS,
    summary: `print completions for ${SHELLS.join(", ")}`,
  },
  { name: "man", usage: "man", summary: "print the manual page, for: deskhand man | man -l -" },
] as const;

/** How it is called. */
export const USAGE = ["deskhand [--http [PORT]] [--files [FOLDER]] [options]"] as const;

/** What the program's exit codes mean. */
export const EXIT_CODES = [
  [0, "fine"],
  [1, "a command failed"],
  [2, "wrong use"],
  [3, "no desktop to control"],
] as const;

/** What the command line asked for. */
export interface Settings {
  /** Port of the control API; undefined leaves it off. */
  http?: number;
  /** Folder to serve; undefined leaves the file server off. */
  files?: string;
  filesPort: number;
  /** undefined is loopback. */
  host?: string;
  token?: string;
  tokenFile?: string;
  requireToken: boolean;
  allowOrigins: string[];
  allowHosts: string[];
  filesAuth?: string;
  index: boolean;
  trustHtml: boolean;
  cert?: string;
  key?: string;
  desktop: DesktopChoice;
  commands: string[];
  readOnly: boolean;
  log?: string;
  help: boolean;
  version: boolean;
  /** A word that is no option: `doctor` and the like, with what follows it. */
  words: string[];
}

/**
 * Reads the command line.
 * @param args Arguments without the program's name.
 * @param env Looks environment variables up.
 * @throws UsageError naming what was wrong and what is allowed.
 */
export function readOptions(args: string[], env: (name: string) => string | undefined): Settings {
  const byKind = (...kinds: Kind[]) =>
    OPTIONS.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
  const parsed: Record<string, unknown> = parseArgs(withValues(args), {
    boolean: byKind("flag"),
    string: byKind("word", "list", "optional"),
    collect: byKind("list"),
    alias: Object.fromEntries(OPTIONS.flatMap((row) => "short" in row ? [[row.short, row.name]] : [])),
    unknown: (_: string, name?: string) => {
      if (name === undefined) return; // a word, not an option
      throw new UsageError(`unknown option ${printableOption(name)}${nearest(name)}; --help lists them`);
    },
  });
  checkGiven(args, parsed);
  const word = (name: string) => parsed[name] as string | undefined;
  const orEnv = (name: string): string | undefined => {
    const row: Option = OPTIONS.find((option) => option.name === name)!;
    return word(name) ?? (env(row.env!) || undefined);
  };
  const http = word("http"), files = word("files");
  return {
    http: http === undefined ? undefined : http === "" ? HTTP_PORT : port("http", http),
    files: files === "" ? "." : files,
    filesPort: port("files-port", word("files-port") ?? String(FILES_PORT)),
    host: word("host"),
    token: orEnv("token"),
    tokenFile: word("token-file"),
    requireToken: parsed["require-token"] as boolean,
    allowOrigins: parsed["allow-origin"] as string[],
    allowHosts: parsed["allow-host"] as string[],
    filesAuth: orEnv("files-auth"),
    index: parsed.index as boolean,
    trustHtml: parsed["trust-html"] as boolean,
    cert: word("cert"),
    key: word("key"),
    desktop: oneOf("desktop", word("desktop") ?? "auto", DESKTOP_CHOICES),
    commands: parsed.command as string[],
    readOnly: parsed["read-only"] as boolean,
    log: word("log"),
    help: parsed.help as boolean,
    version: parsed.version as boolean,
    words: (parsed._ as unknown[]).map(String),
  };
}

/** Help, one line an option. */
export function helpText(): string {
  const rows = OPTIONS.map((row: Option): [string, string] => {
    const value = row.value === undefined
      ? ""
      : row.kind === "optional"
      ? ` [${row.value}]`
      : ` ${row.value}`;
    const env = row.env ? ` [${row.env}]` : "";
    return [`${row.short ? `-${row.short}, ` : "    "}--${row.name}${value}`, row.summary + env];
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return [
    "deskhand controls a desktop over HTTP and from a prompt, and serves files.",
    "",
    `Usage: ${USAGE.join("\n       ")}`,
    ...WORDS.map(({ usage, summary }) => `       deskhand ${usage.padEnd(19)}${summary}`),
    "",
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`),
    "",
    "Without options it is a prompt; `help` there lists its commands.",
    `Exit codes: ${EXIT_CODES.map((row) => row.join(" ")).join(", ")}.`,
  ].join("\n");
}

/**
 * Joins an option with the value behind it, if there is one: the parser takes `-` and negative numbers for
 * options, and cannot know whether a value was left out. `--http 8080` becomes `--http=8080`, and
 * `--http --files` leaves both bare.
 */
function withValues(args: string[]): string[] {
  const takers = new Map<string, Option>();
  for (const row of OPTIONS as readonly Option[]) {
    if (row.kind === "flag") continue;
    takers.set(`--${row.name}`, row);
    if (row.short) takers.set(`-${row.short}`, row);
  }
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const row = takers.get(args[i]);
    if (args[i] === "--") return [...joined, ...args.slice(i)];
    if (!row) joined.push(args[i]);
    else if (i + 1 < args.length && isValueOf(row, args[i + 1])) joined.push(`--${row.name}=${args[++i]}`);
    else joined.push(`--${row.name}=`);
  }
  return joined;
}

/** A port that may be left out is digits, so that `--http doctor` is not taken for one. */
function isValueOf(row: Option, next: string): boolean {
  return row.name === "http" ? /^\d/.test(next) : /^(?!-)|^-$|^-\d/.test(next);
}

/** What the parser lets through: a flag with a value, a word without one. */
function checkGiven(args: string[], parsed: Record<string, unknown>) {
  for (const row of OPTIONS as readonly Option[]) {
    if (row.kind === "flag") {
      const given = args.find((arg) => arg.startsWith(`--${row.name}=`));
      if (given) throw new UsageError(`--${row.name} takes no value`);
    }
    if (
      row.kind === "word" && parsed[row.name] === "" ||
      row.kind === "list" && (parsed[row.name] as string[]).includes("")
    ) {
      throw new UsageError(`--${row.name} needs a value: --${row.name} ${row.value}`);
    }
  }
}

function port(name: string, text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(value <= 65535)) {
    throw new UsageError(
      `--${name} takes a port from 0 to 65535 (0 is any free one), not ${JSON.stringify(text)}`,
    );
  }
  return value;
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  if ((allowed as readonly string[]).includes(text)) return text as T;
  throw new UsageError(`--${name} takes ${allowed.join(", ")}, not ${JSON.stringify(text)}`);
}

/** An option as it was typed; with one dash if it is one letter. */
function printableOption(name: string): string {
  return `${name.length === 1 ? "-" : "--"}${JSON.stringify(name).slice(1, -1)}`;
}

/** The option that may have been meant. */
function nearest(name: string): string {
  const found = OPTIONS.find((row) => row.name.startsWith(name.slice(0, 3)) || name.startsWith(row.name));
  return found ? ` (did you mean --${found.name}?)` : "";
}
