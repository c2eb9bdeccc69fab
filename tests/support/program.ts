/** Runs deskhand as a user does: as a process of its own, seen only from outside. */

import { fromFileUrl } from "@std/path";
import type { UserOptions } from "./ordinary_user.ts";
import { until } from "./until.ts";
import { waiting } from "./waits.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

/** The options of a program's start. */
export interface ProgramOptions {
  /** Environment beside the test's own. */
  env?: Record<string, string>;
  /** Leaves the test's own environment out. */
  clearEnv?: boolean;
  cwd?: string;
  /** The program's standard input: a pipe if left out, or /dev/null. */
  stdin?: "null";
  /** An executable to run in place of the source. */
  executable?: string;
  /** The permissions of the source; all if left out. */
  permissions?: string[];
  /** The user as whom the program runs; the test's own if left out. */
  user?: UserOptions;
  /** The Deno and the source to use in place of the test's own. */
  copy?: { runtime: string; main: string };
}

/** The end of a program. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** A running deskhand. `await using` ends it. */
export class Program {
  stdout = "";
  stderr = "";
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #drained: Promise<unknown>;
  /** Tests leave the user's own state alone. */
  readonly stateFolder = Deno.makeTempDirSync({ prefix: "deskhand-test-" });

  constructor(args: string[], options: ProgramOptions = {}) {
    const { env, clearEnv, cwd, stdin, executable, permissions = ["-A"], user = {}, copy } = options;
    if (user.uid !== undefined) Deno.chownSync(this.stateFolder, user.uid, user.gid ?? null);
    const command = executable ?? copy?.runtime ?? Deno.execPath();
    const allArgs = executable ? args : ["run", ...permissions, copy?.main ?? MAIN, ...args];
    this.#child = new Deno.Command(command, {
      args: allArgs,
      env: { NO_COLOR: "1", XDG_STATE_HOME: this.stateFolder, ...env },
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

  /** Ends the program's standard input. */
  async endInput(): Promise<void> {
    await this.#input?.close().catch(() => {});
  }

  /**
   * Waits until the output has a text.
   * @returns The match in standard output followed by standard error.
   * @throws Error with everything printed, when it does not come.
   */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const match = await until(
      () => pattern.exec(this.stdout) ?? pattern.exec(this.stderr),
      (match) => match !== null,
      () => `${pattern} was not printed:\n${this.stdout}\n${this.stderr}`,
    );
    return match!;
  }

  /** Waits for the control API; gives its address, such as `http://127.0.0.1:4000`. */
  async controlUrl(): Promise<string> {
    return `http://127.0.0.1:${(await this.printed(/^HTTP server started on port (\d+)$/m))[1]}`;
  }

  /** Waits for the file server; gives its address. */
  async filesUrl(): Promise<string> {
    return `http://127.0.0.1:${(await this.printed(/^File server started on port (\d+)/m))[1]}`;
  }

  /** Sends a signal. */
  kill(signal: Deno.Signal = "SIGTERM"): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended by itself.
    }
  }

  /** Waits for the program's end. */
  async ended(): Promise<Ended> {
    const { code } = await waiting("the end of deskhand", this.#child.status);
    await this.#drained;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  async [Symbol.asyncDispose]() {
    this.kill("SIGKILL");
    await this.endInput();
    await this.ended();
    await Deno.remove(this.stateFolder, { recursive: true });
  }
}

/**
 * Runs deskhand to its end.
 * @param input Its standard input.
 */
export async function run(args: string[], input = "", options: ProgramOptions = {}): Promise<Ended> {
  await using program = new Program(args, options);
  if (input) await program.write(input.replace(/\n$/, ""));
  await program.endInput();
  return await program.ended();
}

async function drain(stream: ReadableStream<Uint8Array>, add: (text: string) => void) {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) add(text);
}
