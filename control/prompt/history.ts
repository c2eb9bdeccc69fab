/** The lines typed at the prompt, stored between sessions. */

import { attempt } from "../../core/errors.ts";
import type { Key } from "node:readline";
import { readSmallFile } from "../../core/bytes.ts";
import {
  askState,
  checkOwn,
  closeToOthers,
  isStateSilent,
  replaceFile,
  stateFile,
} from "../../core/state_files.ts";
import { COMMANDS } from "./commands.ts";

/** Maximum number of remembered lines. */
export const HISTORY_LIMIT = 1000;
/** Maximum length of a line stored after the program ends, in characters. */
const LINE_LIMIT = 500;
/** Maximum size of a history file, in bytes. It exceeds twice the limits only within a single session. */
const FILE_LIMIT = 4 * HISTORY_LIMIT * LINE_LIMIT;

/**
 * Whether a line is stored between sessions. Commands are stored, except those with text (`t`), which may be
 * a password, or with a word that looks like a token. A line that is not a command may be a password typed at
 * the wrong prompt.
 */
export function isKept(line: string): boolean {
  const text = line.trim();
  if (text.length > LINE_LIMIT || text.split(/\s+/).some(isTokenLike)) return false;
  return COMMANDS.some(({ pattern, usage }) => pattern.test(text) && !usage.includes("<text>"));
}

/**
 * Tokens have 16 or more characters, including letters and digits; a name with a file extension is not a
 * token.
 */
function isTokenLike(word: string): boolean {
  return /^[\w.~+/=-]{16,}$/.test(word) && /\d/.test(word) && /[a-z]/i.test(word) &&
    !/\.[a-z]{2,4}$/i.test(word);
}

/** The lines of this and earlier sessions. */
export class History {
  /** Newest first. */
  readonly lines: string[] = [];

  /**
   * @param file The file of the lines, which belongs to this user; without one, the lines are lost when the
   * program ends.
   */
  constructor(readonly file?: string) {
    if (file === undefined) return;
    const lines = readSmallFile(file, FILE_LIMIT).split("\n").filter(isKept);
    this.lines = lines.slice(-HISTORY_LIMIT).reverse();
    if (lines.length > HISTORY_LIMIT) {
      replaceFile(file, lines.slice(-HISTORY_LIMIT).map((line) => line + "\n").join(""), 0o600);
    }
  }

  /**
   * Adds a line unless it equals the newest one.
   * @returns Resolves once it is stored; undefined if there is nothing to wait for.
   */
  add(line: string): Promise<void> | undefined {
    if (line.trim() === "" || line === this.lines[0]) return;
    this.lines.unshift(line);
    this.lines.length = Math.min(this.lines.length, HISTORY_LIMIT);
    const { file } = this;
    if (file === undefined || !isKept(line)) return;
    const write = () => {
      // A full disk is no reason to stop the prompt.
      if (!isStateSilent()) attempt(() => Deno.writeTextFileSync(file, line + "\n", { append: true }));
    };
    const asked = askState();
    return asked ? asked.then(write) : write() as undefined;
  }
}

/**
 * Opens the history in the user's state folder, in a file that only this user can read.
 * @param notice Receives a message for the user if it cannot be stored there.
 */
export function openHistory(notice: (text: string) => void): History {
  try {
    return new History(ownFile());
  } catch (error) {
    notice(`the history of the prompt is not kept: ${(error as Error).message}`);
    return new History();
  }
}

