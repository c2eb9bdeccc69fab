/**
 * Records one trace: callers' actions, a person's input between them, pictures and windows, each as a line.
 */

import { delay } from "@std/async/delay";
import { ExpectedError } from "../../core/errors.ts";
import type { ObservedAction, Region, Watch } from "../desktop/desktop.ts";
import type { Seen } from "../observe/observation.ts";
import type {
  CalledAction,
  CallListener,
  FollowedCall,
  NotedCaller,
  ToolOutcome,
} from "../operator/calls.ts";
import type { Operator } from "../operator/operator.ts";
import type { Recorder } from "../recording/recorder.ts";
import { callEntry, type EndedCall, LOOKS, OWN } from "./calls.ts";
import { type ActionEntry, entryLine, type TraceEntry } from "./entry.ts";
import {
  type ActiveWindow,
  firstWithin,
  isOwn,
  pauseWhileLocked,
  PersonInput,
  watchInput,
} from "./person.ts";
import type { TraceSink, TraceWriter } from "./sink.ts";

// A running call in a trace: only the data that must be recorded immediately. The entry is made later.

/** Receives finished calls. */
interface CallKeeper {
  timeOf(at: number): number;
  callEnded(call: OpenCall, now: number): void;
}

/** Rounds milliseconds to one decimal. */
function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** A call of an action, from start to end. */
class OpenCall implements FollowedCall, EndedCall {
  result: unknown;
  seen: Seen | undefined;
  error: unknown;
  /** When the action ended; 0 until then. */
  #until = 0;

  /** @param from When the call started, in milliseconds of `performance.now()`. */
  constructor(
    readonly action: CalledAction,
    public caller: NotedCaller,
    public values: Record<string, unknown>,
    private from: number,
    private readonly keeper: CallKeeper,
  ) {
    // Records a file's size now, before its bytes move to another thread.
    const { png } = values;
    if (png instanceof Uint8Array) this.values = { ...values, png: { bytes: png.length } };
  }

  get t(): number {
    return this.keeper.timeOf(this.from);
  }

  get ms(): number {
    return tenths(this.#until - this.from);
  }

  restarted(): void {
    this.from = performance.now();
  }

  done(): void {
    this.#until ||= performance.now();
  }

  ended({ result, seen, error }: { result?: unknown; seen?: Seen; error?: unknown }): void {
    const now = performance.now();
    this.#until ||= now;
    // Reads the client's name and the call's secrecy now: the request ends with the call, and the next call
    // may change both.
    const { by, client, isSensitive } = this.caller;
    this.caller = { by, client, isSensitive };
    this.result = result;
    this.seen = seen;
    this.error = error;
    this.keeper.callEnded(this, now);
  }
}

/** How long entries wait to be sent together, in milliseconds. */
const BATCH_MS = 100;
/** Maximum time between pointer moves on the page that form one entry, in milliseconds. */
const MOVES_MS = 250;

/** How long a start waits for the first picture, and an end for the last action's effect, in milliseconds. */
const FIRST_MS = 3000, SETTLE_MS = 300;

/** Records until it is ended. */
export class TraceRecorder implements CallListener {
  /** Numbers of action entries and of pictures. */
  readonly counts = { actions: 0, pictures: 0 };
  /** The last problem. */
  problem: string | undefined;
  isPaused = false;
  /** The reason for the pause; undefined if a caller paused. */
  pausedFor: string | undefined;
  readonly #person = new PersonInput((entry) => this.#isOpen && this.add(entry));
  #lines: string[] = [];
  /** Finished calls whose entries are not made yet. */
  #calls: EndedCall[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #moves: ActionEntry | undefined;
  #screen: Region | undefined;
  #watch: Promise<Watch | undefined> | undefined;
  #endLock: (() => void) | undefined;
  #isEnded = false;
  #actedAt = -Infinity;
  /** Calls that failed. */
  #failures = 0;
  readonly #first = firstWithin(FIRST_MS);

  constructor(readonly parts: RecorderParts) {}

  /** The current time, in milliseconds from the start of the trace. */
  get now(): number {
    return this.timeOf(performance.now());
  }

  /** Converts a `performance.now()` time to milliseconds from the start of the trace. */
  timeOf(at: number): number {
    return tenths(at - this.parts.startedAt);
  }

