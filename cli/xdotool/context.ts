/** The state of a chain: the remaining words, the window stack, the last pointer position. */

import type { DesktopTarget, Location } from "./desktop_target.ts";
import { intOf, longOf, type Printer } from "./output.ts";

/** The context of a command. */
export class Context {
  /** Windows found by the last command. */
  windows: readonly number[] = [];
  /** The pointer position before `mousemove`. */
  lastPlace: Location | undefined;
  /** Whether a later `mousemove restore` may need the earlier pointer position. */
  mayRestore = true;
  /** Whether the words are the whole command line rather than a line of a script. */
  isWhole = false;

  /**
   * @param program The name by which the program was started.
   * @param words The remaining words, beginning with the current command.
   */
  constructor(
    readonly program: string,
    readonly target: DesktopTarget,
    readonly print: Printer,
    readonly isCommand: (word: string) => boolean,
    public words: readonly string[],
  ) {}

  /** Removes words from the beginning. */
  consume(count: number): void {
    this.words = this.words.slice(count);
  }

  /** Prints results that only the last command in a chain prints. */
  printLast(text: string): void {
    if (!this.words.length) this.print.out(text);
  }

  /**
   * Consumes the word that names a window, if there is one.
   * @param needed Minimum number of words that must follow it.
   * @returns `%1` if the word is omitted; undefined, with a message printed, if words or windows are missing.
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
   * @param word undefined stands for the focused window.
   * @returns An empty list, with a message printed, if they are not on the stack.
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

// Rows of the command table.

/** Given options: values by name; a flag's value is empty. */
export type Options = ReadonlyMap<string, string>;

export interface Command {
  name: string;
  /** The command's options; a command without options treats the words after it as commands. */
  options?: OptionTable;
  /** Option names by letter. A letter in the table without a name is rejected. */
  letters?: Readonly<Record<string, string>>;
  /**
   * Handles an option as soon as it is read.
   * @returns An exit code to end the command immediately.
   */
  given?(context: Context, option: string, value: string, usage: string): number | undefined;
  /** Prints the text that precedes the usage if an option is invalid. */
  wrong?(context: Context): void;
  /**
   * Runs the command. The context's words are those after the options.
   * @param usage The command's help, for messages.
   * @param name The command's name as typed.
   * @returns The exit code; after 0 the chain continues.
   */
  run(context: Context, options: Options, usage: string, name: string): number | Promise<number>;
}

/** The windows that a word names; undefined, with the usage printed, if there are none. */
export function namedWindows(
  context: Context,
  needed: number,
  usage: string,
): (() => readonly number[]) | undefined {
  const word = context.windowWord(needed);
  if (word !== undefined) return () => context.windowsOf(word);
  context.print.err(usage);
  return undefined;
}

/** The options of a command that only supports `--help`. */
export const HELP_ALONE = { options: { letters: "h", names: ["help"] }, letters: { h: "help" } } as const;

// A command's options, parsed like the GNU C library's getopt_long_only(3) up to the first other word.

/** The options of a command. */
interface OptionTable {
  /** Option letters as in getopt(3): a letter with a value is followed by a colon. */
  letters: string;
  /** Long option names; a name with a value is followed by a colon. */
  names: readonly string[];
}

interface Given {
  /** The name or letter in the table. */
  option: string;
  /** The option's value; empty for an option without one. */
  value: string;
}

/** Reads options one after the other. */
export class OptionReader {
  /** Number of words read, including the command's name. */
  taken = 1;
  /** Remaining letters of a word such as `-cw`. */
  #letters = "";

  /** @param words The command's name and the words after it. */
  constructor(readonly words: readonly string[], readonly table: OptionTable) {}

  /**
   * Reads an option.
   * @returns undefined at the first word that is not an option; a text is the message for an invalid option.
   */
  next(): Given | string | undefined {
    if (this.#letters) return this.#letter();
    const word = this.words[this.taken];
    if (word === undefined || !word.startsWith("-") || word === "-") return undefined;
    this.taken++;
    if (word === "--") return undefined;
    if (word.startsWith("--")) return this.#named("--", word.slice(2))!;
    // A single dash may begin a name too, unless the word is one letter from the table.
    const isLetter = word.length === 2 && this.#hasLetter(word[1]);
    const named = isLetter ? undefined : this.#named("-", word.slice(1));
    if (named) return named;
    this.#letters = word.slice(1);
    return this.#letter();
  }

  #hasLetter(letter: string): boolean {
    return this.table.letters.includes(letter);
  }

  /** @returns undefined if the word is not a name in the table, but begins with a letter in it. */
  #named(dashes: string, text: string): Given | string | undefined {
    const equals = text.indexOf("="), name = equals < 0 ? text : text.slice(0, equals);
    const rows = this.table.names.map((row) => ({ name: row.replace(":", ""), takes: row.endsWith(":") }));
    const exact = rows.find((row) => row.name === name);
    const begun = exact ? [exact] : rows.filter((row) => row.name.startsWith(name));
    if (begun.length > 1) {
      const names = begun.map((row) => ` '${dashes}${row.name}'`).join("");
      return `option '${dashes}${text}' is ambiguous; possibilities:${names}`;
    }
    const [row] = begun;
    if (!row) {
      if (dashes === "-" && this.#hasLetter(text[0])) return undefined;
      return `unrecognized option '${dashes}${text}'`;
    }
    if (!row.takes) {
      if (equals >= 0) return `option '${dashes}${row.name}' doesn't allow an argument`;
      return { option: row.name, value: "" };
    }
    if (equals >= 0) return { option: row.name, value: text.slice(equals + 1) };
    const value = this.words[this.taken];
    if (value === undefined) return `option '${dashes}${row.name}' requires an argument`;
    this.taken++;
    return { option: row.name, value };
  }

  #letter(): Given | string {
    const letter = this.#letters[0], rest = this.#letters.slice(1), { letters } = this.table;
    this.#letters = rest;
    const at = letter === ":" ? -1 : letters.indexOf(letter);
    if (at < 0) return `invalid option -- '${letter}'`;
    if (letters[at + 1] !== ":") return { option: letter, value: "" };
    this.#letters = "";
    if (rest) return { option: letter, value: rest };
    const value = this.words[this.taken];
    if (value === undefined) return `option requires an argument -- '${letter}'`;
    this.taken++;
    return { option: letter, value };
  }
}
