/**
 * Symbols that no key of the person's has, given to rare keys by an XKB option of the person's desktop for a while:
 * the one way to type any text on compositors that let no program bring a keyboard map of its own.
 *
 * The option, and the files that say what it means, are put back a while after the last use, at the end, and at the next
 * start after a kill.
 */

import { delay } from "@std/async/delay";
import { UnsupportedError } from "../../../core/errors.ts";
import { LockedRecord } from "../../linux/locked_record.ts";
import type { KeymapView } from "./keymap_view.ts";
import { OPTION_NAMES } from "./option_files.ts";
import { OptionFolder } from "./option_folder.ts";
import type { OptionKey } from "./option_keys.ts";
import type { OptionSetter, Setting } from "./option_setter.ts";

/** When everything is put back after the last use if nothing else is asked for, in milliseconds. */
const IDLE_MS = 1500;
/** How long programs under XWayland take to look up the keys that were pressed with the map before, in milliseconds. */
const COOLDOWN_MS = 100;

/** What has to be put back. */
interface Changed {
  /** The folder of the person's configuration. */
  config: string;
  /** The setting as it was. */
  before: Setting;
}

/** The option of one desktop. */
export class XkbOption {
  readonly #folder: OptionFolder;
  /** Locked while anything is changed. */
  #record: LockedRecord<Changed> | undefined;
  #before: Setting = null;
  #symbols: ReadonlyMap<OptionKey, number> = new Map();
  #isTold = false;
  /** Which of the option's names comes next. */
  #turn = 0;
  #usedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What was begun last; the next waits for it. */
  #work: Promise<void>;

  /**
   * @param setter The desktop's setting.
   * @param config The folder of the person's configuration.
   * @param notice Reads, once, what is changed.
   * @param idleMs How long after the last use everything is put back, in milliseconds.
   */
  constructor(
    readonly setter: OptionSetter,
    readonly config: string,
    readonly notice: (text: string) => void,
    readonly idleMs = IDLE_MS,
  ) {
    this.#folder = new OptionFolder(config);
    this.#work = this.#recover().catch(() => {}); // it is tried again before the option is set
  }

  /** The symbols that keys have now. */
  get symbols(): ReadonlyMap<OptionKey, number> {
    return this.#symbols;
  }

  /**
   * Gives symbols to keys, and waits until programs have the new map.
   * @param symbols Keysyms by key; keys that are left out get their own symbols back.
   * @param view Sees the map.
   * @param isThere Whether a map has them all.
   * @throws UnsupportedError if the option cannot be used here; BusyError if another deskhand uses it.
   */
  async set(
    symbols: ReadonlyMap<OptionKey, number>,
    view: KeymapView,
    isThere: (keymap: string) => boolean,
  ): Promise<void> {
    clearTimeout(this.#timer);
    await this.#work;
    try {
      await this.#begin();
      await delay(Math.max(0, this.#usedAt + COOLDOWN_MS - performance.now()));
      this.#folder.write(symbols);
      this.#symbols = symbols;
      const name = OPTION_NAMES[this.#turn++ % OPTION_NAMES.length];
      if (await view.after(() => this.setter.set(name), isThere)) return;
      throw new UnsupportedError(
        `the desktop does not take the keyboard option up that is in ${this.config}/xkb`,
      );
    } catch (error) {
      await this.restore().catch(() => {}); // the first error says more
      throw error;
    } finally {
      this.touch();
    }
  }

  /** Notes that the keys were used just now: everything is put back after a while without use. */
  touch(): void {
    clearTimeout(this.#timer);
    if (!this.#record) return;
    this.#usedAt = performance.now();
    this.#timer = setTimeout(() => void this.restore().catch(() => {}), this.idleMs);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /** Puts everything back, when programs have had time to look up what was typed last. */
  async restore(): Promise<void> {
    clearTimeout(this.#timer);
    const work = this.#work.then(() => this.#restore());
    this.#work = work.catch(() => {});
    await work;
  }

  /** Puts everything back before it returns, for the end of the program. Never throws. */
  close(): void {
    clearTimeout(this.#timer);
    const record = this.#record;
    if (!record) return;
    this.#record = undefined;
    let isDone = false;
    try {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.#cooldown());
      this.setter.restoreNow(this.#before);
      this.#folder.restore(this.setter.keepsFolder);
      isDone = true;
    } catch {
      // The next start tries again.
    }
    record.close({ clear: isDone });
  }

  async #restore(): Promise<void> {
    const record = this.#record;
    if (!record) return;
    let isDone = false;
    try {
      await delay(this.#cooldown());
      await this.setter.restore(this.#before);
      this.#folder.restore(this.setter.keepsFolder);
      isDone = true;
    } finally {
      this.#symbols = new Map();
      if (this.#record === record) {
        this.#record = undefined;
        record.close({ clear: isDone });
      }
    }
  }

  /** Locks the record and writes into it what will have to be put back. */
  async #begin(): Promise<void> {
    if (this.#record) return;
    const record = await LockedRecord.wait<Changed>(fileOf(this.setter));
    try {
      await this.#putBack(record);
      this.#before = await this.setter.read();
      record.write({ config: this.config, before: this.#before });
      this.#record = record;
    } catch (error) {
      record.close({ clear: false });
      throw error;
    }
    if (this.#isTold) return;
    this.#isTold = true;
    this.notice(
      `to type characters that no key has, deskhand adds an XKB option to your keyboard settings for a moment and files to ${this.config}/xkb (--no-xkb-option: never)`,
    );
  }

  /** Puts back what a killed deskhand left. */
  async #recover(): Promise<void> {
    const file = fileOf(this.setter);
    if (!LockedRecord.isThere(file)) return;
    const record = LockedRecord.open<Changed>(file);
    try {
      await this.#putBack(record);
      record.close({ clear: true });
    } finally {
      record.close({ clear: false });
    }
  }

  async #putBack(record: LockedRecord<Changed>): Promise<void> {
    const left = record.read();
    if (!left) return;
    await this.setter.restore(left.before);
    new OptionFolder(left.config).restore(this.setter.keepsFolder);
  }

  /** Milliseconds until programs have looked up what was typed last. */
  #cooldown(): number {
    return Math.max(0, this.#usedAt + COOLDOWN_MS - performance.now());
  }
}

/** The record's name, one a desktop. */
function fileOf({ name }: OptionSetter): string {
  return `xkb-option-${name}.json`;
}
