/**
 * A record of the keys that a process has bound for a while, in a file of the state folder: the server keeps the symbols
 * of a killed program, and no key would be free any more.
 */

import { createLocked, leftFiles, openLeft } from "../../core/left_files.ts";
import { dirname } from "../../core/path.ts";
import { removeIfThere } from "../../core/replace_file.ts";
import { stateFile } from "../../core/state_dir.ts";

const NAME = /^bound-keys-[0-9a-f-]{36}\.json$/;
/** Longest content of a file that is believed, in bytes. */
const SIZE_LIMIT = 64 * 1024;

/** Symbols by the keycodes that were given them. */
export type GivenSymbols = ReadonlyMap<number, readonly number[]>;

/** The file of one process and display, which is there from the first change on. */
export class BoundRecord {
  #file: Deno.FsFile | undefined;
  #path = "";
  #isGivenUp = false;
  /** Of the display, without the screen: all screens share the keyboard. */
  readonly #display: string;

  /** @param display Its name, such as `:0`. */
  constructor(display: string) {
    this.#display = display.replace(/\.\d+$/, "");
  }

  /** Notes what keys are about to get. Where the folder cannot be written, nothing is noted. */
  write(given: GivenSymbols): void {
    if (this.#isGivenUp) return;
    try {
      this.#file ??= this.#create();
      const line = JSON.stringify({ display: this.#display, given: [...given] }) + "\n";
      this.#file.seekSync(0, Deno.SeekMode.Start);
      const bytes = new TextEncoder().encode(line);
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch {
      this.#isGivenUp = true; // the program's start tells that the folder cannot be written
    }
  }

  /**
   * Takes what killed processes have given keys of this display.
   * @param take Gets it before the file is removed.
   */
  takeLeft(take: (given: GivenSymbols) => void): void {
    for (const path of leftFiles(folder(), (name) => NAME.test(name))) {
      using file = openLeft(path);
      if (!file) continue; // another process takes it
      const content = contentOf(file);
      if (content && content.display !== this.#display) continue;
      if (content) take(content.given);
      file.truncateSync(); // another process that waits for it finds nothing
      removeIfThere(path);
    }
  }

  /** Removes the file, when nothing is bound. Safe to call twice. */
  clear(): void {
    this.#file?.close();
    if (this.#file) removeIfThere(this.#path);
    this.#file = undefined;
  }

  #create(): Deno.FsFile {
    this.#path = stateFile(`bound-keys-${crypto.randomUUID()}.json`);
    return createLocked(this.#path);
  }
}

/** Where files are; "" if there is no state folder. */
function folder(): string {
  try {
    return dirname(stateFile("bound-keys"));
  } catch {
    return "";
  }
}

/** @returns undefined if the file has no whole line. */
function contentOf(file: Deno.FsFile): { display: string; given: GivenSymbols } | undefined {
  const bytes = new Uint8Array(SIZE_LIMIT), count = file.readSync(bytes) ?? 0;
  const [line] = new TextDecoder().decode(bytes.subarray(0, count)).split("\n", 1);
  try {
    const { display, given } = JSON.parse(line);
    return { display, given: new Map(given.filter(isGiven)) };
  } catch {
    return undefined;
  }
}

function isGiven(value: unknown): value is [number, number[]] {
  return Array.isArray(value) && value.length === 2 && Number.isInteger(value[0]) &&
    Array.isArray(value[1]) && value[1].every(Number.isInteger);
}
