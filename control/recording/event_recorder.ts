/** A recording while it is made: observed actions become its events. */

import { now } from "../../core/clock.ts";
import type { ObservedAction, Watch } from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import type { TextReader } from "../read/reader.ts";
import type { PressNoter } from "./noting.ts";
import { newRecording, RECORDED_LIMIT, type RecordedEvent, type Recording, TIME_LIMIT } from "./format.ts";

/** Storage for events while they are recorded, so that a crash does not lose them. */
export interface JournalSink {
  /** Begins to store a recording; removes the stored recording before it. */
  begin(recording: Recording): void;
  append(events: RecordedEvent[]): void;
  /** Writes the events that wait: a recording that was stopped outlives a crash. */
  flush?(): void;
  /** Removes the written events: they are safe elsewhere, or not wanted. */
  discard(): void;
}

/** The options of a recording of events. */
export interface EventRecorderOptions {
  /** Whether keys are recorded too. */
  keyboard: boolean;
  /** Whether the elements and texts under presses are noted. */
  elements: boolean;
  /** Loads the reader of texts. */
  reader?: () => Promise<TextReader>;
  journal?: JournalSink;
  /** Gets why events were lost, or why no more are recorded (`isOver`). */
  onProblem(message: string, isOver: boolean): void;
}

/** Records events from its start to its end. */
export class EventRecorder {
  /** The start of the recording, in milliseconds since the epoch. */
  readonly startedAt = now();
  readonly recording: Recording;
  #watch: Watch | undefined;
  #noter: PressNoter | undefined;
  /** Events whose places the system did not report, and how many of them the caller knows. */
  #unplaced = 0;
  #toldUnplaced = 0;

  private constructor(operator: Operator, readonly options: EventRecorderOptions) {
    this.recording = newRecording(operator.screen(), new Date());
  }

  /**
   * Starts to record.
   * @throws DesktopUnavailableError if input cannot be watched.
   */
  static async start(operator: Operator, options: EventRecorderOptions): Promise<EventRecorder> {
    const recorder = new EventRecorder(operator, options);
    if (options.elements && (operator.desktop.elements || options.reader)) {
      const { PressNoter } = await import("./noting.ts");
      recorder.#noter = new PressNoter(operator, options.reader);
    }
    recorder.#watch = await operator.desktop.observer.watch({
      actions: (batch) => recorder.#record(batch),
      problem: (kind, message) => options.onProblem(message, kind === "ended"),
    });
    options.journal?.begin(recorder.recording);
    return recorder;
  }

  /** Resolves when the last event is recorded. */
  async stop(): Promise<void> {
    await this.#watch?.close();
    const windows = await this.#noter?.end();
    if (windows) this.recording.windows = windows;
  }

  #record(batch: ObservedAction[]) {
    const { keyboard, journal, onProblem } = this.options;
    const { events } = this.recording;
    const added: RecordedEvent[] = [];
    let last = events.at(-1)?.t ?? 0;
    for (const { action, at } of batch) {
      if (action.type === "key" && !keyboard) continue;
      last = Math.max(last, Math.round((at - this.startedAt) * 10) / 10);
      added.push({ t: last, ...action });
    }
    // A longer recording could be saved, but not loaded again.
    if (last > TIME_LIMIT) return onProblem("recording ended after a day", true);
    if (events.length + added.length > RECORDED_LIMIT) {
      return onProblem(`recording ended after ${RECORDED_LIMIT} events`, true);
    }
    this.#unplaced += added.filter((event) => "unplaced" in event && event.unplaced).length;
    if (this.#unplaced > this.#toldUnplaced) {
      this.#toldUnplaced = this.#unplaced;
      onProblem(
        `positions not reported for ${this.#unplaced} presses, releases or notches (marked unplaced)`,
        false,
      );
    }
    for (const event of added) events.push(event);
    for (const event of added) this.#noter?.take(event);
    journal?.append(added);
  }
}