  /**
   * Starts taking pictures and watching input; resolves at the first picture, or when the wait for it takes
   * too long.
   */
  async begin(): Promise<void> {
    const { operator, changed } = this.parts;
    this.#take();
    this.#timer = setInterval(() => this.#send(), BATCH_MS);
    this.#watch = watchInput(
      operator,
      (batch) => this.#observe(batch),
      (why) => this.#isOpen && this.#note(`input is not watched: ${why}`),
    );
    this.#endLock = pauseWhileLocked(this, operator.desktop.lock, changed);
    await this.#first.promise;
  }

  /** Briefly waits for pictures of the last action's effects. */
  async settle(): Promise<void> {
    if (this.isPaused || performance.now() - this.#actedAt > SETTLE_MS) return;
    this.parts.sink.acted(true);
    await delay(SETTLE_MS);
  }

  /** Starts a call; undefined if the trace leaves it out. */
  began(
    action: CalledAction,
    caller: NotedCaller,
    values: Record<string, unknown>,
  ): FollowedCall | undefined {
    const { looks } = this.parts;
    if (!this.#isOpen || OWN.has(action.name) || !looks && LOOKS.has(action.name)) return undefined;
    const now = performance.now();
    if (action.effect === "act") this.parts.sink.acted(true, now);
    return new OpenCall(action, caller, values, now, this);
  }

  /** Records a finished call. @param now In milliseconds of `performance.now()`. */
  callEnded(call: OpenCall, now: number): void {
    if (call.action.effect === "act") this.#actedAt = now;
    if (call.error !== undefined) this.#failures++;
    this.counts.actions++;
    this.#calls.push(call);
  }

  /** Records a call whose values were rejected before it started. */
  refused(action: CalledAction, caller: NotedCaller, error: unknown): void {
    if (!this.#isOpen || OWN.has(action.name) || !(error instanceof ExpectedError)) return;
    const call = { action, caller, values: {}, t: this.now, ms: 0, error, isRefused: true };
    this.counts.actions++;
    this.#failures++;
    this.#calls.push(call);
  }

  /**
   * Records a tool that ran no action, or failed apart from its actions, as when a step finds no element:
   * otherwise, its actions are traced.
   */
  toolCalled(
    { name, effect }: Pick<CalledAction, "name" | "effect">,
    caller: NotedCaller,
  ): ((outcome: () => ToolOutcome) => void) | undefined {
    if (effect === "read") return undefined;
    const { actions } = this.counts, failures = this.#failures, start = performance.now();
    return (outcome) => {
      if (!this.#isOpen || this.#failures !== failures) return;
      const { values, error } = outcome();
      if (error === undefined && this.counts.actions !== actions) return;
      const ms = performance.now() - start, t = Math.max(0, tenths(this.now - ms));
      const action = { name, effect: "act", input: {} };
      this.counts.actions++;
      this.#calls.push({ action, caller, values, t, ms: tenths(ms), error, isKept: true });
    };
  }

  add(entry: TraceEntry): void {
    if (this.#isEnded) return;
    this.#takeCalls(); // calls that began before this one
    this.#lines.push(entryLine(entry));
  }

  /** Adds a mark. */
  mark(text: string): void {
    this.#flush();
    this.add({ kind: "mark", t: this.now, text });
  }

  /** Stops taking pictures and entries until {@linkcode resume}. */
  pause(why?: string): void {
    this.pausedFor = why;
    if (this.isPaused) return;
    this.#flush();
    this.isPaused = true;
    this.#first.resolve();
    this.parts.sink.close();
    this.parts.windows.close();
    this.add({ kind: "pause", t: this.now, ...(why ? { why } : {}) });
  }

  /** Continues after a pause. */
  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.pausedFor = undefined;
    this.add({ kind: "resume", t: this.now });
    this.#take();
  }

  /** Starts a new file, with a picture of the whole screen. */
  nextFile(): void {
    this.#flush();
    this.#send();
    const { writer, sink, head, windows } = this.parts, t = this.now;
    const screen = this.#screen && { kind: "screen" as const, t, ...this.#screen };
    writer.next([head, ...(screen ? [screen] : []), ...(windows.last ? [{ ...windows.last, t }] : [])]);
    if (!this.isPaused) sink.startOver();
  }

  /** Ends the trace; resolves once its file is closed. */
  async end(why: string): Promise<void> {
    if (this.#isEnded) return;
    this.close();
    await this.parts.writer.end(why);
  }

  /** Rejects further entries. */
  close(): void {
    if (this.#isEnded) return;
    this.#flush();
    this.#send();
    clearInterval(this.#timer);
    this.#endLock?.();
    this.#isEnded = true;
    this.parts.windows.close();
    if (!this.isPaused) this.parts.sink.close();
    this.#watch?.then((watch) => watch?.close()).catch(() => {}); // the desktop may be gone
  }

  get #isOpen(): boolean {
    return !this.isPaused && !this.#isEnded;
  }

  readonly #veil = (text: string) => this.parts.windows.veil(text);

  #take(): void {
    const { sink, windows } = this.parts;
    sink.open({
      screen: (place) => this.#show(place),
      picture: (message, isKey, at) => this.#picture(message, isKey, at),
      problem: (message) => this.#failed(message),
    });
    windows.open((id, title) => this.add({ kind: "window", t: this.now, id, title }));
  }

  #show({ x, y, width, height }: Region): void {
    this.#screen = { x, y, width, height };
    this.add({ kind: "screen", t: this.now, x, y, width, height });
  }

  #picture(message: Uint8Array<ArrayBuffer>, isKey: boolean, at: number): void {
    this.problem = undefined;
    this.counts.pictures++;
    this.#first.resolve();
    this.parts.writer.addPicture(this.timeOf(at), isKey, message, this.#takeLines());
    this.parts.windows.lookSoon();
  }

  /** Records why pictures are missing, only once until pictures arrive again. */
  #failed(message: string): void {
    if (this.problem === message) return;
    this.problem = message;
    this.add({ kind: "problem", t: this.now, message: `no pictures: ${message}` });
  }

  /** Makes the entries of finished calls. */
  #takeCalls(): void {
    const calls = this.#calls;
    if (!calls.length) return;
    this.#calls = [];
    for (const call of calls) this.#addCall(callEntry(call, this.parts.keepsTexts, this.#veil));
    if (!calls.some(({ action }) => action.effect === "act")) return;
    this.parts.sink.acted();
    this.parts.windows.lookSoon();
  }

  #addCall(entry: ActionEntry): void {
    const isMove = entry.by === "page" && entry.name === "move" && !entry.error, moves = this.#moves;
    if (isMove && moves && entry.t - moves.t < MOVES_MS) {
      const { t, moves: count = 1 } = moves;
      this.#moves = { ...entry, t, ms: tenths(entry.t + entry.ms - t), moves: count + 1 };
      return;
    }
    this.#flushMoves();
    if (!isMove) return this.add(entry);
    this.#moves = entry;
  }

  #flushMoves(): void {
    const moves = this.#moves;
    this.#moves = undefined;
    if (moves) this.add(moves);
  }

