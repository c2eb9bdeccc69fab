/** Runs deskhand as a user does: as a separate process, seen only from outside. */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import type { UserOptions } from "./ordinary_user.ts";
import { removeBusy, until } from "./shell.ts";
import { Terminal } from "./terminal.ts";
import { waiting } from "./waits.ts";
import type { Xvfb } from "./xvfb.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

/**
 * Deno's cache: otherwise a program with its own home folder would fetch its packages and parse its source
 * again, which takes seconds.
 */
const CACHE_DIR = Deno.env.get("DENO_DIR") ??
  join(Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "/tmp", ".cache"), "deno");

/** Options for starting a program. */
export interface ProgramOptions {
  /** Environment in addition to the test's own. */
  env?: Record<string, string>;
  /** Whether to omit the test's own environment. */
  clearEnv?: boolean;
  cwd?: string;
  /** The program's standard input: a pipe by default, or /dev/null. */
  stdin?: "null";
  /** An executable to run instead of the source. */
  executable?: string;
  /** The permissions of the source; defaults to all. */
  permissions?: string[];
  /** The user as whom the program runs; defaults to the test's own. */
  user?: UserOptions;
  /**
   * The Deno and source to use instead of the test's own, and the dynamic loader (ld.so(8)) that starts this
   * Deno, which then is the executable that the kernel names; none by default.
   */
  copy?: { runtime: string; main: string; loader?: string };
}

/** The result of a program. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** A running deskhand. `await using` stops it. */
export class Program {
  stdout = "";
  stderr = "";
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #drained: Promise<unknown>;
  /** A separate state folder, so that tests do not touch the user's own. */
  readonly stateFolder = Deno.makeTempDirSync({ prefix: "deskhand-test-" });

  constructor(args: string[], options: ProgramOptions = {}) {
    const { env, clearEnv, cwd, stdin, executable, permissions = ["-A"], user = {}, copy } = options;
    if (user.uid !== undefined) Deno.chownSync(this.stateFolder, user.uid, user.gid ?? null);
    const { runtime = Deno.execPath(), main = MAIN, loader = "" } = copy ?? {};
    const source = [loader, runtime, "run", ...permissions, main].filter(Boolean);
    const [command, ...allArgs] = [...executable ? [executable] : source, ...args];
    const isOwn = !executable && user.uid === undefined && Deno.build.os === "linux";
    const cache = isOwn ? { DENO_DIR: CACHE_DIR } : undefined;
    this.#child = new Deno.Command(command, {
      args: allArgs,
      env: { NO_COLOR: "1", XDG_STATE_HOME: this.stateFolder, ...cache, ...env },
      clearEnv,
      ...user,
      cwd: cwd ?? user.cwd,
      stdin: stdin ?? "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = stdin ? undefined : this.#child.stdin.getWriter();
    this.#drained = Promise.all([
      drain(this.#child.stdout, (text) => this.stdout += text),
      drain(this.#child.stderr, (text) => this.stderr += text),
    ]);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Types a line into its standard input. */
  async write(line: string): Promise<void> {
    await this.#input?.write(new TextEncoder().encode(line + "\n"));
  }

  /** Closes the program's standard input. */
  async endInput(): Promise<void> {
    await this.#input?.close().catch(() => {});
  }

  /**
   * Waits until the output contains a text.
   * @returns The match in standard output or else standard error.
   * @throws Error with everything printed, if it does not appear.
   */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const match = await until(
      () => pattern.exec(this.stdout) ?? pattern.exec(this.stderr),
      (match) => match !== null,
      () => `${pattern} was not printed:\n${this.stdout}\n${this.stderr}`,
    );
    return match!;
  }

  /** Waits for the control API; returns its address, such as `http://127.0.0.1:4000`. */
  async controlUrl(): Promise<string> {
    return `http://127.0.0.1:${(await this.printed(/^HTTP server started on port (\d+)$/m))[1]}`;
  }

