/** A trace's files as they are written, on the Worker's side. What cannot be written ends the trace with an entry. */

import { describeFileError } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { entryLine, pictureLine, type TraceEntry } from "./entry.ts";
import { createTraceFile, keepQuota } from "./folder.ts";
import { traceHead } from "./head.ts";
import type { FromWriter, WritingStart } from "./protocol.ts";

/** How long lines may wait to be written, in milliseconds: the part of it that a kill may lose. */
const FLUSH_MS = 200;
/** Characters that are written at once. */
const BATCH = 256 * 1024;
/** The longest time that a file covers, in milliseconds. */
const LONGEST_MS = 24 * 3600_000;

/** Writes a trace. */
export class TraceWriting {
  #file: Deno.FsFile | undefined;
  #part = 0;
  #begunAt = 0;
  /** Where the file ends, and where it ended before the last batch. */
  #end = 0;
  #before = 0;
  #waiting: string[] = [];
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFull = false;
  #head = "";
  readonly #encoder = new TextEncoder();

  constructor(readonly start: WritingStart, readonly report: (message: FromWriter) => void) {}

  /** Makes the folder and the first file. */
  async begin(): Promise<void> {
    this.#head = await traceHead(this.start.title);
    try {
      Deno.mkdirSync(this.start.folder, { recursive: true, mode: 0o700 });
      this.#next(this.start.first);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Adds lines. */
  add(text: string): void {
    if (!this.#file) return;
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length >= BATCH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Adds a picture. */
  addPicture(t: number, isKey: boolean, message: Uint8Array): void {
    if (this.#file) this.add(pictureLine(t, isKey, message));
  }

  /** Goes on in a new file. */
  next(first: TraceEntry[]): void {
    if (!this.#file) return;
    try {
      this.#flush();
      const before = this.#file;
      if (before) this.#next(first, (next) => this.#endFile(before, next));
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Writes the last entry and closes the file. */
  end(why: string): void {
    if (!this.#file) return;
    this.add(this.#endLine(why));
    this.#flush();
    if (!this.#file) return; // it could not be written
    this.#close();
    this.report({ type: "ended" });
  }

  /** Closes a file that another one continues. */
  #endFile(file: Deno.FsFile, next: string): void {
    try {
      writeAll(file, this.#encoder.encode(this.#endLine("the file is full", next)));
    } catch {
      // The disk is full: the next write says so.
    }
    file.close();
  }

  /** @param closeLast Closes the file before, which names this one. */
  #next(first: TraceEntry[], closeLast?: (name: string) => void): void {
    const { folder, base, quota, fileBytes } = this.start;
    keepQuota(folder, quota, fileBytes);
    const { file, name } = createTraceFile(folder, base, this.#part + 1);
    closeLast?.(name);
    this.#file = file;
    this.#part++;
    this.#begunAt = performance.now();
    this.#end = this.#before = 0;
    this.#isFull = false;
    const t = this.#now(), part = this.#part;
    const entries = first.map((entry) => ({ ...entry, t, ...(entry.kind === "trace" ? { part } : {}) }));
    this.#write(this.#head + entries.map((entry) => entryLine(entry as TraceEntry)).join(""));
    this.report({ type: "begun", path: join(folder, name), name });
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
    this.#before = this.#end;
    writeAll(this.#file!, bytes);
    this.#end += bytes.length;
  }

  /** Ends the trace: the last batch, of which a part may stand there, makes room for the entry that says why. */
  #giveUp(error: unknown): void {
    const problem = describeFileError(error);
    this.#waiting = [];
    clearTimeout(this.#timer);
    const line = this.#encoder.encode(this.#endLine(`it cannot be written: ${problem}`));
    for (const end of [this.#end, this.#before]) {
      if (!this.#file) break;
      try {
        this.#file.truncateSync(end);
        this.#file.seekSync(end, Deno.SeekMode.Start);
        writeAll(this.#file, line);
        break;
      } catch {
        // Not even for a line is there room: the batch before goes, too.
      }
    }
    this.#close();
    this.report({ type: "ended", problem });
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

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}
