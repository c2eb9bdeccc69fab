/**
 * The terminal as node:readline reads and writes it.
 *
 * Node's own streams open the terminal again. Where that fails, since the terminal belongs to another user (su, sudo),
 * Deno 2.9.6 reads the terminal on the main thread, which then answers no requests between two keys. Windows has no
 * such case, and its console is read in Unicode by Node's streams alone.
 */

import type { EventEmitter } from "node:events";
import { nodeModule } from "../../core/path.ts";
import { terminalColumns, writeTyped } from "../../core/output.ts";
import { readProc } from "../../core/proc.ts";

/** Emits `data` with the bytes of each chunk, and `end`. */
export interface TerminalInput extends EventEmitter {
  /** Sets raw mode, in which every key arrives at once, unechoed, and Ctrl-C is a key. */
  setRawMode(isRaw: boolean): void;
  resume(): void;
  pause(): void;
}

/** Emits `resize`. */
export interface TerminalOutput extends EventEmitter {
  readonly columns: number;
  write(text: string, done?: () => void): void;
}

/** Both directions of one terminal. */
export interface TerminalStreams {
  input: TerminalInput;
  output: TerminalOutput;
}

/** Standard input, read so that the thread goes on while nothing is typed, and standard output. */
export function terminalStreams(): TerminalStreams {
  if (Deno.build.os === "windows") {
    const { stdin, stdout } = nodeModule("node:process");
    return { input: stdin, output: stdout };
  }
  return { input: standardInput(), output: standardOutput() };
}

function emitter(): EventEmitter {
  return new (nodeModule("node:events").EventEmitter)();
}

function standardInput(): TerminalInput {
  const input: TerminalInput = Object.assign(emitter(), { setRawMode, resume() {}, pause() {} });
  void emitChunks(input);
  return input;
}

function setRawMode(isRaw: boolean): void {
  try {
    Deno.stdin.setRaw(isRaw);
  } catch {
    // A terminal that is gone has no modes.
  }
}

async function emitChunks(input: EventEmitter): Promise<void> {
  const { Buffer } = nodeModule("node:buffer");
  try {
    for await (const chunk of Deno.stdin.readable) input.emit("data", Buffer.from(chunk));
  } catch (error) {
    if (error instanceof Deno.errors.WouldBlock) return passOn(nodeModule("node:process").stdin, input);
    // A terminal that is gone has no more input.
  }
  input.emit("end");
}

/**
 * Passes the input of Node's stream on, which waits for input also where another program, or Deno 2.7.11 at its start,
 * made the terminal non-blocking.
 */
function passOn(stdin: EventEmitter, input: EventEmitter): void {
  stdin.on("data", (chunk) => input.emit("data", chunk)).on("end", () => input.emit("end"));
}

function standardOutput(): TerminalOutput {
  const output = Object.assign(emitter(), {
    columns: terminalColumns() ?? Infinity,
    write(text: string, done?: () => void) {
      writeTyped(text);
      done?.();
    },
  });
  Deno.addSignalListener("SIGWINCH", () => {
    output.columns = terminalColumns() ?? Infinity;
    output.emit("resize");
  });
  return output;
}

// Ctrl-Z. In raw mode it is a key; the terminal's driver would stop the whole process group, which the shell knows as a
// job: this program and what started it, such as npm and `deno task`.

/** The whole process group of this program, as kill(2) names it. */
const OWN_GROUP = 0;

/** Stops and continues the program as the shell's job. */
export class Job {
  readonly #onContinue = () => {
    if (isForeground()) this.continued();
  };
  /** `bg` continues the program, and its read stops it again: `deno task`, which catches SIGTTIN, would go on alone. */
  readonly #onBackgroundRead = () => {
    if (!isForeground()) Deno.kill(OWN_GROUP, "SIGSTOP");
  };

  /** @param continued Called when the program has the terminal again; the terminal's mode is the shell's then. */
  constructor(readonly continued: () => void) {
    if (Deno.build.os === "windows") return;
    Deno.addSignalListener("SIGCONT", this.#onContinue);
    Deno.addSignalListener("SIGTTIN", this.#onBackgroundRead);
  }

  /**
   * Stops the process group, if a shell would continue it. Sends SIGSTOP, since `deno task` catches SIGTSTP and sends it
   * to its child a second time, at times only after the group goes on.
   * @returns Whether it has been stopped: `continued` will be called.
   */
  stop(input: TerminalInput): boolean {
    if (!hasShell()) return false;
    input.setRawMode(false);
    Deno.kill(OWN_GROUP, "SIGSTOP");
    return true;
  }

  [Symbol.dispose]() {
    if (Deno.build.os === "windows") return;
    Deno.removeSignalListener("SIGCONT", this.#onContinue);
    Deno.removeSignalListener("SIGTTIN", this.#onBackgroundRead);
  }
}

/** The fields of /proc/PID/stat behind the name (proc_pid_stat(5)). */
function statOf(pid: number | "self") {
  const [, parent, group, session, , foreground] = readProc(`${pid}/stat`).split(")").at(-1)!.trim().split(
    " ",
  );
  return { parent: Number(parent), group, session, foreground };
}

/** Whether this process group has the terminal, and may read it and set its mode. */
function isForeground(): boolean {
  const { group, foreground } = statOf("self");
  return group === foreground;
}

/**
 * Whether a process of the same session but another group, such as a shell, started the group and can continue it. The
 * system ignores SIGTSTP where there is none (POSIX: an orphaned process group), but not SIGSTOP.
 */
function hasShell(): boolean {
  const own = statOf("self");
  for (let pid = own.parent; pid > 1;) {
    const ancestor = statOf(pid);
    if (ancestor.session !== own.session) return false;
    if (ancestor.group !== own.group) return true;
    pid = ancestor.parent;
  }
  return false;
}
