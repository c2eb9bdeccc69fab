/** Trace files: their names, their list, and the quota of their folder. */

import { attempt } from "../../core/errors.ts";
import { FolderHandle } from "../../core/folder_handle.ts";

/** Maximum number of characters of a trace's name in its file name. */
const SLUG_LIMIT = 40;
/** `2026-11-22T18-08-00-x11-login-2.html`; the name and the number are optional. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[a-z0-9]+(?:-[\w.-]+)?\.html$/;
/** The first bytes of every file: a file without them is never removed. */
export const MARK =
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="generator" content="deskhand trace">';
/** Maximum number of files with one name from one start. */
const MOST_FILES = 10_000;

/**
 * The start of the names of a trace's files.
 * @param started When the trace started.
 * @param desktop The kind of the desktop.
 * @param name Given by a person; characters not allowed in file names are replaced.
 * @example
 * baseName(new Date("2026-11-22T18:08:00Z"), "x11", "log in"); // "2026-11-22T18-08-00-x11-log-in"
 */
export function baseName(started: Date, desktop: string, name?: string): string {
  const slug = (name ?? "").replace(/[^\w.-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, SLUG_LIMIT);
  const stamp = started.toISOString().slice(0, 19).replaceAll(":", "-");
  return [stamp, desktop, ...(slug ? [slug] : [])].join("-");
}

/** Whether a name is that of a trace file rather than a path. */
export function isTraceName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Opens the folder of traces: other users may be able to write to it or to its parent folder.
 * @throws Deno's errors if there is no such folder; FileChangedError if it is replaced meanwhile.
 */
export function openTraceFolder(path: string): FolderHandle {
  return FolderHandle.open(traceFolder(path));
}

function traceFolder(path: string) {
  const real = Deno.realPathSync(path);
  return { real, info: Deno.lstatSync(real) };
}

/**
 * Creates the next file of a trace, locked until it is closed and readable only by this user.
 * @param part Minimum number to use; earlier files may have been removed.
 * @returns The file and its name.
 * @throws Deno's errors if the file cannot be created.
 */
export function createTraceFile(
  folder: FolderHandle,
  base: string,
  part: number,
): { file: Deno.FsFile; name: string } {
  for (let number = part;; number++) {
    const name = `${base}${number > 1 ? `-${number}` : ""}.html`;
    try {
      folder.create(name, 0o600);
      return { file: lockedFile(folder, name), name };
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists) || number - part === MOST_FILES) throw error;
    }
  }
}

/** Opens and locks a new file; removes it on failure. */
function lockedFile(folder: FolderHandle, name: string): Deno.FsFile {
  try {
    const file = folder.openFile(name, { read: true, write: true });
    file.lockSync(true);
    return file;
  } catch (error) {
    folder.remove(name);
    throw error;
  }
}

/** The role in which the Worker that writes traces lists their files instead. */
export const LIST_ROLE = "list";

export interface TraceFile {
  name: string;
  bytes: number;
  modified: Date;
  /** Whether the trace is still being written. */
  isRunning: boolean;
}

/** The files of a folder, oldest first; empty if there is no folder. */
export function traceFiles(path: string): TraceFile[] {
  return attempt(() => FolderHandle.within(traceFolder(path), filesIn), []); // there is no folder
}

/** A file of a folder; undefined if there is none with this name. */
export function traceFile(path: string, name: string): TraceFile | undefined {
  return attempt(() => FolderHandle.within(traceFolder(path), (folder) => describeFile(folder, name)));
}

function filesIn(folder: FolderHandle): TraceFile[] {
  const files: TraceFile[] = [];
  for (const { name, isFile } of Deno.readDirSync(folder.real)) {
    const file = isFile && isTraceName(name) ? describeFile(folder, name) : undefined;
    if (file) files.push(file);
  }
  return files.sort((a, b) => a.modified.getTime() - b.modified.getTime() || (a.name < b.name ? -1 : 1));
}

/** @returns undefined for a file that is not a trace or has just been removed. */
function describeFile(folder: FolderHandle, name: string): TraceFile | undefined {
  return attempt(() => {
    using file = folder.openFile(name, { read: true });
    const { size, mtime } = file.statSync();
    if (!isTrace(file)) return undefined;
    return { name, bytes: size, modified: mtime ?? new Date(0), isRunning: isRunning(folder, name) };
  });
}

function isTrace(file: Deno.FsFile): boolean {
  const bytes = new Uint8Array(MARK.length);
  return file.readSync(bytes) === MARK.length && new TextDecoder().decode(bytes) === MARK;
}

/** Whether a process is writing the file, which it keeps locked; also true for another user's file. */
function isRunning(folder: FolderHandle, name: string): boolean {
  let file: Deno.FsFile | undefined;
  try {
    file = folder.openFile(name, { read: true, write: true });
    return !file.tryLockSync(true);
  } catch {
    return true;
  } finally {
    file?.close(); // and unlocks it
  }
}

/**
 * Removes a trace file.
 * @throws NotFound or another Deno error, or an error with its `code`.
 */
export function removeTraceFile(path: string, name: string): void {
  FolderHandle.within(traceFolder(path), (folder) => folder.unlink(name));
}

export interface Quota {
  /** Maximum size of all files together, in bytes. */
  bytes: number;
  /** Number of days for which files are kept. */
  days: number;
}

/**
 * The files that a quota removes: files that are too old, then the oldest ones, but never the file of a
 * running trace. Pure.
 * @param files Oldest first.
 * @param now In milliseconds since 1970.
 * @param room Bytes to leave free for a new file.
 */
export function overQuota(files: readonly TraceFile[], quota: Quota, now: number, room: number): string[] {
  const removed: string[] = [];
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes, modified, isRunning } of files) {
    const isOld = now - modified.getTime() > quota.days * 86_400_000;
    if (isRunning || !isOld && total + room <= quota.bytes) continue;
    removed.push(name);
    total -= bytes;
  }
  return removed;
}

/** Removes the files that exceed a quota. */
export function keepQuota(folder: FolderHandle, quota: Quota, room: number): void {
  for (const name of overQuota(filesIn(folder), quota, Date.now(), room)) folder.remove(name);
}

// A growing file as a stream: its current content, then all later bytes, until writing ends.

/** Number of bytes per read. */
const PIECE = 256 * 1024;

/**
 * Reads a file from a folder.
 * @param path The folder's path.
 * @param isGrowing Whether more may follow.
 * @param next Resolves when more may be available, or its signal is aborted.
 * @param signal Ends the reading.
 * @throws Deno's errors if the file cannot be opened.
 */
export function growingFile(
  path: string,
  name: string,
  isGrowing: () => boolean,
  next: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const file = FolderHandle.within(traceFolder(path), (folder) => folder.openFile(name, { read: true }));
  const leaving = new AbortController();
  const ends = AbortSignal.any([signal, leaving.signal]);
  let isClosed = false;
  const close = () => {
    if (!isClosed) file.close();
    isClosed = true;
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = new Uint8Array(PIECE);
      for (;;) {
        if (ends.aborted) break;
        const wasGrowing = isGrowing(); // before reading, so that the last bytes are still read
        const count = await file.read(piece).catch(() => null);
        if (count) return controller.enqueue(piece.subarray(0, count));
        if (!wasGrowing) break;
        if (isGrowing()) await next(ends);
      }
      close();
      controller.close();
    },
    cancel() {
      leaving.abort();
      close();
    },
  }, { highWaterMark: 1 });
}
