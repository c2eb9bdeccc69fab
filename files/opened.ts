/**
 * Files that are open for reading. To open one never waits: where another program has put a pipe in a file's place,
 * opening waits for a program that writes to it (POSIX open(), FIFO), unless O_NONBLOCK is given, which Deno's own
 * functions do not take (2.9.6) and Node's do. Windows has no pipes in folders.
 */

import { nodeModule } from "../core/lazy_node.ts";
import type { FileVersion } from "./identity.ts";

/** The system's description of an open file. */
export type OpenInfo = FileVersion & Pick<Deno.FileInfo, "isFile">;

/** A file that is open for reading. */
export interface OpenedFile extends Disposable {
  statSync(): OpenInfo;
  /**
   * Reads bytes at a place.
   * @param at From the file's beginning, in bytes.
   * @returns How many were read; 0 at the end.
   */
  readSync(into: Uint8Array, at: number): number;
  /** Reads like the method above, but asynchronously. */
  read(into: Uint8Array, at: number): Promise<number>;
  close(): void;
}

const IS_WINDOWS = Deno.build.os === "windows";

/** Opens a file. @throws The errors of Deno or Node: errors of the system with their `code` (POSIX errno). */
export async function openToRead(path: string): Promise<OpenedFile> {
  if (IS_WINDOWS) return new DenoFile(await Deno.open(path));
  return new NodeFile(await called((done) => nodeModule("node:fs").open(path, flags(), done)));
}

/** Opens a file to read it, as above, without waiting. */
export function openToReadSync(path: string): OpenedFile {
  if (IS_WINDOWS) return new DenoFile(Deno.openSync(path));
  return new NodeFile(nodeModule("node:fs").openSync(path, flags()));
}

function flags(): number {
  const { O_RDONLY, O_NONBLOCK } = nodeModule("node:fs").constants;
  return O_RDONLY | O_NONBLOCK;
}

/** A file of Node's, by its number. */
class NodeFile implements OpenedFile {
  #isOpen = true;

  constructor(readonly fd: number) {}

  statSync(): OpenInfo {
    const stats = nodeModule("node:fs").fstatSync(this.#open()), { dev, ino, size, mtime, ctime } = stats;
    return { dev, ino, size, mtime, ctime, isFile: stats.isFile() };
  }

  readSync(into: Uint8Array, at: number): number {
    return nodeModule("node:fs").readSync(this.#open(), into, 0, into.length, at);
  }

  async read(into: Uint8Array, at: number): Promise<number> {
    const fd = this.#open();
    return await called((done) => nodeModule("node:fs").read(fd, into, 0, into.length, at, done));
  }

  close(): void {
    const fd = this.#open();
    this.#isOpen = false;
    nodeModule("node:fs").closeSync(fd);
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) this.close();
  }

  /** The number of the descriptor, which another file may have once this file is closed. */
  #open(): number {
    if (!this.#isOpen) throw new Deno.errors.BadResource("the file is closed");
    return this.fd;
  }
}

/** Calls a function of Node's that takes a callback. */
function called<T>(run: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => run((error, value) => error ? reject(error) : resolve(value)));
}

/** A file of Deno's. */
class DenoFile implements OpenedFile {
  constructor(readonly file: Deno.FsFile) {}

  statSync(): OpenInfo {
    return this.file.statSync();
  }

  readSync(into: Uint8Array, at: number): number {
    this.file.seekSync(at, Deno.SeekMode.Start);
    return this.file.readSync(into) ?? 0;
  }

  async read(into: Uint8Array, at: number): Promise<number> {
    await this.file.seek(at, Deno.SeekMode.Start);
    return await this.file.read(into) ?? 0;
  }

  close(): void {
    this.file.close();
  }

  [Symbol.dispose](): void {
    this.file[Symbol.dispose]();
  }
}