  /** Waits for the file server; returns its address. */
  async filesUrl(): Promise<string> {
    return `http://127.0.0.1:${(await this.printed(/^File server started on port (\d+)/m))[1]}`;
  }

  /** Waits for the WebDriver server; returns its address. */
  async webdriverUrl(): Promise<string> {
    return `http://127.0.0.1:${(await this.printed(/^WebDriver server started on port (\d+)$/m))[1]}`;
  }

  /** Sends a signal. */
  kill(signal: Deno.Signal = "SIGTERM"): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has already exited.
    }
  }

  /** Waits until the program exits. */
  async ended(): Promise<Ended> {
    const { code } = await waiting("the end of deskhand", this.#child.status);
    await this.#drained;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  async [Symbol.asyncDispose]() {
    this.kill("SIGKILL");
    await this.endInput();
    await this.ended();
    await removeBusy(this.stateFolder); // programs that it started may still write there
  }
}

/**
 * Runs deskhand until it exits.
 * @param input Its standard input.
 */
export async function run(args: string[], input = "", options: ProgramOptions = {}): Promise<Ended> {
  await using program = new Program(args, options);
  if (input) await program.write(input.replace(/\n$/, ""));
  await program.endInput();
  return await program.ended();
}

async function drain(stream: ReadableStream<Uint8Array<ArrayBuffer>>, add: (text: string) => void) {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) add(text);
}

// The prompt on a terminal that belongs to another user, as after su and sudo.

/** Commands that start a shell as the user nobody on root's terminal. */
export const FOREIGN_SHELLS = [
  "su -s /bin/sh nobody",
  "su - -s /bin/sh nobody",
  "sudo -u nobody sh",
];

/**
 * Starts deskhand there, types a line, queries the server, and edits, completes, repeats and pastes lines.
 * deskhand restores the terminal's modes, and exits with the terminal.
 * @param shell A command in {@linkcode FOREIGN_SHELLS}.
 * @param command Starts deskhand with a control API on any port. The user must be allowed to run it.
 */
export async function usePromptOn(shell: string, command: string): Promise<void> {
  await using terminal = await Terminal.open(shell);
  await terminal.shows(/[$#] *$/m);
  await terminal.line(`stty sane; PS1=shell:; clear`);
  await terminal.shows(/^shell:$/m);
  await terminal.line(command);
  const healthy = healthOf(await terminal.shows(/port \d+$[^]*^>$/m));
  await terminal.line("g");
  await terminal.shows(/^> g\n640 360\n>$/m);
  await healthy();
  await terminal.keys("m10-2", "Left", "Left", "BSpace", "5", "End", "0", "Enter"); // m15-20
  await terminal.keys("Up", "Up", "Enter"); // g
  await terminal.shows(/^> m15-20\n> g\n15 20\n>$/m);
  await terminal.keys("hist", "Tab");
  await terminal.shows(/^> history$/m);
  await healthy(); // in the middle of a line
  await terminal.keys("C-c");
  await terminal.paste("m1-2\ng\nm3-4\ng\n");
  await terminal.shows(/^> m1-2\n> g\n1 2\n> m3-4\n> g\n3 4\n>$/m);
  await healthy();
  await terminal.keys("C-d");
  await terminal.shows(/^shell:(?:$|sh: turning off NDELAY)/m); // Deno 2.7.11 makes the terminal non-blocking
  await terminal.line("stty -a | tr ' ' '\\n' | grep -x -e echo -e icanon -e isig | sort | xargs");
  await terminal.shows(/^echo icanon isig$/m);
  await terminal.line(`clear; ${command}`);
  const alive = healthOf(await terminal.shows(/port \d+$[^]*^>$/m));
  await terminal.hangUp();
  await until(() => alive().then(() => false, (error) => error instanceof TypeError));
}

/** Checks that the server named on a screen responds; rejects if nothing is listening. */
function healthOf(screen: string): () => Promise<void> {
  const [, port] = /port (\d+)/.exec(screen)!;
  return async () => {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(60_000) });
    assertEquals([response.status, await response.json()], [200, { ok: true }]);
  };
}

