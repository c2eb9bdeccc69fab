/** The trace as one more viewer of the live picture: a slot without a socket, and with its own pace. */

import { UnsupportedError } from "../../core/errors.ts";
import { isSameRegion, type Region, type WindowInfo } from "../desktop/desktop.ts";
import { within } from "../../core/until.ts";
import { HIDDEN_REGIONS, type LiveReport, TRACE_SLOT, type Viewers } from "../desktop/viewers.ts";
import { LivePictures, type PictureClient } from "../live/pictures.ts";
import type { Operator } from "../operator/operator.ts";
import { listWindows } from "../windows/list.ts";
import type { ActiveWindow } from "./person.ts";
import type { TraceEntry } from "./entry.ts";
import type { FromWriter, ToWriter, WritingStart } from "./writer_worker.ts";

// The rate of a trace's pictures: frequent after an action, rare at rest, and within a byte limit. Pure.

/** Minimum time between pictures, in milliseconds: after an action, and at rest. */
const INTERVAL_MS = { active: 100, resting: 1000 } as const;
/** How long an action, or a person's input, counts as recent, in milliseconds. */
const RECENT_MS = 1500;
/** Sustained maximum of file bytes per second: 11 MB per minute. */
const RATE = 180_000;
/** Maximum burst in bytes, after a rest. */
const BURST = 500_000;

/** Times are in milliseconds on one clock. */
export class Pace {
  #left = BURST;
  #leftAt = 0;
  #activeAt = -Infinity;
  #lastAt = -Infinity;

  /** Records an action, after which the screen may change. */
  acted(now: number): void {
    this.#activeAt = now;
  }

  /** Records a picture. @param bytes Number of bytes of its line. */
  took(bytes: number, now: number): void {
    this.#refill(now);
    this.#left -= bytes;
    this.#lastAt = now;
  }

  /**
   * Returns when the next picture is due.
   * @param isUrgent Whether an action is starting. The picture before it may exceed the budget.
   */
  due(now: number, isUrgent = false): number {
    this.#refill(now);
    const interval = now - this.#activeAt < RECENT_MS ? INTERVAL_MS.active : INTERVAL_MS.resting;
    const lacking = -this.#left - (isUrgent ? BURST : 0);
    return Math.max(
      isUrgent ? now : this.#lastAt + interval,
      lacking > 0 ? now + lacking / RATE * 1000 : now,
    );
  }

  #refill(now: number): void {
    this.#left = Math.min(BURST, this.#left + Math.max(0, now - this.#leftAt) * RATE / 1000);
    this.#leftAt = now;
  }
}

/** Minimum time between key pictures, and maximum number of pictures between them. */
const KEY = { ms: 30_000, pictures: 300 } as const;
/** Bytes of a line other than its picture. */
const FRAMING = 30;

/** Receives the pictures that the sink takes. */
interface SinkListener {
  screen(place: Region): void;
  /**
   * @param isKey Whether the picture shows the whole screen.
   * @param at When the picture arrived, in milliseconds of `performance.now()`.
   */
  picture(message: Uint8Array<ArrayBuffer>, isKey: boolean, at: number): void;
  problem(message: string): void;
}

/** Keeps parts of the screen out of pictures. */
interface SinkGuard {
  /** Called before each picture is requested. @returns Whether a picture may be taken now. */
  prepare(viewers: Viewers): Promise<boolean>;
  /** Called a while after a picture arrived. @returns Whether the hidden regions were right for it. */
  isRight(): Promise<boolean>;
}

/**
 * Delay between a picture and the check of its hidden regions, and between two attempts to prepare a picture,
 * in milliseconds.
 */
const GUARD_MS = { check: 150, retry: 500 } as const;

