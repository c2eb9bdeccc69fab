/** The table of options. Reading them, `Settings`, help, completions and the manual page derive from it. */

import { DESKTOP_CHOICES, DESKTOP_MEANINGS } from "../ffi/open.ts";
import { FILE_ROWS } from "./file_options.ts";
import type { Camel, Option, Setting } from "./option.ts";

/** Port of the control API if the command line names none. */
export const HTTP_PORT = 4000;
/** Port of the file server if the command line names none. */
export const FILES_PORT = 4001;

/** Values of `--log-format`. */
const LOG_FORMATS = ["text", "json"] as const;

/** Servers that an option is for: the control API (which serves agents, too), the file server, or both. */
const CONTROL = ["http"], AGENTS = CONTROL, FILES = ["files"], EITHER = ["http", "files"];

const ROWS = [
  {
    name: "http",
    group: "servers",
    kind: "optional",
    value: "PORT",
    type: "port",
    bare: String(HTTP_PORT),
    summary: `start the control API (port ${HTTP_PORT})`,
  },
  {
    name: "files",
    group: "servers",
    kind: "optional",
    value: "FOLDER",
    path: "folder",
    bare: ".",
    summary: "serve a folder (the current one)",
  },
  {
    name: "files-port",
    group: "servers",
    kind: "value",
    value: "PORT",
    type: "port",
    default: String(FILES_PORT),
    summary: `port of the file server (${FILES_PORT})`,
    needs: FILES,
  },
  {
    name: "host",
    group: "servers",
    kind: "value",
    value: "ADDR",
    summary: "address both listen on (this machine only)",
    needs: EITHER,
  },
  {
    name: "token",
    group: "callers",
    kind: "value",
    value: "SECRET",
    env: "DESKHAND_TOKEN",
    summary: "what every caller of the control API must know",
    needs: CONTROL,
  },
  {
    name: "token-file",
    group: "callers",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "read that secret from a file",
    needs: CONTROL,
  },
  {
    name: "require-token",
    group: "callers",
    kind: "flag",
    summary: "callers on this machine need the token too",
    needs: CONTROL,
  },
  {
    name: "allow-origin",
    group: "callers",
    kind: "list",
    value: "ORIGIN",
    summary: "a web page's origin that needs no token",
    needs: CONTROL,
  },
  {
    name: "allow-host",
    group: "callers",
    kind: "list",
    value: "NAME",
    summary: "a further host name to answer to",
    needs: EITHER,
  },
  ...FILE_ROWS,
  {
    name: "cert",
    group: "servers",
    kind: "value",
    value: "FILE",
    path: "file",
    servable: "every client gets the certificate when it connects",
    summary: "TLS certificate chain (PEM), with --key",
    needs: EITHER,
  },
  {
    name: "key",
    group: "servers",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "TLS private key (PEM), with --cert",
    needs: EITHER,
  },
  {
    name: "desktop",
    group: "desktop",
    kind: "value",
    value: DESKTOP_CHOICES.join("|"),
    choices: DESKTOP_CHOICES,
    meanings: DESKTOP_MEANINGS,
    default: "auto",
    summary: "which desktop to control (auto)",
  },
  {
    name: "wait-desktop",
    group: "servers",
    kind: "value",
    value: "SECONDS",
    type: "seconds",
    default: "0",
    summary: "wait so long for a desktop that is still starting (0)",
  },
  {
    name: "remove",
    group: "desktop",
    kind: "flag",
    summary: "take back what setup gave",
    needs: ["setup"],
  },
  { name: "look", group: "callers", kind: "flag", summary: "a link that only looks", needs: ["link"] },
  {
    name: "hours",
    group: "callers",
    kind: "value",
    value: "N",
    summary: "how long a link is open (2), or a shared file (24)",
    needs: ["link", "share"],
  },
  {
    name: "name",
    group: "callers",
    kind: "value",
    value: "WORDS",
    summary: "who a link is for",
    needs: ["link"],
  },
  { name: "list", group: "callers", kind: "flag", summary: "list the open links", needs: ["link", "share"] },
  {
    name: "revoke",
    group: "callers",
    kind: "value",
    value: "ID",
    summary: "end a link at once",
    needs: ["link", "share"],
  },
  {
    name: "command",
    group: "rest",
    short: "c",
    kind: "list",
    value: '"LINE"',
    summary: "run prompt commands (; separates) and exit",
  },
  {
    name: "trace",
    group: "desktop",
    kind: "value",
    value: "FOLDER",
    path: "folder",
    secret: true,
    summary: "record what is done, with pictures, in a file there",
  },
  {
    name: "trace-limit",
    group: "desktop",
    kind: "value",
    value: "SIZE",
    default: "1G",
    summary: "the most that all traces of the folder take (1G)",
  },
  {
    name: "trace-days",
    group: "desktop",
    kind: "value",
    value: "DAYS",
    default: "30",
    summary: "how long traces are kept (30)",
  },
  {
    name: "trace-hide",
    group: "desktop",
    kind: "list",
    value: "TITLE",
    summary: 'leave windows out of traces, such as "KeePass*"',
  },
  {
    name: "sound",
    group: "desktop",
    kind: "flag",
    summary: "let the page hear the desktop (PipeWire, PulseAudio)",
    needs: CONTROL,
  },
  { name: "read-only", group: "desktop", kind: "flag", summary: "look and serve files, move nothing" },
  {
    name: "languages",
    group: "desktop",
    kind: "value",
    value: "A,B,C",
    default: "eng",
    summary: "languages of text on the screen: names or files (eng)",
  },
  {
    name: "view",
    group: "agents",
    kind: "value",
    value: "auto|large|full|EDGE",
    default: "auto",
    summary: "size of the pictures that AI agents get (auto)",
    needs: AGENTS,
  },
  {
    name: "view-display",
    group: "agents",
    kind: "value",
    value: "NAME",
    summary: "display that AI agents see (the primary one)",
    needs: AGENTS,
  },
  {
    name: "tools",
    group: "agents",
    kind: "value",
    value: "A,B,C",
    summary: "the only tools that AI agents get",
    needs: AGENTS,
  },
  {
    name: "agent-open",
    group: "agents",
    kind: "value",
    value: '"A,B,C"',
    summary: "programs that AI agents may open (none)",
    needs: AGENTS,
  },
  {
    name: "agent-log",
    group: "agents",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "one JSON line per call of an AI agent",
    needs: AGENTS,
  },
  {
    name: "log",
    group: "rest",
    kind: "value",
    value: "FILE|-",
    path: "file",
    summary: "one line per request",
    needs: EITHER,
  },
  {
    name: "log-format",
    group: "rest",
    kind: "value",
    value: LOG_FORMATS.join("|"),
    choices: LOG_FORMATS,
    meanings: { text: "a line of text per request", json: "a JSON object per request" },
    default: "text",
    summary: "how the log is written (text)",
    needs: ["log"],
  },
  { name: "json", group: "rest", kind: "flag", summary: "print a trace as JSON", needs: ["trace FILE"] },
  { name: "help", group: "rest", short: "h", kind: "flag", summary: "show this" },
  { name: "version", group: "rest", kind: "flag", summary: "show the version" },
] as const satisfies readonly Option[];

type OptionRow = typeof ROWS[number];

/** The name of an option, such as `files-port`. */
export type OptionName = OptionRow["name"];

/** Every option, in the order of help. */
export const OPTIONS: readonly Option[] = ROWS;

/** Values of the options: a field for each row, by its name in camel case; undefined where it is not given. */
export type Settings = { [O in OptionRow as Camel<O["name"]>]: Setting<O> };