// A program on an X server that records the received text.

/** An xterm that fills the screen and writes the received text to a file. */
export async function typewriter(server: Xvfb) {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/received`;
  const xterm = server.spawn(
    "xterm",
    "-u8",
    "-geometry",
    "200x50+0+0",
    "-e",
    "sh",
    "-c",
    `stty raw -echo; echo ready >${folder}/ready; exec dd bs=1 of=${file} 2>/dev/null`,
  );
  await until(() => Deno.stat(`${folder}/ready`).then(({ isFile }) => isFile, () => false));
  await server.window("--class", "xterm");
  await server.run("xdotool", "mousemove", "200", "200");
  return {
    pid: xterm.pid,
    received: () => Deno.readTextFile(file).catch(() => ""),
    async [Symbol.asyncDispose]() {
      await xterm[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Waits until a typewriter has received exactly a text. */
export async function receives(received: () => Promise<string>, text: string) {
  // Compares the whole text, because its last character may be half written.
  await until(received, (all) => all === text);
}

/** Ports below those that systems give to programs that ask for any (Linux and IANA: from 32768 and 49152). */
const OWN_PORTS = { first: 20_000, count: 12_000 } as const;

/** A free port that no other test takes before a program that must be given its port. */
export function freePort(): number {
  const port = OWN_PORTS.first + Math.floor(Math.random() * OWN_PORTS.count);
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return port;
  } catch {
    return freePort();
  }
}

// Texts that arrive complete on every desktop.

/** More characters without keys than X11 has spare keycodes, or a Wayland keymap has keys. */
export const MANY = Array.from({ length: 60 }, (_, i) => String.fromCodePoint(0x4e00 + i * 7)).join("");

/** Texts by kind. */
export const TYPED_TEXTS: [name: string, text: string][] = [
  ["plain ASCII", " !\"#$%&'()*+,-./0123456789:;<=>?@AZ[\\]^_`az{|}~"],
  ["any script", "héllo €5 漢字 😀 Привет ñ ß שלום"],
  ["the same characters again", "ééé😀😀é"],
  ["more than there are spare keys", MANY + "end" + MANY],
];

// Describes the state of an unresponsive process, for the message of a failing test.

/**
 * Describes the threads and children of a process: names, states (proc(5)), the kernel function in which each
 * thread waits, as far as this user may see it, and ticks of CPU time, in user and kernel mode.
 * @param pid The process.
 * @returns One line for each.
 */
export function threadsOf(pid: number): string {
  const tasks = `/proc/${pid}/task`;
  const threads = namesIn(tasks).map((tid) => `thread ${tid}: ${describe(join(tasks, tid))}`);
  const children = textOf(`${tasks}/${pid}/children`).split(" ").filter(Boolean);
  return [...threads, ...children.map((child) => `child ${child}: ${describe(`/proc/${child}`)}`)].join("\n");
}

function describe(folder: string): string {
  // The name is in parentheses and may itself contain parentheses and spaces.
  const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(textOf(`${folder}/stat`)) ?? ["", "ended", ""];
  const [state, ...fields] = rest.split(" ");
  return `${name}, state ${state}, in ${textOf(`${folder}/wchan`)}, ticks ${fields[10]} and ${fields[11]}`;
}

function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch {
    return []; // it has exited
  }
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch {
    return "";
  }
}

/** Counts the Workers that code starts on this thread, which is blocked during each start. */
export async function workersStarted(code: () => Promise<unknown>): Promise<number> {
  const original = globalThis.Worker;
  let count = 0;
  globalThis.Worker = class extends original {
    constructor(...args: ConstructorParameters<typeof original>) {
      super(...args);
      count++;
    }
  };
  try {
    await code();
  } finally {
    globalThis.Worker = original;
  }
  return count;
}
