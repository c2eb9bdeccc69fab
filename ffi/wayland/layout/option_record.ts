/**
 * What deskhand has changed of the person's settings, kept in the state folder while it is changed, so that the next
 * start puts back what a killed one left. The file is locked by the process that changes them: the system takes the
 * lock from a process that is killed.
 */

import { BusyError } from "../../../core/errors.ts";
import { checkOwn, stateFile } from "../../../core/state_dir.ts";
import { cString, type Libc, openLibc } from "../../linux/libc.ts";
import type { Setting } from "./option_setter.ts";

const O_RDWR = 2, O_CLOEXEC = 0o2000000, O_NOFOLLOW = 0o400000;
const LOCK_EXCLUSIVE = 2, LOCK_NONBLOCKING = 4;

/** What has to be put back. */
export interface Changed {
  /** The folder of the person's configuration. */
  config: string;
  /** The setting as it was. */
  before: Setting;
}

/** The record's name, one a desktop. */
function fileOf(desktop: string): string {
  return `xkb-option-${desktop}.json`;
}

/** The record, locked. */
export class OptionRecord {
  #isOpen = true;

  private constructor(readonly c: Libc, readonly fd: number, readonly path: string) {}

  /**
   * Opens and locks the record.
   * @param desktop The name of the desktop's setter.
   * @throws BusyError if another deskhand has it; InputError or what Deno throws if there is no state folder to use.
   */
  static open(desktop: string): OptionRecord {
    const path = stateFile(fileOf(desktop)), c = openLibc();
    Deno.openSync(path, { write: true, create: true, mode: 0o600 }).close();
    checkOwn(path, "file");
    const fd = c.open(cString(path), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && c.flock(fd, LOCK_EXCLUSIVE | LOCK_NONBLOCKING) === 0) return new OptionRecord(c, fd, path);
    if (fd >= 0) c.close(fd);
    throw new BusyError("another deskhand types with keys of its own on this desktop; try again later");
  }

  /** Whether a killed deskhand may have left something. */
  static isThere(desktop: string): boolean {
    try {
      return Deno.lstatSync(stateFile(fileOf(desktop))).size > 0;
    } catch {
      return false;
    }
  }

  /** What a killed deskhand left; undefined if nothing. */
  read(): Changed | undefined {
    try {
      return JSON.parse(Deno.readTextFileSync(this.path)) as Changed;
    } catch {
      return undefined; // empty
    }
  }

  /** Notes what is about to change. */
  write(changed: Changed): void {
    Deno.writeTextFileSync(this.path, JSON.stringify(changed));
  }

  /**
   * Closes and unlocks it. Safe to call twice.
   * @param clear Whether everything is put back, so that the next start has nothing to do.
   */
  close({ clear }: { clear: boolean }): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (clear) this.c.ftruncate(this.fd, 0n); // by its path it may be gone
    this.c.close(this.fd);
  }
}
