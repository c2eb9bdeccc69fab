/** Parses the command line according to the table of options. */

import { parseArgs } from "@std/cli";
import { UsageError } from "../core/errors.ts";
import { nearest, printable } from "../core/printable.ts";
import { camelCase, type Option, valueUsage } from "./option.ts";
import { OPTIONS, type Settings } from "./option_table.ts";
import { MAIN_OPTIONS, type Subcommand } from "./subcommand.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

export interface CommandLine {
  settings: Settings;
  /** A subcommand and the words after it; empty if there is no subcommand. */
  words: string[];
  /** A line for each option without effect because another option is missing. */
  notices: string[];
}

/**
 * Values found by the parser: a boolean for a flag, texts for a list, otherwise a text; undefined for an
 * option that is not given.
 */
type Parsed = Record<string, boolean | string | string[] | undefined>;

/**
 * Parses the command line.
 * @param args Arguments without the program's name.
 * @param env Looks up environment variables.
 * @throws UsageError that says what is wrong and what is allowed.
 * @example
 * readOptions(["--http", "8080"], () => undefined).settings.http; // 8080
 */
export function readOptions(args: string[], env: (name: string) => string | undefined): CommandLine {
  const { _, ...parsed } = parseArgs(joinValues(args), {
    boolean: namesOf("flag"),
    string: [...namesOf("value", "list", "optional"), "_"],
    collect: namesOf("list"),
    unknown: (arg: string, name?: string) => name === undefined || refuseUnknown(arg, args[0]), // otherwise a word
  }) as Parsed;
  checkGiven(args, parsed);
  const settings = Object.fromEntries(
    OPTIONS.map((row) => [camelCase(row.name), setting(row, parsed[row.name], env)]),
  ) as Settings;
  checkPorts(settings);
  const words = _ as string[];
  checkPort(args, words[0]);
  return { settings, words, notices: idleOptions(parsed, words[0]) };
}

function namesOf(...kinds: Option["kind"][]): string[] {
  return OPTIONS.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
}

/** The options for which other file servers and desktop tools have these names. */
const ELSEWHERE: Record<string, string[]> = {
  port: ["http", "files-port"],
  p: ["http", "files-port"],
  bind: ["host"],
  address: ["host"],
  listen: ["host"],
  interfaces: ["host"],
  root: ["files"],
  dir: ["files"],
  directory: ["files"],
  path: ["files"],
  webdav: ["dav"],
  upload: ["allow-upload"],
  auth: ["files-auth", "token"],
  user: ["files-auth"],
  tls: ["cert", "key"],
  "tls-cert": ["cert"],
  "tls-key": ["key"],
  ssl: ["cert", "key"],
  display: ["desktop"],
};

/** The options that an unknown one may mean: as elsewhere, with the typed word in their names, or spelt alike. */
function meantBy(typed: string): string[] {
  const names = OPTIONS.map(({ name }) => name);
  if (Object.hasOwn(ELSEWHERE, typed)) return ELSEWHERE[typed];
  const longer = typed.length > 2 ? names.filter((name) => name.split("-").includes(typed)) : [];
  if (longer.length && longer.length <= 3) return longer;
  return [nearest(typed, names)].filter((name) => name !== undefined);
}

/** @param word The subcommand, if the command line begins with one. */
function refuseUnknown(arg: string, word: string): never {
  const [typed] = arg.split("=", 1); // the value may be a secret
  const meant = meantBy(typed.replace(/^-+/, "")).map((name) => `--${name}`).join(" or ");
  throw new UsageError(
    `unknown option ${printable(typed, 60)}${meant ? ` (did you mean ${meant}?)` : ""}; ${
      SUBCOMMANDS.some(({ name }) => name === word) ? `${word} --help lists its` : "--help all lists all"
    } options`,
  );
}

/**
 * Joins an option with the value that follows it. The parser itself would mistake `-` and negative numbers
 * for options, and could not tell whether a value was omitted. `--http 8080` becomes `--http=8080`, and
 * `--http --files` becomes `--http=4000 --files=.`. Short options become long ones, including those with the
 * value in the same word (`-cg`).
 */
function joinValues(args: string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const row = rowOf(args[i]);
    if (args[i] === "--") return [...joined, ...args.slice(i)];
    const [, short, value] = /^(-[a-z])=?(.+)$/s.exec(args[i]) ?? [];
    const shortRow = rowOf(short);
    if (shortRow && shortRow.kind !== "flag") joined.push(`--${shortRow.name}=${value}`);
    else if (!row) joined.push(args[i]);
    else if (row.kind === "flag") joined.push(`--${row.name}`);
    else if (i + 1 < args.length && isValueOf(row, args[i + 1])) joined.push(`--${row.name}=${args[++i]}`);
    else joined.push(`--${row.name}=${row.bare ?? ""}`);
  }
  return joined;
}

/** The row of `--name` or `-n`. */
function rowOf(option: string | undefined): Option | undefined {
  return OPTIONS.find(({ name, short }) => option === `--${name}` || short && option === `-${short}`);
}

