/** Messages between the thread that serves and the Worker that writes a trace. */

import type { TraceEntry } from "./entry.ts";
import type { Quota } from "./folder.ts";

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
  /** The entries that each file begins with; their times are set anew. */
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
