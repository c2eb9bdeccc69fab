/** The lines that were typed at the prompt, kept between starts. */

import { replaceFile } from "../../core/replace_file.ts";
import { readSmallFile } from "../../core/bytes.ts";
import { checkOwn, closeToOthers, stateFile } from "../../core/state_dir.ts";
import { COMMANDS } from "./commands.ts";

/** The number of lines that are remembered. */
export const HISTORY_LIMIT = 1000;
/** Longer lines are forgotten at the end of the program, in characters. */
const LINE_LIMIT = 500;
/** The largest history file that is read, in bytes. It grows beyond twice the limits in a single start only. */
const FILE_LIMIT = 4 * HISTORY_LIMIT * LINE_LIMIT;

/**
 * Tells whether a line is kept between starts. Commands are kept, except those with text (`t`), which may be a
 * password, or with a word that looks like a token. A line that is no command may be a password typed at the wrong
 * prompt.
 */
export function isKept(line: string): boolean {
  const text = line.trim();
  if (text.length > LINE_LIMIT || text.split(/\s+/).some(isTokenLike)) return false;
  return COMMANDS.some(({ pattern, usage }) => pattern.test(text) && !usage.includes("<text>"));
}

/** Tokens are 16 characters or more, letters and digits among them; a name with a file's ending is no token. */
function isTokenLike(word: string): boolean {
  return /^[\w.~+/=-]{16,}$/.test(word) && /\d/.test(word) && /[a-z]/i.test(word) &&
    !/\.[a-z]{2,4}$/i.test(word);
}

/** The lines of this start and of earlier starts. */
export class History {
  /** Newest first. */
  readonly lines: string[] = [];

  /**
   * @param file The file of the lines, which belongs to this user; without a file the lines are lost at the end of the
   * program.
   */
  constructor(readonly file?: string) {
    if (file === undefined) return;
    const lines = readSmallFile(file, FILE_LIMIT).split("\n").filter(isKept);
    this.lines = lines.slice(-HISTORY_LIMIT).reverse();
    if (lines.length > HISTORY_LIMIT) {
      replaceFile(file, lines.slice(-HISTORY_LIMIT).map((line) => line + "\n").join(""), 0o600);
    }
  }

  /** Adds a line, unless the newest line is the same. */
  add(line: string): void {
    if (line.trim() === "" || line === this.lines[0]) return;
    this.lines.unshift(line);
    this.lines.length = Math.min(this.lines.length, HISTORY_LIMIT);
    if (this.file === undefined || !isKept(line)) return;
    try {
      Deno.writeTextFileSync(this.file, line + "\n", { append: true });
    } catch {
      // A full disk is no reason to stop the prompt.
    }
  }
}

/**
 * Opens the history in the user's state folder, in a file that only this user can read.
 * @param notice Gets a line for the user if it cannot be kept there.
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
