/** The Worker that writes a trace: base64, the file, its quota; in another role, it lists a folder's files. */

/// <reference lib="deno.worker" />

import { writeAll } from "../../core/bytes.ts";
import { attempt, describeFileError } from "../../core/errors.ts";
import type { FolderHandle } from "../../core/folder_handle.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { lowerPriority } from "../../core/v8_threads.ts";
import { entryLine, pictureLine, type TraceEntry, traceHead } from "./entry.ts";
import {
  createTraceFile,
  keepQuota,
  LIST_ROLE,
  openTraceFolder,
  type Quota,
  type TraceFile,
  traceFiles,
} from "./folder.ts";

// Messages between the serving thread and this Worker.

/** Where a trace's files are written, and their limits. */
export interface WritingStart {
  folder: string;
  /** The start of the names of this trace's files. */
  base: string;
  title: string;
  /** The zero of the trace's times, in milliseconds of `performance.timeOrigin + performance.now()`. */
  startedAt: number;
  quota: Quota;
  /** Size from which a new file starts, in bytes. */
  fileBytes: number;
  /** The first entries of every file; their times are updated. */
  first: TraceEntry[];
}

/** Messages to the Worker. */
export type ToWriter =
  | { type: "start"; start: WritingStart }
  /** Lines of entries. */
  | { type: "lines"; text: string }
  /** A picture, and the lines before it. */
  | { type: "picture"; t: number; isKey: boolean; message: Uint8Array<ArrayBuffer>; lines: string }
  /** Starts a new file with these entries. */
  | { type: "next"; first: TraceEntry[] }
  | { type: "end"; why: string };

/** The Worker's messages. */
export type FromWriter =
  /** A file was started. */
  | { type: "begun"; path: string; name: string }
  | { type: "wrote"; bytes: number }
  /** The file has reached its maximum size: a new one must be started. */
  | { type: "full" }
  /** Writing has ended; `problem` is the reason if it failed. */
  | { type: "ended"; problem?: string };

// Writes the entry that ends a trace's file, complete even on a full disk.

/** Number of bytes read back at a time. */
const PIECE = 64 * 1024;
const LINE_FEED = 10;

/**
 * Writes the last entry of a file, after the complete entries. On a full disk it overwrites as few of the
 * last entries as necessary, since overwriting takes no new space.
 * @param file Open for reading and writing; may end with a partial entry.
 * @param least The end of the first entries, which stay.
 * @param line The entry, with its line feed.
 */
function writeLastEntry(file: Deno.FsFile, least: number, line: Uint8Array): void {
  const size = () => file.statSync().size;
  if (writesAt(file, entryBefore(file, size(), least), line)) return;
  const at = entryBefore(file, size() - line.length, least);
  if (writesAt(file, at, line)) return;
  file.truncateSync(at); // a copy-on-write file system may have room now
  if (!writesAt(file, at, line)) file.truncateSync(at);
}

/** Writes a line at a position and truncates the file after it. @returns Whether there was room. */
function writesAt(file: Deno.FsFile, at: number, line: Uint8Array): boolean {
  return attempt(() => {
    file.seekSync(at, Deno.SeekMode.Start);
    writeAll(file, line);
    file.truncateSync(at + line.length);
    return true;
  }, false);
}

/** The last end of a line at or before `limit`, or `least`. */
function entryBefore(file: Deno.FsFile, limit: number, least: number): number {
  for (let to = limit; to > least; to -= PIECE) {
    const from = Math.max(least, to - PIECE), piece = new Uint8Array(to - from);
    file.seekSync(from, Deno.SeekMode.Start);
    for (let at = 0; at < piece.length;) {
      const count = file.readSync(piece.subarray(at));
      if (!count) break;
      at += count;
    }
    const found = piece.lastIndexOf(LINE_FEED);
    if (found >= 0) return from + found + 1;
  }
  return least;
}

// Writes a trace's files, on the Worker's side. A failed write ends the trace with an entry.

/** How long lines may wait to be written, in milliseconds: a kill may lose this much. */
const FLUSH_MS = 200;
/** Number of characters written at a time. */
const BATCH = 256 * 1024;
/** Maximum time that a file covers, in milliseconds. */
const LONGEST_MS = 24 * 3600_000;

/** Writes a trace. */
export class TraceWriting {
  #file: Deno.FsFile | undefined;
  #part = 0;
  #begunAt = 0;
  /** Offsets of the file's end, and of the end of its first entries. */
  #end = 0;
  #least = 0;
  #waiting: string[] = [];
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFull = false;
  #head = "";
  /** The folder of the files, open while the trace runs. */
  #folder: FolderHandle | undefined;
  readonly #encoder = new TextEncoder();

