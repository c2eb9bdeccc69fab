/**
 * Records of temporary changes, as files in the state folder: the next start undoes the changes of killed
 * processes. A `ProcessRecord` is one file per process, a `LockedRecord` one file for a change that only one
 * process at a time makes. The system unlocks a killed process's files.
 */

import { attempt, BusyError, ExpectedError, UnsupportedError } from "./errors.ts";
import { dirname, isThere, join } from "./path.ts";
import { checkOwn, checkStateAnswers, isStateSilent, removeIfThere, stateFile } from "./state_files.ts";
import { until } from "./until.ts";

// Files that a process holds while it works. Each is locked while its writer lives, so that the next start
// can find the files of killed processes.

/**
 * Creates a file that other users cannot access, and locks it until it is closed.
 * @throws Deno's errors if it cannot be created.
 */
export function createLocked(path: string): Deno.FsFile {
  for (;;) {
    const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
    file.lockSync(true);
    if (isThere(path)) return file;
    file.close(); // before the lock, another process took the file for a killed one's, and removed it
  }
}

/**
 * Finds the files whose writers are gone. Never throws.
 * @param isOurs Whether a file name is that of a deskhand record.
 * @returns Their paths.
 */
export function leftFiles(folder: string, isOurs: (name: string) => boolean): string[] {
  if (isStateSilent()) return [];
  const files = attempt(() => [...Deno.readDirSync(folder)], []); // no folder, no files
  return files.filter(({ isFile, name }) => isFile && isOurs(name)) // reading a pipe would block
    .map(({ name }) => join(folder, name))
    .filter(isLeft);
}

/**
 * Opens a file whose writer is gone, and locks it until it is closed.
 * @returns undefined if its writer lives or has just removed it, or another user owns it.
 */
function openLeft(path: string): Deno.FsFile | undefined {
  // Fails if the file is gone, or belongs to another user.
  const file = attempt(() => Deno.openSync(path, { read: true, write: true }));
  if (!file || attempt(() => file.tryLockSync(true))) return file;
  file.close();
}

function isLeft(path: string): boolean {
  const file = openLeft(path);
  file?.close(); // closing the file unlocks it
  return file !== undefined;
}

const UUID = "[0-9a-f-]{36}";
/** Maximum size of a record's file, in bytes. */
const SIZE_LIMIT = 64 * 1024;
const ENCODER = new TextEncoder();

/** The file of one process, which exists from the first write on. `T` is plain data that JSON preserves. */
export class ProcessRecord<T> {
  #file: Deno.FsFile | undefined;
  #path = "";
  #isGivenUp = false;

  /**
   * @param kind The first part of each file's name, such as `held`.
   * @param read Parses a file's JSON; may throw if its shape is wrong.
   * @param path Returns the path of a file in the state folder.
   */
  constructor(readonly kind: string, readonly read: (json: string) => T, readonly path = stateFile) {}

