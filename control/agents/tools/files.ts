/** The tools that read the served folder and start programs. */

import { diskOf } from "../../../core/disk.ts";
import {
  type ExpectedError,
  InputError,
  NotFoundError,
  StateError,
  TimeLimitError,
} from "../../../core/errors.ts";
import { basename, join } from "../../../core/path.ts";
import { linkIn, readProc } from "../../../core/proc.ts";
import { until, within } from "../../../core/until.ts";
import { describeValue } from "../../../core/printable.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { WindowInfo } from "../../desktop/desktop.ts";
import { choice, integer, optional, text } from "../../schema/schema.ts";
import { activeOf, differenceOf, listWindows, quotedTitle, windowsIfListed } from "../../windows/list.ts";
import { type AnyTool, said, SETTLE_MS, tool, type ToolContext } from "../tool.ts";

/** Reads the served folder like a file server: answers a GET of a path with headers. */
export type FileReader = (path: string, headers: Record<string, string>) => Promise<Response>;

/** Maximum number of bytes of a file, and of entries of a folder, in one answer. */
const MOST_BYTES = 20_000, MOST_ENTRIES = 200;
/** Content types of files that are read as text. */
const TEXT = /^(text\/|application\/(json|xml|javascript|x-sh|yaml|toml))|\+(json|xml)\b/;

/** The fields used from a folder's `?format=json` description. */
interface Listing {
  entries: { name: string; type: string; size?: number }[];
}

