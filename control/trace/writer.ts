/** The serving thread's side of the Worker that writes a trace; to send a message to the Worker takes 0.02 ms. */

import type { TraceEntry } from "./entry.ts";
import type { Quota } from "./folder.ts";

/** Calls of a writer. */
interface WriterListener {
  /** The file has reached its size: {@linkcode TraceWriter.next} begins a new file. */
  full(): void;
  /** More of the file is on disk, or a new file has begun. */
  wrote(): void;
  /** The writing has ended by itself. */
  lost(problem: string): void;
}

/** Writes one trace. */
export class TraceWriter {
  /** The file that is written now, its name and its size. */
  path = "";
  name = "";
  bytes = 0;
  readonly #worker = new Worker(new URL("./writer_worker.ts", import.meta.url), { type: "module" });
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;

  constructor(start: WritingStart, readonly listener: WriterListener) {
    this.#begun.promise.catch(() => {}); // callers that wait get the error
    this.#worker.onmessage = ({ data }: MessageEvent<FromWriter>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault(); // an error that no handler takes ends the process
      this.#over(event.message);
    };
    this.#post({ type: "start", start });
  }

  /** Resolves when the file is there. Rejects with an Error that says why it cannot be made. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Adds lines. */
  add(text: string): void {
    this.#post({ type: "lines", text });
  }

  /** Adds the waiting lines and then a picture, whose buffer is transferred. */
  addPicture(t: number, isKey: boolean, message: Uint8Array<ArrayBuffer>, lines: string): void {
    this.#post({ type: "picture", t, isKey, message, lines }, [message.buffer]);
  }

  /** Begins a new file. @param first The entries that it begins with. */
  next(first: TraceEntry[]): void {
    this.#post({ type: "next", first });
  }

  /** Writes the last entry; resolves when the file is closed. */
  async end(why: string): Promise<void> {
    this.#post({ type: "end", why });
    await this.#ended.promise;
  }

  #post(message: ToWriter, transferred: Transferable[] = []): void {
    if (!this.#isOver) this.#worker.postMessage(message, transferred);
  }

  #receive(message: FromWriter): void {
    switch (message.type) {
      case "begun":
        Object.assign(this, { path: message.path, name: message.name, bytes: 0 });
        this.#begun.resolve();
        return this.listener.wrote();
      case "wrote":
        this.bytes = message.bytes;
        return this.listener.wrote();
      case "full":
        return this.listener.full();
      case "ended":
        return this.#over(message.problem);
    }
  }

  #over(problem?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#worker.terminate();
    this.#begun.reject(new Error(problem));
    this.#ended.resolve();
    if (problem !== undefined && this.path) this.listener.lost(problem);
    this.listener.wrote();
  }
}

// Messages between the thread that serves and the Worker that writes a trace.

/** The place of a trace's files, and their bounds. */
export interface WritingStart {
  folder: string;
  /** The beginning of the names of this trace's files. */
  base: string;
  title: string;
  /** The zero of the trace's times, in milliseconds of `performance.timeOrigin + performance.now()`. */
  startedAt: number;
  quota: Quota;
  /** The size from which a new file begins, in bytes. */
  fileBytes: number;
  /** The entries that each file begins with; their times are set again. */
  first: TraceEntry[];
}

/** Messages to the Worker. */
export type ToWriter =
  | { type: "start"; start: WritingStart }
  /** Lines of entries. */
  | { type: "lines"; text: string }
  /** A picture, and the lines before it. */
  | { type: "picture"; t: number; isKey: boolean; message: Uint8Array<ArrayBuffer>; lines: string }
  /** Begins a new file with these entries. */
  | { type: "next"; first: TraceEntry[] }
  | { type: "end"; why: string };

/** The Worker's messages. */
export type FromWriter =
  /** A file was begun. */
  | { type: "begun"; path: string; name: string }
  | { type: "wrote"; bytes: number }
  /** The file has reached its size: a new one is to begin. */
  | { type: "full" }
  /** The writing has ended; `problem` is the reason if it failed. */
  | { type: "ended"; problem?: string };
