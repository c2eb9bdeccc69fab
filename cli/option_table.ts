/** The table of options. Reading them, `Settings`, help, completions and the manual page derive from it. */

import {
  DESKTOP_ADDRESS,
  DESKTOP_CHOICES,
  DESKTOP_MEANINGS,
  DESKTOP_SCHEME,
  type DesktopChoice,
} from "../ffi/open.ts";

// The options of the file server: rows of the table of options (option_table.ts).

/** Servers that an option is for. */
const SERVING = ["files"];

/** Options of the file server, in the order of help. */
const FILE_ROWS = [
  {
    name: "files-auth",
    group: "files",
    kind: "value",
    value: "USER:PASSWORD",
    env: "DESKHAND_FILES_AUTH",
    summary: "require a password on the file server",
    needs: SERVING,
  },
  {
    name: "upload-auth",
    group: "files",
    kind: "value",
    value: "USER:PASSWORD",
    env: "DESKHAND_UPLOAD_AUTH",
    summary: "the owner's password, for uploads and other changes",
    needs: SERVING,
  },
  {
    name: "index",
    group: "files",
    kind: "flag",
    summary: "serve a folder's index.html instead of its listing",
    needs: SERVING,
  },
  {
    name: "files-public-url",
    group: "files",
    kind: "value",
    value: "URL",
    summary: "the file server's address behind a proxy",
    needs: SERVING,
  },
  {
    name: "no-hidden",
    group: "files",
    kind: "flag",
    summary: "hide names that begin with a dot",
    needs: SERVING,
  },
  {
    name: "files-cors",
    group: "files",
    kind: "flag",
    summary: "let web pages of any origin read the files",
    needs: SERVING,
  },
  {
    name: "allow-upload",
    group: "files",
    kind: "flag",
    summary: "accept uploads: PUT, or files dropped on the listing",
    needs: SERVING,
  },
  {
    name: "allow-share",
    group: "files",
    kind: "flag",
    summary: "let the owner create share links to single files",
    needs: SERVING,
  },
  {
    name: "password",
    group: "files",
    kind: "value",
    value: "WORD",
    summary: "password of the shared file",
    needs: ["share"],
  },
  {
    name: "count",
    group: "files",
    kind: "value",
    value: "N",
    summary: "maximum number of downloads of the shared file",
    needs: ["share"],
  },
  {
    name: "collect",
    group: "files",
    kind: "flag",
    summary: "make the link accept uploads and show nothing",
    needs: ["share"],
  },
  {
    name: "allow-overwrite",
    group: "files",
    kind: "flag",
    summary: "let uploads replace files",
    needs: ["allow-upload"],
  },
  {
    name: "drop-box",
    group: "files",
    kind: "flag",
    summary: "others can upload but see nothing; the owner sees all",
    needs: ["upload-auth"],
  },
  {
    name: "dav",
    group: "files",
    kind: "flag",
    summary: "serve the folder over WebDAV, so it can be mounted",
    needs: SERVING,
  },
  {
    name: "allow-delete",
    group: "files",
    kind: "flag",
    summary: "let WebDAV delete, move and rename",
    needs: ["dav"],
  },
  {
    name: "no-trash",
    group: "files",
    kind: "flag",
    summary: "delete at once instead of after a day",
    needs: ["allow-delete"],
  },
  {
    name: "upload-limit",
    group: "files",
    kind: "value",
    value: "SIZE",
    default: "10G",
    summary: "size of the largest upload (10G)",
    needs: ["allow-upload"],
  },
  {
    name: "trust-html",
    group: "files",
    kind: "flag",
    summary: "serve HTML, SVG and XML without a sandbox",
    needs: SERVING,
  },
] as const satisfies readonly Option[];

/** Port of the control API if the command line names none. */
export const HTTP_PORT = 4000;
/** Port of the file server if the command line names none. */
const FILES_PORT = 4001;

/** Port of WebDriver if the command line names none: that of Appium, which suites of desktops use. */
const WEBDRIVER_PORT = 4723;

/** Port of the VNC server if the command line names none: that of display 0 (RFC 6143). */
const VNC_PORT = 5900;

/** Values of `--log-format`. */
const LOG_FORMATS = ["text", "json"] as const;

