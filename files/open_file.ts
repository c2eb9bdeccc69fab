/**
 * Opens files for reading. Opening one never blocks: if another program has replaced a file with a pipe,
 * opening it waits for a writer (POSIX open(), FIFO) unless O_NONBLOCK is set, which Node's functions support
 * and Deno's (2.9.6) do not. Windows has no pipes in folders.
 */

import type { Stats } from "node:fs";
import { nodeModule } from "../core/path.ts";
import type { FileVersion } from "./identity.ts";

/** The system's metadata of an open file. */
export type OpenInfo = FileVersion & Pick<Deno.FileInfo, "isFile">;

/** A file open for reading. */
export interface OpenedFile extends Disposable {
  statSync(): OpenInfo;
  /** Returns the same as the method above, asynchronously. */
  stat(): Promise<OpenInfo>;
  /**
   * Reads bytes at an offset.
   * @param at Offset from the beginning of the file, in bytes.
   * @returns The number of bytes read; 0 at the end.
   */
  readSync(into: Uint8Array, at: number): number;
  /** Reads like the method above, asynchronously. */
  read(into: Uint8Array, at: number): Promise<number>;
  close(): void;
}

const IS_WINDOWS = Deno.build.os === "windows";

/** Opens a file. @throws The errors of Deno or Node: system errors with their `code` (POSIX errno). */
export async function openToRead(path: string): Promise<OpenedFile> {
  if (IS_WINDOWS) return new DenoFile(await Deno.open(path));
  return new NodeFile(await called((done) => nodeModule("node:fs").open(path, flags(), done)));
}

/** Opens a file for reading, as above, synchronously. */
export function openToReadSync(path: string): OpenedFile {
  if (IS_WINDOWS) return new DenoFile(Deno.openSync(path));
  return new NodeFile(nodeModule("node:fs").openSync(path, flags()));
}

function flags(): number {
  const { O_RDONLY, O_NONBLOCK } = nodeModule("node:fs").constants;
  return O_RDONLY | O_NONBLOCK;
}

/** A Node file, by its descriptor. */
class NodeFile implements OpenedFile {
  #isOpen = true;

  constructor(readonly fd: number) {}

  statSync(): OpenInfo {
    return infoOf(nodeModule("node:fs").fstatSync(this.#open()));
  }

  async stat(): Promise<OpenInfo> {
    const fd = this.#open();
    return infoOf(await called<Stats>((done) => nodeModule("node:fs").fstat(fd, done)));
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

  /** The file descriptor, which another file may have once this one is closed. */
  #open(): number {
    if (!this.#isOpen) throw new Deno.errors.BadResource("the file is closed");
    return this.fd;
  }
}

function infoOf(stats: Stats): OpenInfo {
  const { dev, ino, size, mtime, ctime } = stats;
  return { dev, ino, size, mtime, ctime, isFile: stats.isFile() };
}

/** Calls a Node function that takes a callback. */
function called<T>(run: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => run((error, value) => error ? reject(error) : resolve(value)));
}

class DenoFile implements OpenedFile {
  constructor(readonly file: Deno.FsFile) {}

  statSync(): OpenInfo {
    return this.file.statSync();
  }

  async stat(): Promise<OpenInfo> {
    return await this.file.stat();
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