/** Makes the tool. */
export function filesTool(read: FileReader): AnyTool {
  return tool({
    name: "files",
    title: "Read the served folder",
    description: "Lists a folder of the served files, or reads a text file, 20,000 bytes from a byte on.",
    action: ACTIONS.screenshot,
    input: {
      path: optional(text("Such as notes/a.txt; default: the whole folder")),
      from: optional(integer(0, Number.MAX_SAFE_INTEGER, "First byte")),
    },
    async run({ path = "", from = 0 }) {
      const clean = path.replace(/^\/+/, "");
      const url = `/${clean.toWellFormed().split("/").map(encodeURIComponent).join("/")}`;
      const answer = await read(url, { range: `bytes=${from}-${from + MOST_BYTES - 1}` });
      if (answer.status === 301 || url.endsWith("/") && answer.ok) {
        await answer.body?.cancel();
        return said(await listing(read, url.replace(/\/*$/, "/"), clean));
      }
      return said(await content(answer, clean, from));
    },
  });
}

async function listing(read: FileReader, url: string, path: string): Promise<string> {
  const answer = await read(`${url}?format=json`, {});
  if (!answer.ok) {
    await answer.body?.cancel();
    throw failureOf(answer, path);
  }
  const { entries } = await answer.json() as Listing;
  const lines = entries.slice(0, MOST_ENTRIES).map(({ name, type, size }) =>
    type === "folder" ? `${JSON.stringify(name)}/` : `${JSON.stringify(name)} ${size} bytes`
  );
  if (entries.length > MOST_ENTRIES) lines.push(`and ${entries.length - MOST_ENTRIES} more`);
  return lines.join("\n") || "the folder is empty";
}

async function content(answer: Response, path: string, from: number): Promise<string> {
  const type = answer.headers.get("content-type") ?? "";
  const [, all = answer.headers.get("content-length")] =
    /\/(\d+)$/.exec(answer.headers.get("content-range") ?? "") ?? [];
  if (!answer.ok || !TEXT.test(type)) await answer.body?.cancel();
  if (answer.status === 416) throw new InputError(`from must be less than the file size, ${all} bytes`);
  if (!answer.ok) throw failureOf(answer, path);
  if (!TEXT.test(type)) return `${JSON.stringify(path)} is not a text file: ${type}, ${all} bytes`;
  const bytes = await answer.bytes(), words = new TextDecoder().decode(bytes);
  const end = from + bytes.length;
  return end < Number(all) ? `${words}\n… ${end} of ${all} bytes; go on with from ${end}` : words;
}

/** The error for an answer without content: the disk or share of a file may not respond, for example. */
function failureOf({ status }: Response, path: string): ExpectedError {
  const name = JSON.stringify(path);
  if (status < 500) return new NotFoundError(`there is no file ${name} in the served folder`);
  return new StateError(
    `${name} cannot be read now${status === 503 ? ": its disk or share may not respond" : ""}`,
  );
}

// Starts the programs that a person allows agents to open.

/** Variables with deskhand's secrets, which programs do not inherit. */
const SECRETS = ["DESKHAND_TOKEN", "DESKHAND_FILES_AUTH"];
/** A program that exits with an error within this time, in milliseconds, did not start. */
const START_MS = 300;

/** How a program is started. */
interface Launch {
  args?: readonly string[];
  /** Variables in addition to deskhand's own. */
  env?: Readonly<Record<string, string>>;
  /** The working folder; deskhand's own if left out. */
  folder?: string;
}

/**
 * Starts a program that continues when deskhand ends. It inherits deskhand's environment.
 * @param program Its name on the PATH, or its path.
 * @throws InputError if there is no such program; StateError if it exits immediately with an error.
 */
async function launch(program: string, args: readonly string[]): Promise<Deno.ChildProcess> {
  const child = spawnProgram(program, { args });
  child.unref();
  const status = await within(START_MS, child.status);
  if (status && !status.success) {
    throw new StateError(`${program} exited immediately with code ${status.code}`);
  }
  return child;
}

/**
 * Starts a program in its own session (setsid(2)), without deskhand's secrets.
 * @param program Its name on the PATH, or its path.
 * @throws InputError if there is no such program, or a text for it has a NUL character.
 */
export function spawnProgram(
  program: string,
  { args = [], env = {}, folder }: Launch = {},
): Deno.ChildProcess {
  const own = Object.entries(Deno.env.toObject()).filter(([name]) => !SECRETS.includes(name));
  try {
    return new Deno.Command(program, {
      args: [...args],
      env: { ...Object.fromEntries(own), ...env },
      clearEnv: true,
      cwd: folder,
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new InputError(`program not found: ${program}`);
    if (error instanceof Deno.errors.PermissionDenied) throw new InputError(`${program} cannot be run`);
    if (error instanceof TypeError) throw new InputError(`${program} cannot be given a NUL character`);
    throw error;
  }
}

// The tool that starts programs that a person has allowed.

/** Maximum time for a program's window to become active, and the polling interval, in milliseconds. */
const WINDOW_MS = 10_000, LOOK_MS = 50;
/**
 * Maximum time for a running program to show the window requested by a second start of it, in milliseconds.
 */
const HANDED_ON_MS = 3000;
/** Time after which a window counts as shown on a desktop that reports no active window, in milliseconds. */
const UNTOLD_MS = 500;

/**
 * The start of an absolute path, which cannot be mistaken for an option. On Windows, network paths are
 * excluded: looking up such a file sends the user's credentials to its server.
 */
const ABSOLUTE = Deno.build.os === "windows" ? /^[a-z]:[\\/]/i : /^\//;

/** The file or the address that a program opens. */
interface Opening {
  /** An absolute path, or one relative to the home folder. */
  file?: string | undefined;
  url?: string | undefined;
}

/**
 * The program's argument: at most one, which no program can mistake for an option.
 * @throws InputError if the file does not exist, or the URL is not a web address.
 */
async function argumentsOf({ file, url }: Opening): Promise<string[]> {
  if (file !== undefined && url !== undefined) throw new InputError("file and url cannot both be given");
  if (url !== undefined) {
    const { protocol, href } = URL.parse(url) ?? {};
    if (protocol === "https:" || protocol === "http:") return [href!];
    throw new InputError(`url must be a web address such as https://example.com/, not ${describeValue(url)}`);
  }
  if (file === undefined) return [];
  const path = file.startsWith("~/") ? join(Deno.env.get("HOME") ?? "", file.slice(2)) : file;
  if (!ABSOLUTE.test(path)) {
    throw new InputError(`file must be an absolute path such as /home/ann/a.txt, not ${describeValue(file)}`);
  }
  if (await diskOf(path).run(() => Deno.lstat(path).catch(() => {}))) return [path];
  throw new NotFoundError(`there is no file ${JSON.stringify(path)}`);
}

interface Started {
  program: string;
  child: Deno.ChildProcess;
  /** The processes of all its starts so far: each has its own session. */
  sessions: ReadonlySet<number>;
  /** The windows before the start. */
  before: readonly WindowInfo[];
  /** The name of the file or the URL to open. */
  what?: string | undefined;
}

/** Minimum length of a name that identifies a running program, in characters. */
const NAME_LENGTH = 3;

/**
 * Whether a window belongs to a started program: by session (proc_pid_stat(5)), or because its class, process
 * or file has the program's name. undefined if unknown.
 */
function isOf({ pid, class: kind }: WindowInfo, { program, sessions }: Started): boolean | undefined {
  const stat = pid === undefined ? "" : readProc(`${pid}/stat`);
  const [, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (sessions.has(Number(session))) return true;
  const own = basename(program).toLowerCase();
  const names = [kind ?? "", ...stat ? [readProc(`${pid}/comm`).trim(), basename(linkIn(`${pid}/exe`))] : []];
  const isNamed = names.map((name) => name.toLowerCase()).some((name) =>
    name.length >= NAME_LENGTH && (name.startsWith(own) || own.startsWith(name))
  );
  return isNamed || (stat ? false : undefined);
}

/**
 * Waits until a started program has the focus: anything typed earlier would go to another window. A program
 * that is already running may open the file or address in the active window.
 * @returns The active window, if it was active before the start.
 * @throws TimeLimitError if none of its windows becomes active; StateError if it exits with an error.
 */
async function windowActive(
  started: Started,
  { operator, signal }: ToolContext,
): Promise<WindowInfo | undefined> {
  const { program, child: { pid, status }, before, what } = started, former = activeOf(before);
  let ended: { at: number; success: boolean; code: number } | undefined;
  status.then(({ success, code }) => ended = { at: performance.now(), success, code });
  let openedAt = Infinity, opened: WindowInfo | undefined, kept: WindowInfo | undefined;
  const isActive = await until(async () => {
    const windows = await listWindows(operator), change = differenceOf(before, windows);
    const active = activeOf(windows), now = performance.now();
    if (ended && !ended.success) throw new StateError(`${program} ended with code ${ended.code}`);
    const isIts = (window: WindowInfo) => ended !== undefined || isOf(window, started) !== false;
    opened = change.opened.find(isIts);
    openedAt = opened ? Math.min(openedAt, now) : Infinity;
    kept = active && active.id === former?.id && isOf(active, started) ? active : undefined;
    if (change.active && isIts(change.active)) return true;
    if (opened) return active === undefined && now - openedAt > UNTOLD_MS;
    if (kept && kept.title !== former?.title) return true;
    if (!ended || now - ended.at < HANDED_ON_MS) return false;
    if (!kept) throw new TimeLimitError(`process ${pid} ended without a window`);
    return what === undefined || kept.title.includes(what);
  }, { ms: WINDOW_MS, every: LOOK_MS, signal });
  if (isActive) return kept;
  const state = opened
    ? `its window ${quotedTitle(opened)} is not active`
    : kept
    ? `its window ${quotedTitle(kept)} has not changed`
    : "no window of it has come";
  throw new TimeLimitError(`process ${pid} was started, and ${state} after ${WINDOW_MS / 1000} s`);
}

/**
 * Makes the tool.
 * @param programs Names of the desktop's own programs, names on the PATH, or paths.
 */
export function openTool(programs: readonly string[]): AnyTool {
  /** The processes of each program's starts. */
  const sessions = new Map(programs.map((program) => [program, new Set<number>()]));
  return tool({
    name: "open",
    title: "Open a program",
    description: "Starts a program, with a file or web address, and waits for its window.",
    action: ACTIONS.click,
    picture: "if asked",
    settleMs: SETTLE_MS,
    input: {
      program: choice(programs, "The program"),
      file: optional(text("Absolute path")),
      url: optional(text("")),
    },
    ownMs: () => WINDOW_MS,
    async run({ program, ...opening }, context) {
      const { programs } = context.operator.desktop, args = await argumentsOf(opening);
      if (programs?.names.includes(program)) {
        if (args.length) throw new InputError(`${program} of this desktop opens neither files nor addresses`);
        return said(`opened ${JSON.stringify(programs.start(program))}`);
      }
      const before = await windowsIfListed(context.operator), child = await launch(program, args);
      const what = opening.file === undefined ? opening.url : basename(opening.file);
      const own = sessions.get(program)!.add(child.pid);
      const kept = before && await windowActive({ program, child, sessions: own, before, what }, context);
      const where = kept ? ", which handed over to the running program" : "";
      return said(`started ${program}, process ${child.pid}${where}`);
    },
  });
}