/** Servers that an option is for: the control API (which serves agents, too), WebDriver, the file server, or several. */
const CONTROL = ["http"], AGENTS = CONTROL, FILES = ["files"], WEBDRIVER = ["webdriver"];
const VNC = ["vnc"],
  CALLERS = [...CONTROL, ...WEBDRIVER, ...VNC],
  EITHER = ["http", "files", "webdriver", "vnc"];

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
    name: "webdriver",
    group: "servers",
    kind: "optional",
    value: "PORT",
    type: "port",
    bare: String(WEBDRIVER_PORT),
    summary: `start WebDriver for test suites (port ${WEBDRIVER_PORT})`,
  },
  {
    name: "vnc",
    group: "servers",
    kind: "optional",
    value: "PORT",
    type: "port",
    bare: String(VNC_PORT),
    summary: `let VNC viewers control the desktop (port ${VNC_PORT})`,
  },
  {
    name: "vnc-password-file",
    group: "callers",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "password of VNC viewers on this machine, 6 to 8 characters",
    needs: VNC,
  },
  {
    name: "webdriver-open",
    group: "callers",
    kind: "value",
    value: '"A,B,C"',
    summary: "programs that test suites may start (none); * for any",
    needs: WEBDRIVER,
  },
  {
    name: "webdriver-wait",
    group: "servers",
    kind: "value",
    value: "SECONDS",
    type: "seconds",
    default: "0",
    summary: "implicit wait for suites that set none (0)",
    needs: WEBDRIVER,
  },
  {
    name: "host",
    group: "servers",
    kind: "value",
    value: "ADDR",
    summary: "address to listen on (this machine only)",
    needs: EITHER,
  },
  {
    name: "public-url",
    group: "servers",
    kind: "value",
    value: "URL",
    summary: "the control API's address behind a proxy",
    needs: CONTROL,
  },
  {
    name: "trust-proxy",
    group: "servers",
    kind: "list",
    value: "ADDRESS",
    summary: "a proxy whose X-Forwarded-For names the caller",
    needs: ["http", "files", "webdriver"],
  },
  {
    name: "token",
    group: "callers",
    kind: "value",
    value: "SECRET",
    env: "DESKHAND_TOKEN",
    summary: "secret that every caller of the control API must send",
    needs: CALLERS,
  },
  {
    name: "token-file",
    group: "callers",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "read the token from a file",
    needs: CALLERS,
  },
  {
    name: "require-token",
    group: "callers",
    kind: "flag",
    summary: "require the token from this machine, too",
    needs: CALLERS,
  },
  {
    name: "allow-origin",
    group: "callers",
    kind: "list",
    value: "ORIGIN",
    summary: "origin of web pages that need no token",
    needs: CALLERS,
  },
  {
    name: "allow-host",
    group: "callers",
    kind: "list",
    value: "NAME",
    summary: "additional host name to answer to",
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
    value: [...DESKTOP_CHOICES, DESKTOP_ADDRESS].join("|"),
    choices: DESKTOP_CHOICES as readonly DesktopChoice[],
    scheme: DESKTOP_SCHEME,
    meanings: DESKTOP_MEANINGS,
    default: "auto",
    summary: "which desktop to control (auto)",
  },
  {
    name: "desktop-password-file",
    group: "desktop",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "the password of a VNC server",
    needs: ["desktop"],
  },
  {
    name: "desktop-cert",
    group: "desktop",
    kind: "value",
    value: "SHA256",
    summary: "the fingerprint of a VNC server's certificate",
    needs: ["desktop"],
  },
  {
    name: "desktop-paste",
    group: "desktop",
    kind: "value",
    value: "KEYS",
    summary: "keys that paste what VNC cannot type, such as ctrl+v",
    needs: ["desktop"],
  },
  {
    name: "size",
    group: "desktop",
    kind: "value",
    value: "WIDTHxHEIGHT",
    summary: "size of the virtual desktop (1280x720)",
    needs: ["desktop"],
  },
  {
    name: "wait-desktop",
    group: "servers",
    kind: "value",
    value: "SECONDS",
    type: "seconds",
    default: "0",
    summary: "seconds to wait for the desktop to start (0)",
  },
  {
    name: "remove",
    group: "desktop",
    kind: "flag",
    summary: "revoke the permission from setup",
    needs: ["setup"],
  },
  { name: "look", group: "callers", kind: "flag", summary: "view-only link", needs: ["link"] },
  {
    name: "hours",
    group: "callers",
    kind: "value",
    value: "N",
    summary: "hours until a link (2) or a share (24) expires",
    needs: ["link", "share"],
  },
  {
    name: "name",
    group: "callers",
    kind: "value",
    value: "WORDS",
    summary: "name of the guest",
    needs: ["link"],
  },
  { name: "list", group: "callers", kind: "flag", summary: "list the open links", needs: ["link", "share"] },
  {
    name: "revoke",
    group: "callers",
    kind: "value",
    value: "ID",
    summary: "revoke a link at once",
    needs: ["link", "share"],
  },
  {
    name: "command",
    group: "rest",
    short: "c",
    kind: "list",
    value: '"LINE"',
    summary: "run prompt commands (separated by ;) and exit",
  },
  {
    name: "trace",
    group: "desktop",
    kind: "value",
    value: "FOLDER",
    path: "folder",
    secret: true,
    summary: "record actions with pictures in a file there",
  },
  {
    name: "trace-limit",
    group: "desktop",
    kind: "value",
    value: "SIZE",
    default: "1G",
    summary: "disk space for all traces in the folder (1G)",
  },
  {
    name: "trace-days",
    group: "desktop",
    kind: "value",
    value: "DAYS",
    default: "30",
    summary: "days to keep traces (30)",
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
    summary: "play sound on the page (PulseAudio, pipewire-pulse)",
    needs: CONTROL,
  },
  { name: "read-only", group: "desktop", kind: "flag", summary: "allow only viewing and reading files" },
  {
    name: "languages",
    group: "desktop",
    kind: "value",
    value: "A,B,C",
    default: "eng",
    summary: "languages of text on the screen, or their files (eng)",
  },
  {
    name: "view",
    group: "agents",
    kind: "value",
    value: "auto|large|full|EDGE",
    default: "auto",
    summary: "size of pictures for AI agents (auto)",
    needs: AGENTS,
  },
  {
    name: "view-display",
    group: "agents",
    kind: "value",
    value: "NAME",
    summary: "display for AI agents (the primary one)",
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
    summary: "programs that AI agents may start (none)",
    needs: AGENTS,
  },
  {
    name: "agent-allow",
    group: "agents",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "programs that AI agents may act in (all)",
    needs: AGENTS,
  },
  {
    name: "agent-log",
    group: "agents",
    kind: "value",
    value: "FILE",
    path: "file",
    summary: "log each call of an AI agent as a line of JSON",
    needs: AGENTS,
  },
  {
    name: "log",
    group: "rest",
    kind: "value",
    value: "FILE|-",
    path: "file",
    summary: "log each request as a line",
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
    summary: "format of the log (text)",
    needs: ["log"],
  },
  { name: "json", group: "rest", kind: "flag", summary: "print the trace as JSON", needs: ["trace FILE"] },
  { name: "help", group: "rest", short: "h", kind: "flag", summary: "show this help" },
  { name: "version", group: "rest", kind: "flag", summary: "show the version" },
] as const satisfies readonly Option[];

