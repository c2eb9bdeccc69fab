/** The person's folder of XKB files (`~/.config/xkb`), with deskhand's lines in it or not. */

import { dirname, join } from "../../../core/path.ts";
import { UnsupportedError } from "../../../core/errors.ts";
import { isOwnSymbols, symbolsText, withoutRules, withRules } from "./option_files.ts";
import type { OptionKey } from "./option_keys.ts";

/**
 * The folder of the user's configuration (XDG Base Directory Specification).
 * @throws UnsupportedError if there is no home folder.
 */
export function configFolder(): string {
  const own = Deno.env.get("XDG_CONFIG_HOME"), home = Deno.env.get("HOME");
  if (own?.startsWith("/")) return own;
  if (home) return join(home, ".config");
  throw new UnsupportedError("HOME is not set, so there is no folder for keyboard settings");
}

/** The two files of the option in one folder. */
export class OptionFolder {
  readonly #rules: string;
  readonly #symbols: string;

  /** @param config The folder of the user's configuration. */
  constructor(readonly config: string) {
    this.#rules = join(config, "xkb", "rules", "evdev");
    this.#symbols = join(config, "xkb", "symbols", "deskhand");
  }

  /**
   * Writes the files.
   * @param symbols Keysyms by key.
   * @throws UnsupportedError if they cannot be written.
   */
  write(symbols: ReadonlyMap<OptionKey, number>): void {
    const present = readText(this.#symbols);
    if (present !== undefined && !isOwnSymbols(present)) {
      throw new UnsupportedError(`${this.#symbols} is not deskhand's own: rename it`);
    }
    try {
      for (const path of [this.#rules, this.#symbols]) Deno.mkdirSync(dirname(path), { recursive: true });
      replaceText(this.#symbols, symbolsText(symbols));
      const theirs = readText(this.#rules), both = withRules(theirs);
      if (both !== theirs) replaceText(this.#rules, both);
    } catch (error) {
      throw new UnsupportedError(`the keyboard's files cannot be written: ${(error as Error).message}`);
    }
  }

  /**
   * Takes out what {@linkcode write} added, with folders that are empty then.
   * @param keepsFolder Whether `xkb` itself stays in any case.
   * @throws What Deno throws if that fails.
   */
  restore(keepsFolder = false): void {
    const both = readText(this.#rules), theirs = both === undefined ? undefined : withoutRules(both);
    if (theirs === undefined) removeIfThere(this.#rules);
    else if (theirs !== both) replaceText(this.#rules, theirs);
    if (isOwnSymbols(readText(this.#symbols) ?? "")) removeIfThere(this.#symbols);
    for (const folder of ["rules", "symbols", ...(keepsFolder ? [] : [""])]) {
      removeIfEmpty(join(this.config, "xkb", folder));
    }
  }
}

/** The text of a file; undefined if there is none. */
export function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Writes a file in one step, so that no reader sees half of it. A link stays one, and the file keeps its mode. */
export function replaceText(path: string, text: string): void {
  const info = infoOf(path), real = info ? Deno.realPathSync(path) : path;
  const temporary = `${real}.deskhand`;
  Deno.writeTextFileSync(temporary, text, info?.mode ? { mode: info.mode & 0o777 } : {});
  Deno.renameSync(temporary, real);
}

/** Removes a file. */
export function removeIfThere(path: string): void {
  if (infoOf(path)) Deno.removeSync(path);
}

function removeIfEmpty(folder: string): void {
  try {
    Deno.removeSync(folder);
  } catch {
    // It has files of the person's, or is not there.
  }
}

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
