/**
 * The prompt on a terminal: editing, history, search and completion. node:readline edits the line; this
 * module feeds it the keys, so that pasted lines run one at a time.
 */

import { attempt } from "../../core/errors.ts";
import type { Interface, Key } from "node:readline";
import { JOB } from "../../core/job.ts";
import { nodeModule } from "../../core/path.ts";
import { keepClearOf, terminalColumns, writeTyped } from "../../core/output.ts";
import { isImmediate } from "./commands.ts";
import { complete, type Person, type Shell } from "./shell.ts";
import {
  type EditedLine,
  type History,
  HISTORY_LIMIT,
  KeyQueue,
  type KeyReceiver,
  type Press,
  ReverseSearch,
} from "./history.ts";
import type { EventEmitter } from "node:events";

const PROMPT = "> ";

/**
 * Reads from a terminal until the person leaves. Ctrl-C cancels the running line, then clears the typed line, then
 * leaves; Ctrl-D leaves.
 */
export async function readTerminal(shell: Shell, history: History): Promise<void> {
  const streams = terminalStreams(), { input } = streams;
  const prompt = new TerminalPrompt(shell, history, streams);
  const queue = new KeyQueue(prompt);
  prompt.onLineEnd = () => queue.resume();
  const onData = () => queue.beginChunk();
  const onKey = (text: string | undefined, key: Key) => queue.add({ text, key });
  const onEnd = () => prompt.close();
  input.on("data", onData); // runs before the listener that converts data to keys
  nodeModule("node:readline").emitKeypressEvents(input as unknown as NodeJS.ReadableStream, prompt.lines);
  input.on("keypress", onKey).on("end", onEnd);
  using _job = JOB.follow({
    stopped: () => input.setRawMode(false),
    continued: () => prompt.continue(input),
  });
  prompt.onStop = () => JOB.stopGroup(); // in raw mode, Ctrl-Z is a key
  using _ = keepClearOf(prompt);
  await prompt.left;
  queue.clear();
  input.off("data", onData).off("keypress", onKey).off("end", onEnd);
}

class TerminalPrompt implements KeyReceiver {
  readonly lines: Interface;
  readonly #keys = new (nodeModule("node:events").EventEmitter)();
  readonly #output: TerminalOutput;
  readonly #edited: EditedLine;
  readonly #search: ReverseSearch;
  readonly #left = Promise.withResolvers<void>();
  #turn = Promise.resolve();
  /** Number of lines running or queued: the prompt is shown again after the last of them. */
  #unfinished = 0;
  /** Answers the open question, if any, with no. */
  #refuse: (() => void) | undefined;
  #isClosed = false;
  /** Whether the program is about to stop, or the terminal is still in the shell's mode, in which it echoes. */
  #isStopped = false;
  /** Called when a line has run and the prompt is shown. */
  onLineEnd = () => {};
  /** Called on Ctrl-Z; returns whether the program was stopped. */
  onStop = () => Promise.resolve(false);