type OptionRow = typeof ROWS[number];

/** The name of an option, such as `files-port`. */
export type OptionName = OptionRow["name"];

/** Every option, in the order of help. */
export const OPTIONS: readonly Option[] = ROWS;

/** Values of the options: a field for each row, by its name in camel case; undefined where it is not given. */
export type Settings = { [O in OptionRow as Camel<O["name"]>]: Setting<O> };

// Rows of the table of options, and the types of their values.

/** Groups of options with their headings, in the order of help. */
export const OPTION_GROUPS = {
  servers: "The servers",
  desktop: "The desktop",
  callers: "Callers of the control API",
  files: "The file server",
  agents: "AI agents",
  rest: "The prompt, the log and the rest",
} as const;

/** A row of the table of options. */
export interface Option {
  name: string;
  /** The option's place in help. */
  group: keyof typeof OPTION_GROUPS;
  /** The letter behind a single `-`. */
  short?: string;
  /**
   * Kind of option: without a value (`flag`), with one value (`value`), with a value each time the option is given
   * (`list`), or with a value that may be left out (`optional`).
   */
  kind: "flag" | "value" | "list" | "optional";
  /** The name of the option's value in help. */
  value?: string;
  /** The form of the value; any text if left out. */
  type?: "port" | "seconds";
  /** The values that are allowed; any if left out. */
  choices?: readonly string[];
  /** The beginning of further values, such as `vnc://`. */
  scheme?: string;
  /** A few words on each of these values, for completions. */
  meanings?: Readonly<Record<string, string>>;
  /** The paths that completions offer for the value. */
  path?: "file" | "folder";
  /**
   * The reason why the file server may serve the file that the option names. Where this is left out, the file is one of
   * deskhand's own secrets (files/secrets.ts).
   */
  servable?: string;
  /** Whether the file server never serves the content of this option's folder. */
  secret?: true;
  /** The option's value if it is given without one. */
  bare?: string;
  /** The value where the option is not given. */
  default?: string;
  /** Environment variable that stands in for the option. */
  env?: string;
  /** The option does nothing unless one of these options and subcommands is given too. */
  needs?: readonly string[];
  /** One line for help. */
  summary: string;
}

/** `files-port` becomes `filesPort`. */
type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** The name of an option's setting: `files-port` becomes `filesPort`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type Value<O> = O extends { type: "port" | "seconds" } ? number
  : O extends { choices: readonly (infer Choice)[] } ? Choice
  : string;

/** The type of the setting that an option's row describes. */
type Setting<O> = O extends { kind: "flag" } ? boolean
  : O extends { kind: "list" } ? string[]
  : O extends { default: string } ? Value<O>
  : Value<O> | undefined;

/**
 * Writes an option's value for help: ` PORT`, or ` [PORT]` if the value may be left out.
 * @returns An empty string for an option without a value.
 */
export function valueUsage({ kind, value }: Option): string {
  if (value === undefined) return "";
  return kind === "optional" ? ` [${value}]` : ` ${value}`;
}
