/** The state of a chain: the words that are left, the window stack, the last place of the pointer. */

import { intOf, longOf } from "./numbers.ts";
import type { Printer } from "./output.ts";
import type { Location, Target } from "./target.ts";

/** Means of a command. */
export class Context {
  /** Windows that the last command found. */
  windows: readonly number[] = [];
  /** The place of the pointer before `mousemove`. */
  lastPlace: Location | undefined;
  /** Tells whether a later `mousemove restore` may need the pointer's earlier place. */
  mayRestore = true;
  /** Tells that the words are the whole run: no line of a script, and no chain that runs at an event. */
  isWhole = false;

  /**
   * @param program The name by which the program was started.
   * @param run Runs a chain.
   * @param words The words that are left, the present command first.
   */
  constructor(
    readonly program: string,
    readonly target: Target,
    public print: Printer,
    readonly isCommand: (word: string) => boolean,
    readonly run: (chain: Context) => Promise<number>,
    public words: readonly string[],
  ) {}

  /** Takes words away from the beginning. */
  consume(count: number): void {
    this.words = this.words.slice(count);
  }

  /** A chain with other windows, and with the words that are left now. */
  copy(windows: readonly number[]): Context {
    const copy = new Context(this.program, this.target, this.print, this.isCommand, this.run, this.words);
    copy.windows = windows;
    copy.lastPlace = this.lastPlace;
    copy.mayRestore = this.mayRestore;
    return copy;
  }

  /** Prints results that only the last command of a chain prints. */
  printLast(text: string): void {
    if (!this.words.length) this.print.out(text);
  }

  /**
   * Takes the word that names a window, if it is there.
   * @param needed How many words must follow it.
   * @returns `%1` if the word is left out; undefined, with a message printed, if words or windows are missing.
   */
  windowWord(needed: number): string | undefined {
    const { words, print } = this;
    if (words.length < needed) {
      print.err(`Too few arguments (got ${words.length}, minimum is ${needed})`);
      return undefined;
    }
    let word = "%1";
    if (words.length > needed && !this.isCommand(words[needed])) {
      word = words[0];
      this.consume(1);
    }
    if (this.#isValid(word)) return word;
    print.err(`Invalid window '${word}'`);
    return undefined;
  }

  #isValid(word: string): boolean {
    const { windows, print } = this;
    if (!word.startsWith("%") || word === "%@" && windows.length) return true;
    if (!windows.length) {
      print.err("There are no windows in the stack");
      return false;
    }
    if (word === "%") {
      print.err(`Invalid window stack selection '${word}'`);
      return false;
    }
    if (word[1] === "@") return true;
    const index = intOf(word.slice(1));
    if (index !== 0 && Math.abs(index - 1) < windows.length) return true;
    print.err(`Invalid window stack selection '${word}' (out of range)`);
    return false;
  }

  /**
   * The windows that a word names: `%1`, `%-1`, `%@` or a number.
   * @param word undefined stands for the window that has the keyboard.
   * @returns None, with a message printed, if the stack lacks them.
   */
  windowsOf(word: string | undefined): readonly number[] {
    if (word === undefined) return [0];
    if (!word.startsWith("%")) return [longOf(word)];
    const { windows, print } = this;
    if (!windows.length) {
      print.err("There are no windows on the stack, Can't continue.");
      return [];
    }
    if (word === "%") {
      print.err(`Invalid window selection '${word}'`);
      return [];
    }
    if (word[1] === "@") return windows;
    if ("qrc".includes(word[1])) return [];
    const given = intOf(word.slice(1)), index = given < 0 ? windows.length + given : given;
    if (index > 0 && index <= windows.length) return [windows[index - 1]];
    print.err(`${index} is out of range (only ${windows.length} windows in list)`);
    return [];
  }
}
