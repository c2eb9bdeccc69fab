/** The traces of a desktop: at most one is recorded at a time. */

import { Disk, OWN_FILES } from "../../core/disk.ts";
import { InputError, NotFoundError, StateError } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { printable } from "../../core/printable.ts";
import { stateFile, stateFolder } from "../../core/state_files.ts";
import { CallWorker } from "../../core/worker.ts";
import { VERSION } from "../../core/version.ts";
import type { LivePictures } from "../live/pictures.ts";
import type { Calls } from "../operator/calls.ts";
import type { Operator } from "../operator/operator.ts";
import type { Recorder } from "../recording/recorder.ts";
import { FORMAT_VERSION } from "./entry.ts";
import {
  baseName,
  growingFile,
  isTraceName,
  LIST_ROLE,
  removeTraceFile,
  type TraceFile,
  traceFile,
} from "./folder.ts";
import { ANSWER_MS, checkHiding, HidingSink, TraceSink, TraceWriter } from "./sink.ts";
import { TraceRecorder } from "./recorder.ts";
import { ActiveWindow, titlePattern } from "./person.ts";

/** The folder of traces, and what they exclude. */
export interface TraceSettings {
  /** The folder of traces; one in the user's state folder if left out. */
  folder?: string;
  /** Maximum total size of the folder's files, in bytes. */
  limit: number;
  /** Number of days for which files are kept. */
  days: number;
  /** Title patterns of excluded windows; `*` stands for any text. */
  hide: readonly string[];
  /** Prints a notice for the person. */
  notice: (text: string) => void;
}

/** How long the thread that lists files stays alive without work, in milliseconds. */
const LISTER_IDLE_MS = 10_000;
/** Size from which a new file starts, in bytes. */
const FILE_BYTES = 100e6;
/** Minimum number of files that a folder's quota is divided into. */
const LEAST_FILES = 4;

interface TraceOptions {
  name?: string;
  /** Whether to store the texts that callers type; false if left out. */
  texts?: boolean;
  /** Whether to record actions that only look, such as screenshots; false if left out. */
  looks?: boolean;
}

interface TraceStatus {
  state: "off" | "running" | "paused";
  /** Path of the current file, or of the last one. */
  file?: string;
  name?: string;
  /** How long the trace has run, or ran, in milliseconds. */
  ms: number;
  actions: number;
  pictures: number;
  /** Size of the last file, in bytes. */
  bytes: number;
  problem?: string;
}