  /**
   * Writes the record before the change that it describes, because the process may be killed in between.
   * Writes nothing if the folder is not writable, or its disk does not answer.
   */
  write(content: T): void {
    if (this.#isGivenUp || isStateSilent()) return;
    try {
      this.#file ??= this.#create();
      // A line feed ends the content; bytes after it are the rest of a longer, older record.
      const bytes = ENCODER.encode(`${JSON.stringify(content)}\n`);
      this.#file.seekSync(0, Deno.SeekMode.Start);
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch {
      this.#isGivenUp = true; // the program reports at startup that the folder is not writable
    }
  }

  /**
   * Handles the records of killed processes.
   * @param isOurs Whether a content belongs to this desktop; files of other desktops stay.
   * @param take Receives a content, before its file is removed.
   */
  takeLeft(isOurs: (content: T) => boolean, take: (content: T) => void): void {
    const name = new RegExp(`^${this.kind}-${UUID}\\.json$`);
    for (const path of leftFiles(this.#folder(), (file) => name.test(file))) {
      using file = openLeft(path);
      if (!file) continue; // another process handles this record
      const content = this.#contentOf(file);
      if (content && !isOurs(content)) continue;
      if (content) take(content);
      file.truncateSync(); // a process waiting for the lock then finds an empty record
      removeIfThere(path);
    }
  }

  /** Removes the file once the changes are undone. Safe to call twice. */
  clear(): void {
    if (isStateSilent()) return;
    this.#file?.close();
    if (this.#file) removeIfThere(this.#path);
    this.#file = undefined;
  }

  /** Leaves the changes to the next {@linkcode takeLeft}, of this process or another. Safe to call twice. */
  leave(): void {
    if (isStateSilent()) return;
    this.#file?.close();
    this.#file = undefined;
  }

  #create(): Deno.FsFile {
    this.#path = this.path(`${this.kind}-${crypto.randomUUID()}.json`);
    return createLocked(this.#path);
  }

  /** The folder that contains the records; "" if there is no state folder. */
  #folder(): string {
    return attempt(() => dirname(this.path(this.kind)), "");
  }

  /**
   * @returns undefined if the file contains no whole line, as when its writer was killed before its first
   * write.
   */
  #contentOf(file: Deno.FsFile): T | undefined {
    const bytes = new Uint8Array(SIZE_LIMIT), count = file.readSync(bytes) ?? 0;
    const [line] = new TextDecoder().decode(bytes.subarray(0, count)).split("\n", 1);
    return attempt(() => this.read(line));
  }
}

/** Maximum wait for another deskhand, in milliseconds: longer than it takes to restore everything. */
const OTHER_MS = 4000;

/**
 * The locked record of a change that only one process at a time makes. `T` is the state to restore, as JSON.
 */
export class LockedRecord<T> {
  #isOpen = true;

  private constructor(readonly file: Deno.FsFile, readonly path: string) {}

  /**
   * Opens and locks a record.
   * @param name The name of its file in the state folder.
   * @throws BusyError if another deskhand holds the record, or the folder's disk does not answer; InputError or
   * Deno's error if there is no usable state folder.
   */
  static open<T>(name: string): LockedRecord<T> {
    const path = stateFile(name);
    const file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
    try {
      checkOwn(path, "file");
      if (file.tryLockSync(true)) return new LockedRecord(file, path);
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
    throw new BusyError("another deskhand is typing on this desktop; try again later");
  }

  /**
   * Opens and locks a record, waiting if another deskhand holds it.
   * @param name The name of its file in the state folder.
   * @throws BusyError if the wait takes too long; UnsupportedError or InputError if there is no usable state
   * folder.
   */
  static async wait<T>(name: string): Promise<LockedRecord<T>> {
    let busy: BusyError | undefined;
    const record = await until(() => {
      try {
        return LockedRecord.open<T>(name);
      } catch (error) {
        if (error instanceof BusyError) busy = error;
        else if (error instanceof ExpectedError) throw error;
        else throw new UnsupportedError(`cannot write to the state folder: ${(error as Error).message}`);
      }
    }, { ms: OTHER_MS, every: 50 });
    if (!record) throw busy;
    return record;
  }

  /** Whether a killed deskhand may have left a record. */
  static isThere(name: string): boolean {
    return attempt(() => Deno.lstatSync(stateFile(name)).size > 0, false);
  }

  /** The record that a killed deskhand left; undefined if there is none. */
  read(): T | undefined {
    return attempt(() => JSON.parse(Deno.readTextFileSync(this.path)) as T); // fails if it is empty
  }

  /** Writes the state that is about to change. */
  write(changed: T): void {
    checkStateAnswers();
    Deno.writeTextFileSync(this.path, JSON.stringify(changed));
  }

  /** Empties and closes the record, once everything has been restored. */
  clear(): void {
    if (this.#isOpen && !isStateSilent()) this.file.truncateSync(); // by descriptor, because the path may be gone
    this[Symbol.dispose]();
  }

  /** Closes and unlocks the record, leaving its content to the next start. Safe to call twice. */
  [Symbol.dispose](): void {
    if (this.#isOpen && !isStateSilent()) this.file.close();
    this.#isOpen = false;
  }
}