  constructor(readonly start: WritingStart, readonly report: (message: FromWriter) => void) {}

  /** Creates the folder and the first file. */
  async begin(): Promise<void> {
    this.#head = await traceHead(this.start.title);
    try {
      Deno.mkdirSync(this.start.folder, { recursive: true, mode: 0o700 });
      this.#folder = openTraceFolder(this.start.folder);
      this.#next(this.start.first);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  add(text: string): void {
    if (!this.#file) return;
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length >= BATCH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  addPicture(t: number, isKey: boolean, message: Uint8Array): void {
    if (this.#file) this.add(pictureLine(t, isKey, message));
  }

  /** Continues in a new file. */
  next(first: TraceEntry[]): void {
    if (!this.#file) return;
    try {
      this.#flush();
      if (this.#file) this.#next(first);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Writes the last entry and closes the file. */
  end(why: string): void {
    if (!this.#file) return;
    this.add(this.#endLine(why));
    this.#flush();
    if (!this.#file) return; // the entry could not be written
    this.#close();
    this.#folder?.[Symbol.dispose]();
    this.report({ type: "ended" });
  }

  /**
   * Starts a file and closes the previous one, which names the new one. A new file without room for its start
   * is removed.
   */
  #next(first: TraceEntry[]): void {
    const { base, quota, fileBytes } = this.start, folder = this.#folder!;
    keepQuota(folder, quota, fileBytes);
    const { file, name } = createTraceFile(folder, base, this.#part + 1), path = folder.path(name);
    const t = this.#now(), part = this.#part + 1;
    const entries = first.map((entry) => ({ ...entry, t, ...(entry.kind === "trace" ? { part } : {}) }));
    const lines = entries.map((entry) => entryLine(entry as TraceEntry)).join("");
    const bytes = this.#encoder.encode(this.#head + lines);
    try {
      writeAll(file, bytes);
    } catch (error) {
      file.close();
      folder.remove(name);
      throw error;
    }
    this.#endFile(this.#endLine("the file is full", name));
    this.#file = file;
    this.#part = part;
    this.#begunAt = performance.now();
    this.#end = this.#least = bytes.length;
    this.#isFull = false;
    this.report({ type: "begun", path, name });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#length = 0;
    if (!text || !this.#file) return;
    try {
      this.#write(text);
    } catch (error) {
      return this.#giveUp(error);
    }
    this.report({ type: "wrote", bytes: this.#end });
    const isFull = this.#end >= this.start.fileBytes || performance.now() - this.#begunAt > LONGEST_MS;
    if (!isFull || this.#isFull) return;
    this.#isFull = true;
    this.report({ type: "full" });
  }

  #write(text: string): void {
    const bytes = this.#encoder.encode(text);
    writeAll(this.#file!, bytes);
    this.#end += bytes.length;
  }

  /** Ends the trace with an entry that gives the reason. */
  #giveUp(error: unknown): void {
    const problem = describeFileError(error);
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#endFile(this.#endLine(`it cannot be written: ${problem}`));
    this.#folder?.[Symbol.dispose]();
    this.report({ type: "ended", problem });
  }

  /** Writes the last entry of the file, if it is open, and closes it. */
  #endFile(line: string): void {
    const file = this.#file;
    if (!file) return;
    // If the disk fails, the file ends at the last bytes written.
    attempt(() => writeLastEntry(file, this.#least, this.#encoder.encode(line)));
    this.#close();
  }

  #endLine(why: string, next?: string): string {
    return entryLine({ kind: "end", t: this.#now(), why, ...(next ? { next } : {}) });
  }

  #close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #now(): number {
    return Math.round((performance.timeOrigin + performance.now() - this.start.startedAt) * 10) / 10;
  }
}

const report = (message: FromWriter) => self.postMessage(message);
let writing: TraceWriting | undefined;
let begun: Promise<void> = Promise.resolve();

function take(message: ToWriter): void {
  switch (message.type) {
    case "lines":
      return writing?.add(message.text);
    case "picture":
      if (message.lines) writing?.add(message.lines);
      return writing?.addPicture(message.t, message.isKey, message.message);
    case "next":
      return writing?.next(message.first);
    case "end":
      return writing?.end(message.why);
  }
}

function receive({ data }: MessageEvent<ToWriter>): void {
  if (data.type !== "start") {
    if (writing) take(data);
    else begun = begun.then(() => take(data));
    return;
  }
  lowerPriority();
  const started = new TraceWriting(data.start, report);
  begun = started.begin().then(() => void (writing = started));
}

if (self.name === LIST_ROLE) answerCalls<string, TraceFile[]>(traceFiles);
else globalThis.onmessage = receive;
