/** Options of a command, read as getopt_long_only(3) of the GNU C library reads them up to the first other word. */

/** The options that a command takes. */
export interface OptionTable {
  /** Letters of options as getopt(3) writes them: a letter that takes a value has a colon behind it. */
  letters: string;
  /** Long names of options; a name that takes a value has a colon behind it. */
  names: readonly string[];
}

/** An option that was given. */
export interface Given {
  /** The name or the letter in the table. */
  option: string;
  /** The option's value; empty if the option takes none. */
  value: string;
}

/** Reads options one after the other. */
export class OptionReader {
  /** Words that have been read, the command's name among them. */
  taken = 1;
  /** Letters left of a word such as `-cw`. */
  #letters = "";

  /** @param words The command's name and the words behind it. */
  constructor(readonly words: readonly string[], readonly table: OptionTable) {}

  /**
   * Reads an option.
   * @returns undefined at the first word that is no option; a text is the message for a wrong option.
   */
  next(): Given | string | undefined {
    if (this.#letters) return this.#letter();
    const word = this.words[this.taken];
    if (word === undefined || !word.startsWith("-") || word === "-") return undefined;
    this.taken++;
    if (word === "--") return undefined;
    if (word.startsWith("--")) return this.#named("--", word.slice(2))!;
    // A single dash begins a name too, unless the word is one letter that the table has.
    const isLetter = word.length === 2 && this.#hasLetter(word[1]);
    const named = isLetter ? undefined : this.#named("-", word.slice(1));
    if (named) return named;
    this.#letters = word.slice(1);
    return this.#letter();
  }

  #hasLetter(letter: string): boolean {
    return this.table.letters.includes(letter);
  }

  /** @returns undefined if the word has no name of the table, but begins with a letter of it. */
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
