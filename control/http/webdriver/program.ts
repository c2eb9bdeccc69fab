/** Programs of sessions: which ones a person allows, how they start, their processes, and how they end. */

import { diskOf } from "../../../core/disk.ts";
import { attempt, InputError } from "../../../core/errors.ts";
import { numbersIn, readProc } from "../../../core/proc.ts";
import { until } from "../../../core/until.ts";
import { spawnProgram } from "../../agents/tools/files.ts";
import type { Capabilities } from "./capabilities.ts";
import { invalid, notCreated, WebDriverError } from "./errors.ts";

/** Allows every program in the list of permitted ones. */
export const ANY_PROGRAM = "*";

/**
 * Variables that sessions may set for a listed program: they carry data. Others, such as LD_PRELOAD, make a
 * program run the caller's code.
 */
const DATA =
  /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|QT_SCALE_FACTOR|QT_QPA_PLATFORM|QT_LOGGING_RULES|QT_FATAL_WARNINGS|GDK_SCALE|GDK_BACKEND)$/;
/** Variables that make Qt programs expose their elements even if the session's accessibility is off. */
const ACCESSIBLE = { QT_ACCESSIBILITY: "1", QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1" };
/** How long a program may take to end when asked, and when killed, in milliseconds. */
const END_MS = 500, KILLED_MS = 2000;
/**
 * How long the list of processes stays valid, and when unrelated processes are checked again, in
 * milliseconds: too short for the system to reuse their numbers.
 */
const PROCESSES_MS = 250, OTHERS_MS = 5000;
const LOOK_MS = 10;
/** Windows paths contain spaces and backslashes, so the capability `app` is only the program. */
const isWindows = Deno.build.os === "windows";

/**
 * A session's command line: the program and its arguments.
 * @param allowed The programs that the person allows.
 * @throws WebDriverError if the program is not among them.
 */
function commandOf(
  { app = "", appArguments = [], arguments: more = [] }: Capabilities,
  allowed: readonly string[],
): [program: string, ...args: string[]] {
  const isEntry = app.endsWith(".desktop");
  const [program, ...args] = isEntry ? wordsOfEntry(app) : isWindows ? [app] : wordsOf(app);
  if (!program) throw invalid("the capability app names no program");
  if (![ANY_PROGRAM, program, isEntry ? app : program].some((name) => allowed.includes(name))) {
    throw notCreated(
      `deskhand may not start ${program}: start deskhand with --webdriver-open "${program}"`,
    );
  }
  return [
    program,
    ...args,
    ...(typeof appArguments === "string" ? wordsOf(appArguments) : appArguments),
    ...more,
  ];
}

/**
 * A session's environment variables.
 * @throws WebDriverError naming a variable that is not allowed.
 */
function variablesOf({ environ, environment }: Capabilities, allowed: readonly string[]) {
  const all = Object.entries({ ...environ, ...environment });
  const refused = allowed.includes(ANY_PROGRAM) ? undefined : all.find(([name]) => !DATA.test(name))?.[0];
  if (!refused) return Object.fromEntries(all.map(([name, value]) => [name, String(value)]));
  const why = "which can make a program run other code";
  throw notCreated(`a session may not set ${refused}, ${why}: that needs --webdriver-open "*"`);
}

/** Words with quotes and backslashes as in a shell, and words with quotes only. */
const SHELL_WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s"'\\]|\\.)+)+/gs,
  WINDOWS_WORD = /(?:"[^"]*"|[^\s"]+)+/g;

/**
 * Splits a command line into words, with quotes as in a shell. Nothing is expanded.
 * @param hasPaths Whether backslashes separate folders, as on Windows, and only double quotes are quotes.
 * @throws WebDriverError if a quote is not closed.
 * @example
 * wordsOf(`gedit "my file" a\\ b`); // ["gedit", "my file", "a b"]
 */
export function wordsOf(line: string, hasPaths = isWindows): string[] {
  const word = hasPaths ? WINDOWS_WORD : SHELL_WORD;
  if (line.replace(word, "").trim()) throw invalid(`a quote or a backslash is left open in ${line}`);
  return Array.from(line.matchAll(word), ([word]) =>
    hasPaths ? word.replaceAll('"', "") : word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(.)/gs, "$1") ?? single ?? escaped ?? "",
    ));
}

/**
 * The command of a desktop entry (Desktop Entry Specification, `Exec`).
 * @param name The entry's file name, such as `org.kde.kcalc.desktop`.
 */