/** Takes pictures while a listener is set. */
export class TraceSink implements PictureClient {
  #listener: SinkListener | undefined;
  #pace = new Pace();
  #number = 0;
  #place: Region | undefined;
  /** Whether the next picture shows the whole screen. */
  #isKey = true;
  /** The last key picture: its time and bytes, the number of pictures after it, and their bytes. */
  #key = { at: 0, bytes: 0, pictures: 0, after: 0 };
  /** The timer while the next picture is delayed, and when it fires. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isHeld = false;
  #due = 0;

  constructor(readonly pictures: LivePictures, readonly guard?: SinkGuard) {
    pictures.add(this);
  }

  /** Starts taking pictures. */
  open(listener: SinkListener): void {
    this.#listener = listener;
    this.#pace = new Pace();
    if (this.#place) listener.screen(this.#place);
    this.startOver();
    this.pictures.start();
  }

  /** Ends the sink. */
  close(): void {
    this.#listener = undefined;
    this.#number++;
    this.#release();
    this.pictures.viewers?.leave(TRACE_SLOT);
    this.pictures.endLater();
  }

  /** Requests a picture of the whole screen. */
  startOver(): void {
    const { viewers } = this.pictures;
    if (viewers) this.begin(viewers);
  }

  /**
   * Records the start or end of an action, or a person's input.
   * @param isBeginning Whether an action is starting; a picture is then taken first.
   * @param now In milliseconds of `performance.now()`.
   */
  acted(isBeginning = false, now = performance.now()): void {
    this.#pace.acted(now);
    if (!this.#isHeld) return;
    const due = this.#pace.due(now, isBeginning);
    if (due < this.#due) this.#wait(due, now);
  }

  isLooking(): boolean {
    return this.#listener !== undefined;
  }

  begin(viewers: Viewers): void {
    if (!this.#listener) return;
    this.#release();
    this.#isKey = true;
    const number = ++this.#number;
    this.#ask(() => viewers.enter(TRACE_SLOT, number, 1));
  }

  receive(report: LiveReport): void {
    if (report.type === "screen") {
      this.#place = report.place;
      this.#isKey = true;
      this.#listener?.screen(report.place);
    }
    if (report.type !== "picture" || !this.#listener) return;
    if (!report.to.some(([slot, number]) => slot === TRACE_SLOT && number === this.#number)) return;
    // Copies a message that other viewers also receive, since the check transfers its bytes.
    this.#check(report.to.length > 1 ? report.message.slice() : report.message);
  }

  failed(message: string): void {
    this.#listener?.problem(message);
  }

  ended(): void {
    this.#place = undefined;
  }

  /** Takes a picture once it is certain that it shows no hidden window. */
  #check(message: Uint8Array<ArrayBuffer>): void {
    const { guard } = this, number = this.#number, now = performance.now();
    if (!guard) return this.#take(message, now);
    this.#timer = setTimeout(async () => {
      const isRight = await guard.isRight().catch(() => false);
      if (number !== this.#number || !this.#listener) return;
      if (isRight) this.#take(message, now);
      else this.startOver();
    }, GUARD_MS.check);
  }

  #take(message: Uint8Array<ArrayBuffer>, now: number): void {
    const bytes = Math.ceil(message.length / 3) * 4 + FRAMING;
    if (this.#isKey) this.#key = { at: now, bytes, pictures: 0, after: 0 };
    else {
      this.#key.pictures++;
      this.#key.after += bytes;
    }
    this.#listener?.picture(message, this.#isKey, now);
    this.#isKey = false;
    this.#pace.took(bytes, now);
    this.#isHeld = true;
    this.#wait(this.#pace.due(now), now);
  }

  #wait(due: number, now: number): void {
    if (due <= now) return this.#next(now);
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#next(performance.now()), due - now);
  }

  #next(now: number): void {
    const { at, bytes, pictures, after } = this.#key;
    const isDue = now - at >= KEY.ms && pictures > 0;
    // To show one moment, the viewer draws all pictures since the last key picture.
    if (isDue && (pictures >= KEY.pictures || after >= bytes)) return this.startOver();
    this.#release();
    const { viewers } = this.pictures;
    this.#ask(() => viewers?.acknowledge(TRACE_SLOT));
  }

  /** Requests a picture once the regions to hide are known. */
  #ask(ask: () => void): void {
    const { guard, pictures: { viewers } } = this, number = this.#number;
    if (!guard || !viewers) return ask();
    guard.prepare(viewers).catch(() => false).then((may) => {
      if (number !== this.#number || !this.#listener) return;
      if (may) ask();
      else this.#timer = setTimeout(() => this.#ask(ask), GUARD_MS.retry);
    });
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#isHeld = false;
  }
}

// The pictures of a trace that excludes windows. They are made separately from the viewers' pictures, which
// show everything. The windows' places are read before and after each picture; a picture that does not match
// both is discarded.

/** Margin around a window that may still belong to it, in pixels. */
const MARGIN = 2;

/**
 * Checks that windows can be excluded.
 * @throws UnsupportedError if the desktop does not report its windows and their places.
 */
export async function checkHiding(operator: Operator): Promise<void> {
  const why = "so --trace-hide cannot leave windows out";
  let windows: readonly WindowInfo[];
  try {
    windows = await listWindows(operator);
  } catch (error) {
    throw new UnsupportedError(`${(error as Error).message}, ${why}`, { cause: error });
  }
  if (
    operator.desktop.windows?.isPartial || windows.some(({ width, state }) => !width && state !== "minimized")
  ) {
    throw new UnsupportedError(`this desktop does not report where its windows are, ${why}`);
  }
}

/** A sink whose pictures do not show the windows that {@linkcode windows} excludes. */
export class HidingSink extends TraceSink {
  /** Determines which windows are excluded. */
  windows: ActiveWindow | undefined;
  #prepared: readonly Region[] | undefined;
  #told: Viewers | undefined;

  constructor(readonly operator: Operator) {
    super(new LivePictures(operator.desktop.live, true), {
      prepare: (viewers) => this.#prepare(viewers),
      isRight: async () => isSame(await this.#hidden(), this.#prepared),
    });
  }

  /** Hides the windows at their current places. @returns false if that is not possible. */
  async #prepare(viewers: Viewers): Promise<boolean> {
    const hidden = await this.#hidden();
    if (!hidden || hidden.length > HIDDEN_REGIONS) return false;
    if (this.#told !== viewers || !isSame(hidden, this.#prepared)) {
      viewers.hide(hidden.map(({ x, y, width, height }) => ({
        x: x - MARGIN,
        y: y - MARGIN,
        width: width + 2 * MARGIN,
        height: height + 2 * MARGIN,
      })));
    }
    this.#told = viewers;
    this.#prepared = hidden;
    return true;
  }

  /** The places of the hidden windows; undefined if unknown. */
  async #hidden(): Promise<readonly Region[] | undefined> {
    return this.windows?.hiddenRegions(await listWindows(this.operator));
  }
}

function isSame(a: readonly Region[] | undefined, b: readonly Region[] | undefined): boolean {
  if (!a || !b || a.length !== b.length) return false;
  return a.every((region, i) => isSameRegion(region, b[i]));
}

// The serving thread's side of the Worker that writes a trace; sending it a message takes 0.02 ms.

/** Receives a writer's events. */
interface WriterListener {
  /** The file has reached its maximum size: {@linkcode TraceWriter.next} starts a new file. */
  full(): void;
  /** More of the file is on disk, or a new file has started. */
  wrote(): void;
  /** Writing has ended on its own. */
  lost(problem: string): void;
}

/** Maximum time for the disk to take a file's beginning, or its end, in milliseconds. */
export const ANSWER_MS = 8000;
/** Maximum number of bytes that wait for the disk: some minutes of pictures. */
const UNWRITTEN_LIMIT = 32e6;
const UNANSWERED = "its disk does not answer";

/** Writes one trace. */
export class TraceWriter {
  /** Bytes sent to the Worker since its last answer. */
  #unwritten = 0;
  /** Path, name and size of the current file. */
  path = "";
  name = "";
  bytes = 0;
  readonly #worker = new Worker(new URL("./writer_worker.ts", import.meta.url), { type: "module" });
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;

  constructor(start: WritingStart, readonly listener: WriterListener) {
    this.#begun.promise.catch(() => {}); // waiting callers receive the error
    this.#worker.onmessage = ({ data }: MessageEvent<FromWriter>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault(); // an unhandled error would end the process
      this.#over(event.message);
    };
    this.#post({ type: "start", start });
  }

  /** Resolves once the file exists. Rejects with an Error that says why it cannot be created. */
  get begun(): Promise<void> {
    return this.#inTime(this.#begun.promise, ANSWER_MS);
  }

  add(text: string): void {
    this.#post({ type: "lines", text });
  }

  /** Adds the waiting lines, then a picture, whose buffer is transferred. */
  addPicture(t: number, isKey: boolean, message: Uint8Array<ArrayBuffer>, lines: string): void {
    this.#post({ type: "picture", t, isKey, message, lines }, [message.buffer]);
  }

  /** Starts a new file. @param first Its first entries. */
  next(first: TraceEntry[]): void {
    this.#post({ type: "next", first });
  }

  /** Writes the last entry; resolves once the file is closed. */
  async end(why: string): Promise<void> {
    this.#post({ type: "end", why });
    await this.#inTime(this.#ended.promise, ANSWER_MS);
  }

  #post(message: ToWriter, transferred: Transferable[] = []): void {
    if (this.#isOver) return;
    this.#unwritten += "message" in message
      ? message.message.length
      : "text" in message
      ? message.text.length
      : 0;
    if (this.#unwritten > UNWRITTEN_LIMIT) return this.#over(UNANSWERED);
    this.#worker.postMessage(message, transferred);
  }

  /** Ends the trace if its disk does not answer in time. */
  async #inTime(answer: Promise<void>, ms: number): Promise<void> {
    await within(ms, answer.then(() => true)) || this.#over(UNANSWERED);
    await answer;
  }

  #receive(message: FromWriter): void {
    this.#unwritten = 0;
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