function ownFile(): string {
  const file = stateFile("history");
  try {
    Deno.openSync(file, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  closeToOthers(file, checkOwn(file, "file"));
  return file;
}

// Ctrl-R: searches the history for a line.

export interface EditedLine {
  readonly text: string;
  /** Replaces the text and shows it after a prompt. */
  show(prompt: string, text: string): void;
  /** The normal prompt. */
  readonly prompt: string;
}

/** A search through the history, from the newest line to the oldest. */
export class ReverseSearch {
  /** The text to search for; undefined if no search is in progress. */
  #query: string | undefined;
  #before = "";
  #at = 0;

  /** @param history Lines, newest first. */
  constructor(readonly line: EditedLine, readonly history: readonly string[]) {}

  /**
   * Handles a key if a search is in progress or the key starts one. Ctrl-R goes to the next older match;
   * Escape and Ctrl-G restore the line; any other key that types nothing ends the search and has its usual
   * effect.
   * @returns false if the editor must handle the key.
   */
  press({ text, key }: Press): boolean {
    const isCtrl = (name: string) => key.ctrl === true && key.name === name;
    if (this.#query === undefined) {
      if (!isCtrl("r")) return false;
      this.#before = this.line.text;
      this.#query = "";
      this.#at = -1;
      this.#show(true);
      return true;
    }
    if (isCtrl("r")) this.#find(this.#at + 1);
    else if (key.name === "backspace") this.#edit(this.#query.slice(0, -1));
    else if (key.name === "escape" || isCtrl("g") || isCtrl("c")) this.#end(this.#before);
    else if (text && !key.ctrl && !key.meta && key.name !== "return" && key.name !== "tab" && text >= " ") {
      this.#edit(this.#query + text);
    } else {
      this.#end(this.line.text);
      return false;
    }
    return true;
  }

  #edit(query: string) {
    this.#query = query;
    this.#find(0);
  }

  #find(from: number) {
    const query = this.#query!;
    const at = this.history.findIndex((line, index) => index >= from && line.includes(query));
    const isFound = query !== "" && at >= 0;
    if (isFound) this.#at = at;
    this.#show(isFound || query === "");
  }

  #show(isFound: boolean) {
    const found = this.#at < 0 ? this.#before : this.history[this.#at];
    this.line.show(`(${isFound ? "search" : "not found"}: ${this.#query}) `, found);
  }

  #end(text: string) {
    this.#query = undefined;
    this.line.show(this.line.prompt, text);
  }
}

// Holds back pasted lines while earlier ones run, so that each is shown with its results.

/** A key as node:readline reports it: the text that it types, if any, and its name. */
export interface Press {
  text: string | undefined;
  key: Key;
}

/** Receives keys and decides where each one goes. */
export interface KeyReceiver {
  /** Handles a key. */
  press(press: Press): void;
  isBusy(): boolean;
  /** Whether the running line has asked the person a question. */
  isAsking(): boolean;
}

/** Passes input keys on, chunk by chunk. */
export class KeyQueue {
  #waiting: Press[] = [];
  /** Whether a line was entered in the current chunk: the rest of the chunk then belongs to a paste. */
  #enteredLine = false;

  constructor(readonly receiver: KeyReceiver) {}

  /** Starts a chunk: the bytes that the terminal sent together, which are one key or a paste. */
  beginChunk(): void {
    this.#enteredLine = false;
  }

  /**
   * Passes a key on, or holds it back. Keys typed while a line runs are passed on, so that they are visible,
   * and so that Ctrl-C, Ctrl-Z and `stop` work; only keys typed after a question count as its answer.
   */
  add(press: Press): void {
    const { receiver } = this;
    if (press.key.ctrl && press.key.name === "c") {
      this.clear();
      return receiver.press(press);
    }
    if (press.key.ctrl && press.key.name === "z") return receiver.press(press);
    const isTypedAnswer = receiver.isAsking() && !this.#enteredLine;
    const waits = this.#waiting.length > 0 || this.#enteredLine && receiver.isBusy();
    if (waits && !isTypedAnswer) this.#waiting.push(press);
    else this.#handOn(press);
  }

  /** Passes on the keys held back, up to the end of the next line that runs. */
  resume(): void {
    while (this.#waiting.length && !this.receiver.isBusy()) {
      const press = this.#waiting.shift()!;
      // A tab in pasted text is a character and completes nothing.
      this.#handOn(press.key.name === "tab" ? { ...press, key: { sequence: "\t" } } : press);
    }
  }

  /** Discards the keys held back. */
  clear(): void {
    this.#waiting = [];
  }

  #handOn(press: Press) {
    if (press.key.name === "return" || press.key.name === "enter") this.#enteredLine = true;
    this.receiver.press(press);
  }
}
