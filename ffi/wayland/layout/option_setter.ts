/** How a desktop's setting of XKB options is read and written; one implementation a desktop. */

import type { OptionName } from "./option_files.ts";

/** The setting as it was, in a form that JSON keeps; null if it was not there. */
export type Setting = string | null;

/** The setting of one desktop. */
export interface OptionSetter {
  /** The desktop's name, under which a killed deskhand's setting is found again. */
  readonly name: string;

  /** Whether the compositor reads `~/.config/xkb` only if the folder was there when it started, so that it has to stay. */
  readonly keepsFolder?: boolean;

  /**
   * The setting as it is now.
   * @throws UnsupportedError if it cannot be read or written.
   */
  read(): Promise<Setting>;

  /** Adds the option to the person's, or gives it its other name; the compositor reads its files then. */
  set(name: OptionName): Promise<void>;

  /**
   * Takes the option out again. What the person changed meanwhile stays.
   * @param before From {@linkcode read}: put back as it was if nothing else has changed.
   */
  restore(before: Setting): Promise<void>;

  /** The same before it returns, for the end of the program. */
  restoreNow(before: Setting): void;

  /** Which layout of the keyboard map is active, from 0. */
  group(): Promise<number>;
}
