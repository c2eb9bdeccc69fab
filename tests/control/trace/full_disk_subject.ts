/**
 * Writes traces on a disk that becomes full, for full_disk_test.ts, which mounts it.
 *
 * `full_disk_subject.ts FOLDER` prints one JSON line per case: a {@linkcode FullDisk}.
 */

import { join } from "@std/path";
import { entryLine, parseLine, type TraceEntry } from "../../../control/trace/entry.ts";
import type { FromWriter } from "../../../control/trace/writer_worker.ts";
import { TraceWriting } from "../../../control/trace/writer_worker.ts";
import { until } from "../../support/shell.ts";

/** The end of a trace. */
export interface FullDisk {
  name: string;
  /** The files that it left. */
  files: string[];
  /** The error that its writer reported; undefined while the writer works. */
  problem?: string;
  /** The last entry, and the marks before it. */
  last?: unknown;
  marks: number;
  /** Lines after the first entry that are not entries. */
  cut: string[];
}

const FIRST: TraceEntry = {
  kind: "trace",
  version: 1,
  deskhand: "0",
  started: "2026-11-22T18:08:00.000Z",
  desktop: "virtual",
  part: 1,
  t: 0,
};

/** The writer, and its reports. */
class Trace {
  readonly said: FromWriter[] = [];
  readonly writing: TraceWriting;
  readonly #ballast: string;

  constructor(readonly folder: string) {
    this.#ballast = `${folder}.ballast`;
    this.writing = new TraceWriting({
      folder,
      base: "2026-11-22T18-08-00-virtual",
      title: "a trace",
      startedAt: 0,
      quota: { bytes: 1e9, days: 1 },
      fileBytes: 1e9,
      first: [FIRST],
    }, (message) => this.said.push(message));
  }

  get path(): string {
    return join(this.folder, "2026-11-22T18-08-00-virtual.html");
  }

  /** Begins. The page that the file ends in has room for marks, whatever the length of the file's head. */
  async begin(): Promise<void> {
    await this.writing.begin();
    await this.write(mark(this.left()));
  }

  /** Fills the rest of the disk, except the rest of a page that the trace has begun. */
  fillDisk(): void {
    using file = Deno.openSync(this.#ballast, { write: true, create: true });
    const page = new Uint8Array(1024);
    try {
      for (;;) file.writeSync(page);
    } catch {
      // The disk is full.
    }
  }

  /** Adds lines, and waits until they are written or fail. */
  async write(...lines: string[]): Promise<void> {
    const before = this.said.length;
    this.writing.add(lines.join(""));
    await until(() => this.said.length > before);
  }

  /** How many bytes the file can grow. */
  left(): number {
    const { size, blksize } = Deno.statSync(this.path);
    return blksize! - size % blksize!;
  }

  end(name: string): FullDisk {
    const files = [...Deno.readDirSync(this.folder)].map(({ name }) => name);
    const text = files.length ? Deno.readTextFileSync(this.path) : "";
    const lines = text.slice(Math.max(0, text.indexOf('<!--a{"kind":"trace"'))).split("\n");
    const entries = lines.map(parseLine);
    Deno.removeSync(this.folder, { recursive: true });
    Deno.removeSync(this.#ballast);
    const problem = this.said.find((message) => message.type === "ended")?.problem;
    return {
      name,
      files,
      problem,
      last: entries.findLast(Boolean),
      marks: entries.filter((entry) => entry?.kind === "mark").length,
      cut: lines.filter((line, at) => line && !entries[at]),
    };
  }
}

const mark = (length: number) => entryLine({ kind: "mark", t: 0, text: "x".repeat(length) });
const EMPTY = mark(0).length;

/** Marks of one length that fill this many bytes, except the last one's. */
function marks(bytes: number, length: number): string[] {
  const whole = mark(length), count = Math.max(0, Math.floor((bytes - EMPTY) / whole.length));
  const rest = bytes - count * whole.length;
  return [...Array(count).fill(whole), ...(rest >= EMPTY ? [mark(rest - EMPTY)] : [])];
}

/** The disk fills up after marks of one length, when this many bytes of the last page are left. */
async function behind(folder: string, length: number, left: number): Promise<FullDisk> {
  const trace = new Trace(folder);
  await trace.begin();
  trace.fillDisk();
  await trace.write(...marks(trace.left() - left, length));
  await trace.write(mark(left + 1));
  return trace.end(`marks of ${length}, ${left} bytes left`);
}

/** The disk fills up within many lines that are written together. */
async function within(folder: string, length: number): Promise<FullDisk> {
  const trace = new Trace(folder);
  await trace.begin();
  trace.fillDisk();
  await trace.write(...marks(20_000, length));
  return trace.end(`marks of ${length} at once`);
}

/** A new file is about to begin on a full disk. */
async function nextFile(folder: string): Promise<FullDisk> {
  const trace = new Trace(folder);
  await trace.begin();
  trace.fillDisk();
  await trace.write(...marks(trace.left(), 10));
  trace.writing.next([FIRST]);
  return trace.end("a new file");
}

/** A trace is about to begin on a full disk. */
async function firstFile(folder: string): Promise<FullDisk> {
  const trace = new Trace(folder);
  trace.fillDisk();
  await trace.writing.begin();
  return trace.end("the first file");
}

if (import.meta.main) {
  const folder = join(Deno.args[0], "traces");
  const print = (ended: FullDisk) => console.log(JSON.stringify(ended));
  for (const length of [0, 100, 3000]) {
    for (const left of [0, 60, 130]) print(await behind(folder, length, left));
    print(await within(folder, length));
  }
  print(await nextFile(folder));
  print(await firstFile(folder));
}