/** The content of a file. */
interface TraceContent {
  name: string;
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** The part of a runner that traces use. */
interface TraceHost {
  readonly operator: Operator;
  readonly recorder: Recorder;
  readonly pictures: LivePictures;
  readonly calls: Calls;
  /** Address of the control API, without a trailing slash; undefined if it is not running. */
  readonly url?: string | undefined;
}

/** The running trace, or the last one. */
interface Run {
  recorder: TraceRecorder;
  writer: TraceWriter;
  name?: string;
  startedAt: number;
  /** How long the run took, once it has ended, in milliseconds. */
  ms?: number;
  problem?: string;
  /** Unsubscribes the recorder from calls. */
  off?(): void;
}

/** Records, lists and removes traces. */
export class Traces {
  #run: Run | undefined;
  #isStarting = false;
  readonly #lister = new CallWorker<string, TraceFile[]>({
    url: { url: new URL("./writer_worker.ts", import.meta.url), role: LIST_ROLE },
    idleMs: LISTER_IDLE_MS,
    limitMs: ANSWER_MS,
  });
  readonly #sink: TraceSink | HidingSink;
  readonly #patterns: readonly RegExp[];
  readonly #waiting = new Set<() => void>();

  constructor(readonly runner: TraceHost, readonly settings: TraceSettings) {
    this.#patterns = settings.hide.map(titlePattern);
    this.#sink = settings.hide.length ? new HidingSink(runner.operator) : new TraceSink(runner.pictures);
  }

  /** The state. */
  get status(): TraceStatus {
    const run = this.#run;
    if (!run) return { state: "off", ms: 0, actions: 0, pictures: 0, bytes: 0 };
    const { recorder, writer, name, startedAt, ms } = run, problem = run.problem ?? recorder.problem;
    return {
      state: ms !== undefined ? "off" : recorder.isPaused ? "paused" : "running",
      file: writer.path,
      ...(name === undefined ? {} : { name }),
      ms: ms ?? Math.round(performance.now() - startedAt),
      ...recorder.counts,
      bytes: writer.bytes,
      ...(problem === undefined ? {} : { problem }),
    };
  }

  /**
   * Starts a trace.
   * @returns Resolves once its file exists.
   * @throws StateError if one is running; InputError if the file cannot be created; UnsupportedError if
   * windows are to be excluded that the desktop does not report.
   */
  async start({ name, texts = false, looks = false }: TraceOptions = {}): Promise<TraceStatus> {
    if (this.#isStarting || this.#run && this.#run.ms === undefined) {
      throw new StateError("a trace is already being recorded: stop it first");
    }
    this.#isStarting = true;
    try {
      await this.#answers();
      if (this.#patterns.length) await checkHiding(this.runner.operator);
      const run = this.#begin(name, texts, looks);
      await run.writer.begun.catch((error) => {
        run.recorder.close();
        throw new InputError(`cannot write a trace to ${this.folder}: ${error.message}`, {
          cause: error,
        });
      });
      this.#run = run;
      run.off = this.runner.calls.on(run.recorder);
      this.#tell();
      const { notice } = this.settings;
      notice(`recording a trace, with pictures of everything on the screen: ${run.writer.path}`);
      await run.recorder.begin();
    } finally {
      this.#isStarting = false;
    }
    return this.status;
  }

  /**
   * Ends the trace; resolves once its file is closed.
   * @throws StateError if none is running.
   */
  async stop(why = "stopped"): Promise<TraceStatus> {
    const run = this.#running();
    await run.recorder.settle();
    this.#running(); // another caller may have stopped the trace by now
    this.#over(run);
    await run.recorder.end(why);
    this.#tell();
    return this.status;
  }

  /** Adds a mark. @throws StateError if no trace is running. */
  mark(text: string): void {
    this.#running().recorder.mark(text);
  }

  /** Pauses the trace until {@linkcode resume}. @throws StateError if no trace is running. */
  pause(): void {
    this.#running().recorder.pause();
    this.#tell();
  }

  /** Continues a paused trace. @throws StateError if no trace is running. */
  resume(): void {
    this.#running().recorder.resume();
    this.#tell();
  }

  get folder(): string {
    return this.settings.folder ?? stateFile("traces");
  }

  /** The files, oldest first. @throws BusyError if the disk does not answer. */
  async list(): Promise<TraceFile[]> {
    await this.#answers();
    return await this.#lister.call(this.folder);
  }

  /** @throws BusyError if the folder's disk does not answer, so that calls on this thread would block it. */
  async #answers(): Promise<void> {
    const { folder = join(stateFolder(), "traces") } = this.settings;
    await new Disk(OWN_FILES, "the traces", folder).answers();
  }

  /**
   * Removes a file.
   * @throws InputError if the name is not that of a trace; NotFoundError if there is no such file; StateError
   * if it is being written; BusyError if the disk does not answer.
   */
  async remove(name: string): Promise<void> {
    await this.#answers();
    const file = this.#file(name);
    if (file.isRunning) throw new StateError(`${name} is still being written: stop the trace first`);
    removeTraceFile(this.folder, name);
  }

  /**
   * The bytes of a file; for a file being written, the stream continues until writing ends.
   * @param name The file's name; if left out, the file being written, otherwise the newest.
   * @param follows Whether to wait for later bytes.
   * @param signal Ends the wait.
   * @throws InputError, NotFoundError and BusyError like {@linkcode remove}.
   */
  async read(name: string | undefined, follows: boolean, signal: AbortSignal): Promise<TraceContent> {
    const newest = name === undefined ? (await this.list()).at(-1)?.name : undefined;
    await this.#answers();
    const run = this.#run, isWritten = () => run !== undefined && run.ms === undefined;
    const written = isWritten() ? run!.writer.name : undefined;
    const chosen = name ?? written ?? newest;
    if (chosen === undefined) throw new NotFoundError("there is no trace");
    if (chosen !== written) this.#file(chosen);
    const isGrowing = () => follows && chosen === written && isWritten() && run!.writer.name === chosen;
    const stream = growingFile(this.folder, chosen, isGrowing, (ends) => this.#next(ends), signal);
    return { name: chosen, stream };
  }

  /** Resolves with the next change of the state or the file. */
  async #next(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>(), wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake);
    if (!signal.aborted) await promise;
    signal.removeEventListener("abort", wake); // a reader may follow for hours
    this.#waiting.delete(wake);
  }

  #file(name: string): TraceFile {
    if (!isTraceName(name)) {
      throw new InputError(`${printable(name, 80)} is not the name of a trace: GET /api/traces lists them`);
    }
    const file = traceFile(this.folder, name);
    if (!file) throw new NotFoundError(`there is no trace ${name}: GET /api/traces lists them`);
    return file;
  }

  #running(): Run {
    if (this.#run && this.#run.ms === undefined) return this.#run;
    throw new StateError("no trace is being recorded: start one first");
  }

  #over(run: Run): void {
    run.ms = Math.round(performance.now() - run.startedAt);
    run.off?.();
  }

  #begin(name: string | undefined, keepsTexts: boolean, looks: boolean): Run {
    const { operator, recorder, url } = this.runner, { limit, days } = this.settings;
    const started = new Date(), startedAt = performance.now(), desktop = operator.desktop.kind;
    const head = {
      kind: "trace" as const,
      version: FORMAT_VERSION as typeof FORMAT_VERSION,
      deskhand: VERSION,
      started: started.toISOString(),
      desktop,
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      part: 1,
      t: 0,
    };
    const writer = new TraceWriter({
      folder: this.folder,
      base: baseName(started, desktop, name),
      title: `Trace ${name ?? desktop}, ${started.toISOString().slice(0, 16).replace("T", " ")}`,
      startedAt: performance.timeOrigin + startedAt,
      quota: { bytes: limit, days },
      fileBytes: Math.min(FILE_BYTES, Math.floor(limit / LEAST_FILES)),
      first: [head],
    }, {
      full: () => traced.nextFile(),
      wrote: () => this.#wake(),
      lost: (problem) => {
        traced.close();
        Object.assign(run, { problem });
        this.#over(run);
        this.settings.notice(`the trace has ended: ${problem}`);
        this.#tell();
      },
    });
    const windows = new ActiveWindow(operator, this.#patterns);
    if (this.#sink instanceof HidingSink) this.#sink.windows = windows;
    const parts = {
      operator,
      recorder,
      sink: this.#sink,
      writer,
      windows,
      head,
      startedAt,
      keepsTexts,
      looks,
      changed: () => this.#tell(),
    };
    const traced = new TraceRecorder(parts), run: Run = { recorder: traced, writer, name, startedAt };
    return run;
  }

  #wake(): void {
    for (const resolve of [...this.#waiting]) resolve();
  }

  #tell(): void {
    this.#wake();
    this.runner.calls.traced(this.status.state);
  }
}