  #flush(): void {
    this.#takeCalls();
    this.#flushMoves();
    this.#person.flush();
  }

  #send(): void {
    const lines = this.#takeLines();
    if (lines && !this.#isEnded) this.parts.writer.add(lines);
  }

  /** Takes the lines that are waiting to be sent. */
  #takeLines(): string {
    this.#takeCalls();
    if (this.#person.isPending) this.#person.flushOlder(this.now);
    if (this.#moves && this.now - this.#moves.t >= MOVES_MS) this.#flushMoves();
    const lines = this.#lines;
    if (lines.length) this.#lines = [];
    return lines.join("");
  }

  /** Processes input that callers did not request. */
  #observe(batch: readonly ObservedAction[]): void {
    if (!this.#isOpen) return;
    const { recorder, sink, windows, startedAt } = this.parts, zero = performance.timeOrigin + startedAt;
    const isPlaying = recorder.status().state === "playing";
    const own = batch.filter((observed) => isOwn(observed, isPlaying));
    for (const { action, at, injected } of own) {
      this.#person.take(action, Math.max(0, tenths(at - zero)), injected);
    }
    if (own.length) sink.acted();
    if (own.some(({ action }) => action.type !== "move")) windows.lookSoon();
  }

  #note(message: string): void {
    this.add({ kind: "problem", t: this.now, message });
  }
}

// The parts of a trace recorder, and its results.

interface RecorderParts {
  operator: Operator;
  recorder: Recorder;
  sink: TraceSink;
  writer: TraceWriter;
  windows: ActiveWindow;
  /** The first entry of every file. */
  head: TraceEntry & { kind: "trace" };
  /** The zero of times, in milliseconds of `performance.now()`. */
  startedAt: number;
  /** Whether to store texts, and actions that only look. */
  keepsTexts: boolean;
  looks: boolean;
  /** Called when the trace pauses or continues on its own. */
  changed(): void;
}
