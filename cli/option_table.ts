/** The tables of the command line: options, words, exit codes. Reading, help, completions and manual derive from them. */

import { DESKTOP_CHOICES } from "../ffi/open.ts";

/** What an option takes. */
export type Kind =
  /** Nothing: it is there or not. */
  | "flag"
  /** A word, required. */
  | "value"
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
  /** Options of which one must be given for this one to do anything. */
  needs?: readonly string[];
}

/** What an option is for: the control API, the file server, or both. */
const CONTROL = ["http"], FILES = ["files"], EITHER = ["http", "files"];

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
  {
    name: "files-port",
    kind: "value",
    value: "PORT",
    summary: `port of the file server (${FILES_PORT})`,
    needs: FILES,
  },
  {
    name: "host",
    kind: "value",
    value: "ADDR",
    summary: "address both listen on (this machine only)",
    needs: EITHER,
  },
  {
    name: "token",
    kind: "value",
    value: "SECRET",
    env: "DESKHAND_TOKEN",
    summary: "what every caller of the control API must know",
    needs: CONTROL,
  },
  {
    name: "token-file",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "read that secret from a file",
    needs: CONTROL,
  },
  {
    name: "require-token",
    kind: "flag",
    summary: "callers on this machine need the token too",
    needs: CONTROL,
  },
  {
    name: "allow-origin",
    kind: "list",
    value: "ORIGIN",
    summary: "a web page's origin that needs no token",
    needs: CONTROL,
  },
  {
    name: "allow-host",
    kind: "list",
    value: "NAME",
    summary: "a further host name to answer to",
    needs: EITHER,
  },
  {
    name: "files-auth",
    kind: "value",
    value: "USER:PASSWORD",
    env: "DESKHAND_FILES_AUTH",
    summary: "ask for a password on the file server",
    needs: FILES,
  },
  {
    name: "index",
    kind: "flag",
    summary: "serve a folder's index.html instead of its listing",
    needs: FILES,
  },
  {
    name: "trust-html",
    kind: "flag",
    summary: "serve HTML, SVG and XML files without a sandbox",
    needs: FILES,
  },
  {
    name: "cert",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "TLS certificate chain (PEM), with --key",
    needs: EITHER,
  },
  {
    name: "key",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "TLS private key (PEM), with --cert",
    needs: EITHER,
  },
  {
    name: "desktop",
    kind: "value",
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
  {
    name: "log",
    kind: "value",
    value: "FILE|-",
    path: "file",
    summary: "one line per request",
    needs: EITHER,
  },
  { name: "help", short: "h", kind: "flag", summary: "show this" },
  { name: "version", kind: "flag", summary: "show the version" },
] as const satisfies readonly Option[];

/** Shells that completions are made for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** Words in place of options, each a program of its own. */
export const SUBCOMMANDS = [
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
