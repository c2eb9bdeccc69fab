/** Reads the command line. */

import { parseArgs } from "@std/cli";
import { UsageError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { DESKTOP_CHOICES, type DesktopChoice } from "../ffi/open.ts";
import { FILES_PORT, HTTP_PORT, type Kind, type Option, OPTIONS, SUBCOMMANDS } from "./option_table.ts";

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
  /** What is said of options that do nothing, since another one is missing. */
  notices: string[];
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
    string: byKind("value", "list", "optional"),
    collect: byKind("list"),
    unknown: (arg: string, name?: string) => {
      if (name === undefined) return; // a word, not an option
      const [typed] = arg.split("=", 1); // the value may be a secret
      throw new UsageError(
        `unknown option ${printable(typed, 60)}${nearest(typed.replace(/^-+/, ""))}; --help lists them`,
      );
    },
  });
  checkGiven(args, parsed);
  const word = (name: string) => parsed[name] as string | undefined;
  const orEnv = (name: string): string | undefined => {
    const row: Option = OPTIONS.find((option) => option.name === name)!;
    return word(name) ?? (env(row.env!) || undefined);
  };
  const files = word("files");
  return {
    ...ports(word("http"), word("files-port"), files !== undefined),
    files: files === "" ? folderLeftOut(args) : files,
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
    notices: idleOptions(parsed, (parsed._ as unknown[])[0] as string | undefined),
    words: (parsed._ as unknown[]).map(String),
  };
}

/**
 * Joins an option with the value behind it, if there is one: the parser takes `-` and negative numbers for
 * options, and cannot know whether a value was left out. `--http 8080` becomes `--http=8080`, and
 * `--http --files` leaves both bare. Short options become the long ones, also with the value in the same word (`-cg`).
 */
function withValues(args: string[]): string[] {
  const rows = new Map<string, Option>();
  for (const row of OPTIONS as readonly Option[]) {
    rows.set(`--${row.name}`, row);
    if (row.short) rows.set(`-${row.short}`, row);
  }
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const row = rows.get(args[i]);
    if (args[i] === "--") return [...joined, ...args.slice(i)];
    const [, short, value] = /^(-[a-z])=?(.+)$/s.exec(args[i]) ?? [];
    const shortRow = rows.get(short);
    if (shortRow && shortRow.kind !== "flag") joined.push(`--${shortRow.name}=${value}`);
    else if (!row) joined.push(args[i]);
    else if (row.kind === "flag") joined.push(`--${row.name}`);
    else if (i + 1 < args.length && isValueOf(row, args[i + 1])) joined.push(`--${row.name}=${args[++i]}`);
    else joined.push(`--${row.name}=`);
  }
  return joined;
}

/** A port that may be left out is digits, so that `--http doctor` is not taken for one. */
function isValueOf(row: Option, next: string): boolean {
  return row.name === "http" ? /^-?\d/.test(next) : /^(?!-)|^-$|^-\d/.test(next);
}

/**
 * The folder to serve where none is named.
 * @throws UsageError if an empty one is, as by a variable that is not set: the current folder may hold anything.
 */
function folderLeftOut(args: string[]): string {
  if (args.includes("--files=") || args[args.indexOf("--files") + 1] === "") {
    throw new UsageError("--files takes a folder, not an empty name; . is the current folder");
  }
  return ".";
}

/** What the parser lets through: a flag with a value, a word without one. */
function checkGiven(args: string[], parsed: Record<string, unknown>) {
  for (const row of OPTIONS as readonly Option[]) {
    if (row.kind === "flag") {
      const given = args.find((arg) => arg.startsWith(`--${row.name}=`));
      if (given) throw new UsageError(`--${row.name} takes no value`);
    }
    if (
      row.kind === "value" && parsed[row.name] === "" ||
      row.kind === "list" && (parsed[row.name] as string[]).includes("")
    ) {
      throw new UsageError(`--${row.name} needs a value: --${row.name} ${row.value}`);
    }
  }
}

/**
 * Names options that do nothing.
 * @param word What is done in place of opening doors, if anything.
 */
function idleOptions(parsed: Record<string, unknown>, word: string | undefined): string[] {
  const isGiven = (name: string) => {
    const value = parsed[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  };
  const options: readonly Option[] = OPTIONS;
  if (word !== undefined) {
    if (!SUBCOMMANDS.some(({ name }) => name === word)) return []; // an error of its own
    return options.filter(({ name }) => isGiven(name)).map(({ name }) =>
      `--${name} does nothing with ${word}`
    );
  }
  return options
    .filter(({ name, needs }) => needs && isGiven(name) && !needs.some(isGiven))
    .map(({ name, needs }) =>
      `--${name} does nothing without ${needs!.map((other) => `--${other}`).join(" or ")}`
    );
}

/** The ports of both doors, which cannot share one. */
function ports(http: string | undefined, filesPort: string | undefined, isServing: boolean) {
  const control = http === undefined ? undefined : http === "" ? HTTP_PORT : port("http", http);
  const files = port("files-port", filesPort ?? String(FILES_PORT));
  if (isServing && control === files && control !== 0) {
    throw new UsageError(`--http and --files-port are both ${control}; choose another for one of them`);
  }
  return { http: control, filesPort: files };
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

/** The option that may have been meant. */
function nearest(name: string): string {
  const found = OPTIONS.find((row) => row.name.startsWith(name.slice(0, 3)) || name.startsWith(row.name));
  return found ? ` (did you mean --${found.name}?)` : "";
}