  constructor(readonly shell: Shell, readonly history: History, { input, output }: TerminalStreams) {
    this.#output = output;
    this.lines = nodeModule("node:readline").createInterface({
      input: this.#inputOf(input),
      output: output as unknown as NodeJS.WritableStream,
      terminal: true,
      prompt: PROMPT,
      historySize: HISTORY_LIMIT,
      history: [...history.lines],
      completer: (line: string, done: (error: null, completion: [string[], string]) => void) =>
        void complete(line).then((completion) => done(null, completion)),
    });
    this.#edited = this.#editedLine();
    this.#search = new ReverseSearch(this.#edited, history.lines);
    this.lines.on("line", (line) => this.#entered(line));
    this.lines.on("SIGINT", () => this.#interrupted());
    this.lines.on("SIGTSTP", () => this.#stop());
    this.lines.on("history", (lines) => {
      if (this.isAsking()) lines.shift(); // an answer is not a command
    });
    this.lines.prompt();
  }

  /** Resolves once the person has left. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  press(press: Press): void {
    const { key, text } = press;
    if (this.#search.press(press)) return;
    if (key.ctrl && key.name === "d" && this.lines.line === "") this.#leave();
    else this.#keys.emit("keypress", text, key);
  }

  isBusy(): boolean {
    return this.#unfinished > 0;
  }

  isAsking(): boolean {
    return this.#refuse !== undefined;
  }

  /** Number of terminal rows that the line occupies above the cursor; undefined if no line is shown. */
  rowsAbove(): number | undefined {
    const isShown = !this.#isClosed && (!this.isBusy() || this.isAsking() || this.lines.line !== "");
    return isShown ? this.lines.getCursorPos().rows : undefined;
  }

  redraw(): void {
    this.lines.prompt(true);
  }

  /** Takes over the terminal again after Ctrl-Z. */
  continue(input: TerminalInput): void {
    if (this.#isClosed) return;
    this.#isStopped = false;
    input.setRawMode(true);
    if (this.rowsAbove() !== undefined) this.redraw();
  }

  /** Ends the prompt. An open question is answered with no, and its command ends first. */
  close(): void {
    if (this.#isClosed) return;
    if (this.rowsAbove() !== undefined) this.#output.write("\n");
    this.#isClosed = true;
    this.lines.close();
    const refuse = this.#refuse;
    refuse?.();
    if (refuse) this.#turn.then(this.#left.resolve);
    else this.#left.resolve();
  }

  /** The input of node:readline in place of the terminal: the keys that this prompt passes on. */
  #inputOf(input: TerminalInput): NodeJS.ReadableStream {
    return Object.assign(this.#keys, {
      resume: () => input.resume(),
      pause: () => input.pause(),
      setRawMode: (isRaw: boolean) => input.setRawMode(isRaw),
    }) as unknown as NodeJS.ReadableStream;
  }

  #editedLine(): EditedLine {
    const { lines } = this;
    return {
      prompt: PROMPT,
      get text() {
        return lines.line;
      },
      show(prompt, text) {
        lines.setPrompt(prompt);
        lines.write(null, { ctrl: true, name: "e" });
        lines.write(null, { ctrl: true, name: "u" });
        lines.write(text);
        lines.prompt(true);
      },
    };
  }

  #entered(line: string) {
    this.history.add(line);
    if (this.shell.busy && isImmediate(line)) return void this.shell.run(line, "", this.#person);
    this.#unfinished++;
    this.#turn = this.#turn.then(async () => {
      const outcome = await this.shell.run(line, "", this.#person);
      if (this.#isClosed) return;
      if (outcome === "quit" && await this.shell.mayLeave()) return this.close();
      this.#unfinished--;
      if (!this.#unfinished && !this.#isStopped) this.redraw();
      this.onLineEnd();
    });
  }

  readonly #person: Person = {
    confirm: (question, signal) => this.#confirm(question, signal),
    isWaiting: () => this.#unfinished === 1,
  };

  readonly #confirm = (question: string, signal: AbortSignal): Promise<boolean> => {
    const refused = new AbortController();
    return new Promise<boolean>((resolve, reject) => {
      this.#refuse = () => {
        refused.abort();
        resolve(false);
      };
      signal.addEventListener("abort", () => reject(signal.reason));
      this.lines.question(
        `${question} [y/N] `,
        { signal: AbortSignal.any([signal, refused.signal]) },
        (answer) => resolve(/^y(es)?$/i.test(answer.trim())),
      );
    }).finally(() => this.#refuse = undefined);
  };

  #interrupted() {
    if (this.shell.cancel()) return;
    if (this.lines.line) this.#edited.show(PROMPT, "");
    else this.#leave();
  }

  async #stop() {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#isStopped = await this.onStop();
  }

  /**
   * Leaves the prompt, unless a recording would be lost and the person has not been warned yet. An open
   * question is first answered with no.
   */
  async #leave() {
    if (this.#refuse) {
      this.#refuse();
      await this.#turn;
    }
    if (!this.#isClosed && await this.shell.mayLeave()) this.close();
  }
}

// The terminal as node:readline reads and writes it. Node's own streams reopen the terminal. If that fails,
// because the terminal belongs to another user (su, sudo), Deno 2.9.6 reads the terminal on the main thread,
// which then answers no requests between two keys. This does not occur on Windows, where only Node's streams
// read the console in Unicode.

/** Emits `data` with the bytes of each chunk, and `end`. */
interface TerminalInput extends EventEmitter {
  /** Sets raw mode, in which every key arrives immediately, without echo, and Ctrl-C is a key. */
  setRawMode(isRaw: boolean): void;
  resume(): void;
  pause(): void;
}

/** Emits `resize`. */
interface TerminalOutput extends EventEmitter {
  readonly columns: number;
  write(text: string, done?: () => void): void;
}

/** Both directions of one terminal. */
interface TerminalStreams {
  input: TerminalInput;
  output: TerminalOutput;
}

/** Standard input, read without blocking the thread while nothing is typed, and standard output. */
function terminalStreams(): TerminalStreams {
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
  attempt(() => Deno.stdin.setRaw(isRaw)); // a closed terminal has no modes
}

async function emitChunks(input: EventEmitter): Promise<void> {
  const { Buffer } = nodeModule("node:buffer");
  try {
    for await (const chunk of Deno.stdin.readable) input.emit("data", Buffer.from(chunk));
  } catch (error) {
    if (error instanceof Deno.errors.WouldBlock) return passOn(nodeModule("node:process").stdin, input);
    // A terminal that has closed has no more input.
  }
  input.emit("end");
}

/**
 * Passes on the input of Node's stream, which waits for input even if another program, or Deno 2.7.11 at its
 * start, made the terminal non-blocking.
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
