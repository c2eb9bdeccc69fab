/**
 * The terminal as node:readline reads and writes it.
 *
 * Node's own streams open the terminal anew. Where that fails, since the terminal belongs to another user (su, sudo),
 * Deno 2.9.6 reads the terminal on the main thread, which then answers no requests between two keys. Windows has no
 * such case, and its console is read in Unicode by Node's streams alone.
 */

import type { EventEmitter } from "node:events";
import { nodeModule } from "../../core/path.ts";
import { terminalColumns, writeTyped } from "../../core/output.ts";

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