function wordsOfEntry(name: string): string[] {
  const data = Deno.env.get("XDG_DATA_HOME") ?? `${Deno.env.get("HOME")}/.local/share`;
  const folders = [data, ...(Deno.env.get("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(":")];
  if (name.includes("/")) {
    throw invalid("the capability app takes a desktop entry's file name without a path");
  }
  for (const folder of folders) {
    const entry = attempt(() => Deno.readTextFileSync(`${folder}/applications/${name}`), "");
    const command = /^Exec=(.*)$/m.exec(entry)?.[1];
    if (command) return wordsOf(command.replace(/%[a-zA-Z]/g, ""));
  }
  throw notCreated(`there is no desktop entry ${name}`);
}

/** Whether a program exists, by its desktop entry's file name or by its name on deskhand's PATH. */
export function isInstalled(name: string): boolean {
  try {
    const [program = ""] = name.endsWith(".desktop") ? wordsOfEntry(name) : [name];
    const folders = (Deno.env.get("PATH") ?? "").split(isWindows ? ";" : ":");
    const files = isWindows ? [program, `${program}.exe`] : [program];
    if (program.startsWith("/") && program !== name) return isFile(program);
    const isName = program !== "" && !/[/\\]/.test(program);
    return isName && folders.some((folder) => files.some((file) => isFile(`${folder}/${file}`)));
  } catch (error) {
    if (error instanceof WebDriverError) return false;
    throw error;
  }
}

/** The program of a session: the descendants of the started or attached process, and that process. */
export class SessionProgram {
  readonly #child: Deno.ChildProcess | undefined;
  #status: Deno.CommandStatus | undefined;
  #processes: { pids: Set<number>; at: number } | undefined;
  #others: { pids: Set<number>; at: number } | undefined;

  private constructor(readonly pid: number, child?: Deno.ChildProcess) {
    this.#child = child;
    child?.status.then((status) => this.#status = status);
  }

  /**
   * Starts a session's program.
   * @param allowed The programs that the person allows.
   * @throws WebDriverError if it is not allowed or cannot be started.
   */
  static async start(capabilities: Capabilities, allowed: readonly string[]): Promise<SessionProgram> {
    const [program, ...args] = commandOf(capabilities, allowed), { appWorkingDir: folder } = capabilities;
    const env = { ...ACCESSIBLE, ...variablesOf(capabilities, allowed) };
    const isFolder = (path: string) => Deno.stat(path).then(({ isDirectory }) => isDirectory, () => false);
    if (folder !== undefined && !await diskOf(folder).run(() => isFolder(folder))) {
      throw notCreated(`there is no folder ${folder}`);
    }
    try {
      const child = spawnProgram(program, { args, env, ...(folder === undefined ? {} : { folder }) });
      child.unref();
      return new SessionProgram(child.pid, child);
    } catch (error) {
      throw error instanceof InputError ? notCreated(error.message) : error;
    }
  }

  /** Attaches to a process, which continues when the session ends. */
  static attach(pid: number): SessionProgram {
    return new SessionProgram(pid);
  }

  /** The exit code of the started process after its end; undefined if the process was attached. */
  async exitCode(): Promise<number | undefined> {
    return (await this.#child?.status)?.code;
  }

  /** Whether no process of the program is running. */
  get hasEnded(): boolean {
    return isWindows ? this.#status !== undefined : this.#look().size === 0;
  }

  /** The program's processes. */
  get pids(): ReadonlySet<number> {
    const { pids, at = -Infinity } = this.#processes ?? {};
    return pids && performance.now() - at < PROCESSES_MS ? pids : this.#look();
  }

  #look(): Set<number> {
    const at = performance.now();
    if (at - (this.#others?.at ?? -Infinity) > OTHERS_MS) this.#others = { pids: new Set(), at };
    const pids = processesBelow(this.pid, this.#others!.pids);
    this.#processes = { pids, at };
    return pids;
  }

  /**
   * Ends what was started: asks first, and kills what is still running after {@linkcode END_MS}. Waits for the
   * end of what it kills, which takes a moment on a busy machine.
   */
  async end(): Promise<void> {
    if (!this.#child) return;
    for (const [signal, ms] of [["SIGTERM", END_MS], ["SIGKILL", KILLED_MS]] as const) {
      this.#signal(signal);
      if (await until(() => this.hasEnded, { ms, every: LOOK_MS })) return;
    }
  }

  /** Immediately kills what was started. */
  kill(): void {
    if (this.#child && !this.hasEnded) this.#signal("SIGKILL");
  }

  #signal(signal: Deno.Signal): void {
    for (const pid of processesBelow(this.pid)) {
      attempt(() => Deno.kill(pid, signal)); // it may have ended
    }
  }
}

function isFile(path: string): boolean {
  return attempt(() => Deno.statSync(path).isFile, false);
}

/**
 * A process's descendants, and the processes of its session, whose parents may have ended (proc_pid_stat(5)).
 * On Windows, only the process itself.
 * @param others Processes known to be unrelated, which are skipped: parents and sessions are inherited. Adds
 * any further unrelated ones.
 */
function processesBelow(pid: number, others = new Set<number>()): Set<number> {
  if (isWindows) return new Set([pid]);
  const rows: { id: number; parent: number; session: number }[] = [];
  const unknown = numbersIn("").filter((id) => !others.has(id));
  for (const id of unknown) {
    const stat = readProc(`${id}/stat`),
      [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (stat && state !== "Z") rows.push({ id, parent: Number(parent), session: Number(session) });
  }
  const found = new Set(rows.filter(({ id, session }) => id === pid || session === pid).map(({ id }) => id));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { id, parent } of rows) if (found.has(parent)) found.add(id);
  }
  for (const id of unknown) if (!found.has(id)) others.add(id);
  return found;
}
