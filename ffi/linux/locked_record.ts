/**
 * Record of a change to a person's settings, kept in the state folder as long as the change lasts, so that the next
 * start takes back the change of a killed deskhand. The file is locked by the process that changes them: the system takes the lock from
 * a process that is killed.
 */

import { delay } from "@std/async/delay";
import { BusyError, ExpectedError, UnsupportedError } from "../../core/errors.ts";
import { checkOwn, stateFile } from "../../core/state_dir.ts";
import { cString, type Libc, openLibc } from "./libc.ts";

const O_RDWR = 2, O_CLOEXEC = 0o2000000, O_NOFOLLOW = 0o400000;
const LOCK_EXCLUSIVE = 2, LOCK_NONBLOCKING = 4;
/** The time to wait for another deskhand, in milliseconds: longer than it takes to put everything back. */
const OTHER_MS = 4000;

/** A record, locked. `T` is the state to restore, as JSON. */
export class LockedRecord<T> {
  #isOpen = true;

  private constructor(readonly c: Libc, readonly fd: number, readonly path: string) {}

  /**
   * Opens and locks a record.
   * @param name The name of its file in the state folder.
   * @throws BusyError if another deskhand has the record; InputError or Deno's error if there is no usable state
   * folder.
   */
  static open<T>(name: string): LockedRecord<T> {
    const path = stateFile(name), c = openLibc();
    Deno.openSync(path, { write: true, create: true, mode: 0o600 }).close();
    checkOwn(path, "file");
    const fd = c.open(cString(path), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && c.flock(fd, LOCK_EXCLUSIVE | LOCK_NONBLOCKING) === 0) return new LockedRecord(c, fd, path);
    if (fd >= 0) c.close(fd);
    throw new BusyError("another deskhand types on this desktop; try again later");
  }

  /**
   * Opens and locks a record, and waits for another deskhand that has it.
   * @param name The name of its file in the state folder.
   * @throws BusyError if the wait takes too long; UnsupportedError or InputError if there is no state folder to use.
   */
  static async wait<T>(name: string): Promise<LockedRecord<T>> {
    for (const end = performance.now() + OTHER_MS;;) {
      try {
        return LockedRecord.open(name);
      } catch (error) {
        if (!(error instanceof BusyError)) {
          if (error instanceof ExpectedError) throw error;
          throw new UnsupportedError(`the state folder cannot be written: ${(error as Error).message}`);
        }
        if (performance.now() > end) throw error;
        await delay(50);
      }
    }
  }

  /** Tells whether a killed deskhand may have left a record. */
  static isThere(name: string): boolean {
    try {
      return Deno.lstatSync(stateFile(name)).size > 0;
    } catch {
      return false;
    }
  }

  /** Record that a killed deskhand left; undefined if there is none. */
  read(): T | undefined {
    try {
      return JSON.parse(Deno.readTextFileSync(this.path)) as T;
    } catch {
      return undefined; // empty
    }
  }

  /** Writes the state that is about to change. */
  write(changed: T): void {
    Deno.writeTextFileSync(this.path, JSON.stringify(changed));
  }

  /**
   * Closes and unlocks the record. Safe to call twice.
   * @param clear Whether everything is put back, so that the next start has nothing to do.
   */
  close({ clear }: { clear: boolean }): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (clear) this.c.ftruncate(this.fd, 0n); // by the descriptor, since the path may be gone
    this.c.close(this.fd);
  }
}