/**
 * Whether the next word is the option's value. An optional port must consist of digits, so that
 * `--http doctor` does not treat `doctor` as a port.
 */
function isValueOf({ kind, type }: Option, next: string): boolean {
  return kind === "optional" && type === "port" ? /^-?\d/.test(next) : /^(?!-)|^-$|^-\d/.test(next);
}

/** Rejects what the parser accepts: a flag with a value, and an option without its required value. */
function checkGiven(args: string[], parsed: Parsed) {
  for (const row of OPTIONS) {
    if (row.kind === "flag" && args.some((arg) => arg.startsWith(`--${row.name}=`))) {
      throw new UsageError(`--${row.name} takes no value`);
    }
    const isEmpty = [parsed[row.name]].flat().includes("");
    if (!isEmpty) continue;
    if (row.kind !== "optional") {
      throw new UsageError(`--${row.name} needs a value: --${row.name}${valueUsage(row)}`);
    }
    // An unset variable must not stand for the current folder, which may contain anything.
    if (row.path === "folder") {
      throw new UsageError(
        `--${row.name} takes a folder, not an empty name; ${row.bare} means the current folder`,
      );
    }
  }
}

/** The value of an option's setting, with the type that `Settings` derives from the row. */
function setting(row: Option, given: Parsed[string], env: (name: string) => string | undefined) {
  if (row.kind === "flag" || row.kind === "list") return given;
  const text = given as string | undefined ?? ((row.env && env(row.env)) || row.default);
  if (text === undefined) return undefined;
  if (row.type === "port") return port(row.name, text || row.bare!);
  if (row.type === "seconds") return seconds(row.name, text);
  const isAddress = row.scheme !== undefined && text.startsWith(row.scheme);
  if (row.choices && !row.choices.includes(text) && !isAddress) {
    const all = [...row.choices, ...row.scheme === undefined ? [] : [`${row.scheme}…`]];
    throw new UsageError(`--${row.name} takes ${all.join(", ")}, not ${JSON.stringify(text)}`);
  }
  return text;
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

/** An hour is longer than any session takes to start. */
const LONGEST_SECONDS = 3600;

function seconds(name: string, text: string): number {
  const value = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (!(value <= LONGEST_SECONDS)) {
    throw new UsageError(
      `--${name} takes seconds from 0 to ${LONGEST_SECONDS}, such as 30 or 0.5, not ${JSON.stringify(text)}`,
    );
  }
  return value;
}

/**
 * Rejects a word after an option with an optional port, such as `--http abc`, unless the word resembles a
 * subcommand.
 * @param word The first word of the command line.
 */
function checkPort(args: string[], word: string | undefined) {
  const row = rowOf(args[args.indexOf(word ?? "") - 1]);
  if (word === undefined || row?.kind !== "optional" || row.type !== "port") return;
  if (nearest(word, SUBCOMMANDS.map(({ name }) => name)) === undefined) port(row.name, word);
}

/** Servers cannot share a port. */
function checkPorts({ http, files, filesPort, webdriver, vnc }: Settings) {
  const ports: [name: string, port: number | undefined][] = [
    ["--http", http],
    ["--webdriver", webdriver],
    ["--vnc", vnc],
    ["--files-port", files === undefined ? undefined : filesPort],
  ];
  ports.forEach(([name, port], i) => {
    const other = port ? ports.slice(i + 1).find(([, other]) => other === port) : undefined;
    if (!other) return;
    throw new UsageError(`${name} and ${other[0]} are both ${port}; choose another for one of them`);
  });
}

/**
 * Lists the options that have no effect.
 * @param word The subcommand, if any.
 */
function idleOptions(parsed: Parsed, word: string | undefined): string[] {
  const isGiven = (name: string) => {
    const value = parsed[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  };
  if (word !== undefined) {
    const row = SUBCOMMANDS.find(({ name }) => name === word);
    if (!row) return []; // reported as an unknown option
    return OPTIONS.filter(({ name }) => isGiven(name) && !isTaken(name, row)).map(({ name }) =>
      `--${name} does nothing with ${word}`
    );
  }
  return OPTIONS
    .filter(({ name, needs }) => needs && isGiven(name) && !needs.some(isGiven))
    .map(({ name, needs }) => `--${name} does nothing without ${needs!.map(spelling).join(" or ")}`);
}

/** Whether an option has an effect with a subcommand. */
function isTaken(option: string, { options = [], ignoredOfStart }: Subcommand): boolean {
  if ((options as readonly string[]).includes(option)) return true;
  const isOfStart = ignoredOfStart && MAIN_OPTIONS.some(({ name }) => name === option);
  return isOfStart === true && !(ignoredOfStart as readonly string[]).includes(option);
}

/** An option as typed, or the name of a subcommand. */
function spelling(name: string): string {
  return OPTIONS.some((row) => row.name === name) ? `--${name}` : name;
}
