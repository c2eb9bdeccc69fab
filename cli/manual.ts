/** The manual page, generated from the tables of options, prompt commands and endpoints: `deskhand man`. */

import { LISTED_ENDPOINTS } from "../control/http/endpoints.ts";
import { COMMANDS } from "../control/prompt/commands.ts";
import { type Option, valueUsage } from "./option.ts";
import { OPTIONS } from "./option_table.ts";
import { MAIN_OPTIONS, ownOptions, type Subcommand, subcommandUsage } from "./subcommand.ts";
import { EXIT_CODES, USAGE } from "./help.ts";
import { VERSION } from "../core/version.ts";

/** Example command lines, with their effects. */
export const EXAMPLES = [
  ["deskhand --http", "a control API on port 4000 for programs on this machine, and the prompt"],
  ["deskhand --http --files /srv/films", "also a file server for that folder"],
  [
    "deskhand --http --host 0.0.0.0 --cert cert.pem --key key.pem",
    "callers on other machines, with the token",
  ],
  ["deskhand --files --allow-upload --files-auth me:secret", "the current folder, with uploads"],
  ['deskhand -c "m100-200; c; shot after.png"', "moves, clicks, saves a picture, ends"],
  ["deskhand --http --read-only --desktop virtual", "a virtual desktop, view-only"],
] as const;

/** The state folder, as determined in core/state_files.ts, and patterns of the names in it. */
export const FILES = [
  [
    "$XDG_STATE_HOME/deskhand",
    "the state folder, closed to other users; $HOME/.local/state/deskhand where that variable is not set, on Windows " +
    "%LOCALAPPDATA%\\deskhand. These are in it:",
  ],
  ["token", "the token of the control API, generated on first start if none is given"],
  ["history", "lines of the prompt"],
  ["recording-*.journal", "unsaved recordings, for load --recover after a crash"],
  ["held-*.json", "held buttons and keys, which the next start releases after a crash"],
  ["bound-keys-*.json", "keys bound for text, which the next start frees after a crash"],
  ["running-*.json", "where the control API runs, for xdotool commands"],
  ["portal-token", "the consent given through a Wayland portal"],
  [
    "ibus-*.json, fcitx5-engine.json",
    "the input method that typing replaces temporarily, restored after a crash",
  ],
] as const;

/** The page in troff's man macros (man(7)); `man -l -` displays it. */
export function manual(subcommands: readonly Subcommand[]): string {
  return [
    `.TH DESKHAND 1 "" ${quote(`deskhand ${VERSION}`)} "User Commands"`,
    ".SH NAME",
    roff("deskhand - controls a desktop over HTTP and from a prompt, and serves files"),
    ".SH SYNOPSIS",
    roff(USAGE),
    ...subcommands.flatMap((row) => [".br", roff(`deskhand ${subcommandUsage(row)}`)]),
    ".SH DESCRIPTION",
    "The control API moves the pointer, clicks, types and takes pictures of the screen on requests over HTTP.",
    roff("The file server serves a folder, and accepts uploads only with --allow-upload."),
    "Each is off unless its option is given.",
    "The prompt on standard input takes commands for the same actions; without a server, deskhand exits at the end of the input.",
    ".SH OPTIONS",
    ...MAIN_OPTIONS.flatMap((row) => entry(optionUsage(row), row.summary)),
    ".SH SUBCOMMANDS",
    ...subcommands.flatMap((row) => {
      const own = ownOptions(row).flatMap((option) => entry(optionUsage(option), option.summary));
      return [...entry(subcommandUsage(row), row.summary), ...own.length ? [".RS", ...own, ".RE"] : []];
    }),
    ".SH PROMPT",
    ...COMMANDS.flatMap(({ usage, summary }) => entry(usage, summary)),
    ".SH CONTROL API",
    "GET /openapi.json on the control API describes these in full.",
    ...LISTED_ENDPOINTS.flatMap(({ method, path, summary }) => entry(`${method} ${path}`, summary)),
    ".SH ENVIRONMENT",
    ...OPTIONS.flatMap(({ env, name }) => env ? entry(env, `stands in for --${name}`) : []),
    ...entry("DISPLAY", "the X11 display to control"),
    ...entry("WAYLAND_DISPLAY", "the Wayland display to control"),
    ...entry("NO_COLOR", "no colour, even in a terminal"),
    ".SH FILES",
    ...FILES.flatMap(([file, meaning]) => entry(file, meaning)),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => entry(String(code), meaning)),
    ".SH EXAMPLES",
    ...EXAMPLES.flatMap(([line, meaning]) => entry(line, meaning)),
  ].join("\n");
}

function optionUsage(row: Option): string {
  return [...row.short ? [`-${row.short}`] : [], `--${row.name}`].join(", ") + valueUsage(row);
}

/** A term in bold, and its meaning. */
function entry(term: string, meaning: string): string[] {
  return [".TP", `.B ${roff(term)}`, roff(meaning)];
}

/** Escapes text for troff, so that it is printed unchanged. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll('"', "\\(dq").replace(
    /^[.']/,
    "\\&$&",
  );
}

function quote(text: string): string {
  return `"${roff(text)}"`;
}
