/** Records input on the desktop and replays it. The prompt and HTTP share one recorder. */

import { now } from "../../core/until.ts";
import { StateError } from "../../core/errors.ts";
import { askState, checkStateAnswers } from "../../core/state_files.ts";
import type { Operator } from "../operator/operator.ts";
import {
  balancedInTurns,
  newRecording,
  RECORDED_LIMIT,
  type RecordedEvent,
  type Recording,
  TIME_LIMIT,
  withoutTypedLine,
} from "./format.ts";
import { type ElementCounts, playByElements, type PlayResult, Replay } from "./replay.ts";
import { planRound, type PlayOptions } from "./playback.ts";
import { StoredRecording } from "./stored.ts";
import type { ObservedAction, Watch } from "../desktop/desktop.ts";
import type { TextReader } from "../read/reader.ts";
import type { PressNoter } from "./noting.ts";

export const RECORDER_STATES = ["idle", "recording", "playing"] as const;
/** One of {@linkcode RECORDER_STATES}. */
type RecorderState = typeof RECORDER_STATES[number];

/** The result of {@linkcode Recorder.status}. */
interface RecorderStatus {
  state: RecorderState;
  events: number;
  /** How long the recording or replay has run, or ran, in milliseconds. */
  ms: number;
  /** Why the recording ended or lost events. */
  problem?: string;
  /** The result of the last replay. */
  result?: PlayResult;
}

/** Holds one recording: newly made, loaded or recovered. */
export class Recorder {
  #state: RecorderState = "idle";
  #recording: StoredRecording | undefined;
  /** The recording in progress. */
  #events: EventRecorder | undefined;
  #replay: Replay | undefined;
  /** Resolves when the recording being stopped has ended. */
  #stopping: Promise<void> | undefined;
  #startedAt = 0;
  #stoppedMs = 0;
  /** Resolves when the last recording or replay has started, or failed to. */
  #begun: Promise<void> = Promise.resolve();
  #isSaved = true;
  /** Removes this recording's journal; journals of other recordings stay. */
  #discardCopy: (() => void) | undefined;
  #result: PlayResult | undefined;
  /** Counts of the replay by elements. */
  #counts: ElementCounts | undefined;
  #problem: string | undefined;

  constructor(readonly operator: Operator, readonly journal?: JournalSink) {}

  /** The state, and the outcome of the last replay. */
  status(): RecorderStatus {
    const startedAt = this.#replay?.startedAt ?? this.#startedAt;
    return {
      state: this.#state,
      events: this.#count,
      ms: this.#state === "idle" ? this.#stoppedMs : Math.round(now() - startedAt),
      ...(this.#problem ? { problem: this.#problem } : {}),
      ...(this.#result ? { result: this.#result } : {}),
    };
  }

  /**
   * The current recording.
   * @throws StateError if there is no recording, or it is still in progress.
   */
  recording(): StoredRecording {
    if (this.#state === "recording") throw new StateError("a recording is in progress: stop it first");
    if (!this.#recording) throw new StateError("there is no recording yet");
    return this.#recording;
  }

  /**
   * Resolves when the last requested recording or replay has started, or has ended before it could. Rejects
   * with InputError if a place of the replay is not on the desktop.
   */
  get begun(): Promise<void> {
    return this.#begun;
  }

  /** Number of events that would be lost if the recorder ended now. */
  get unsaved(): number {
    return this.#isSaved ? 0 : this.#count;
  }

  /**
   * Replaces the current recording. The current recording's crash copy stays.
   * @param discardCopy Removes the new recording's crash copy; called when the recording is saved or
   * discarded.
   * @throws StateError while recording or playing.
   */
  load(recording: StoredRecording, discardCopy?: () => void): void {
    this.#mustBeIdle();
    this.#recording = recording;
    this.#isSaved = true; // saved where the recording came from
    this.#discardCopy = discardCopy;
    this.#stoppedMs = recording.parts.lastMs;
    this.#problem = this.#result = undefined;
  }

  /**
   * Records that a recording was saved elsewhere; removes its journal if it is still the current recording.
   */
  saved(recording: StoredRecording): void {
    if (recording === this.#recording) this.#removeCopy();
  }

  /**
   * Discards the current recording and removes its journal.
   * @throws StateError while recording or playing; BusyError if the journal's disk does not answer.
   */
  discard(): void {
    this.#mustBeIdle();
    if (this.#discardCopy) checkStateAnswers();
    this.#removeCopy();
    this.#recording = undefined;
    this.#stoppedMs = 0;
    this.#problem = this.#result = undefined;
  }

  /** Gives up an unsaved recording when the program ends; removes its journal. */
  abandon(): void {
    if (!this.#isSaved) this.#removeCopy();
  }

  /**
   * Starts a recording, which replaces the current one.
   * @param options Whether to record keys, and the elements and texts under presses; and how to load the text
   * reader.
   * @throws StateError while recording or playing; DesktopUnavailableError if input cannot be watched.
   */
  async start(
    { keyboard = true, elements = true, reader }: Partial<
      Pick<EventRecorderOptions, "keyboard" | "elements" | "reader">
    > = {},
  ): Promise<void> {
    this.#mustBeIdle();
    this.#state = "recording";
    this.#startedAt = now();
    this.#problem = this.#result = undefined;
    const begun = this.#begin({ keyboard, elements, ...(reader ? { reader } : {}) });
    this.#begun = begun.catch(() => {
      this.#state = "idle";
    });
    await begun;
  }

  async #begin(
    options: Pick<EventRecorderOptions, "keyboard" | "elements" | "reader">,
  ): Promise<void> {
    const { operator, journal } = this;
    this.#events = await EventRecorder.start(operator, {
      ...options,
      journal,
      onProblem: (message, isOver) => {
        this.#problem = message;
        if (isOver) this.stop().catch(() => {});
      },
    });
    this.#recording = undefined;
    this.#isSaved = false;
    this.#discardCopy = () => journal?.discard();
  }

  /**
   * Stops recording or playing.
   * @param typedLine The command that a person typed in a terminal to stop; its keys are removed from the
   * recording.
   * @throws StateError if the recorder neither records nor plays.
   */
  async stop(typedLine?: string): Promise<void> {
    if (this.#state === "idle") throw new StateError("nothing to stop: neither recording nor playing");
    if (this.#replay) {
      this.#replay.stop("stop");
      await this.#replay.done.catch(() => {}); // `play` reports how it ended
      return;
    }
    // A second caller waits for the same end, during which the last events arrive.
    await (this.#stopping ??= this.#stopRecording(typedLine).finally(() => this.#stopping = undefined));
  }

  async #stopRecording(typedLine?: string): Promise<void> {
    await this.#begun; // otherwise a recording that is just starting would continue
    if (!this.#events) return; // the recording could not start
    await this.#events.stop();
    if (this.journal) await askState();
    this.journal?.flush?.();
    const { recording, startedAt } = this.#events;
    const stoppedMs = Math.round(now() - startedAt);
    const kept = typedLine === undefined ? recording.events : withoutTypedLine(recording.events, typedLine);
    const events = await balancedInTurns(kept);
    this.#recording = await StoredRecording.inTurns({ ...recording, events });
    this.#events = undefined;
    this.#stoppedMs = stoppedMs;
    this.#state = "idle";
  }

  /**
   * Replays the recording after earlier actions have had their turn. Other actions are rejected from now on.
   * @returns Resolves at the end, once everything is released. Rejects with the desktop's error, or, before
   * anything moves, with InputError if a place is not on the desktop.
   * @throws StateError if there is no recording, the recorder is already recording or playing, or the desktop
   * has another size.
   */
  play(options: PlayOptions = {}): Promise<PlayResult> {
    this.#mustBeIdle();
    const recording = this.recording();
    if (!recording.count) throw new StateError("the recording is empty");
    const plan = planRound(recording, options, this.operator.screen());
    const isByElements = options.elements ??
      (recording.parts.hasElements && this.operator.desktop.elements !== undefined);
    const counts = isByElements ? { found: 0, moved: 0 } : undefined;
    const player = counts && playByElements(this.operator, counts);
    const replay = this.#replay = new Replay(this.operator, plan, options.times ?? 1, player);
    this.#counts = counts;
    this.#state = "playing";
    this.#problem = this.#result = undefined;
    this.#begun = replay.begun;
    return this.#untilEnd(replay);
  }

  async #untilEnd(replay: Replay): Promise<PlayResult> {
    try {
      const outcome = await replay.done, elements = this.#counts;
      return this.#result = { ...outcome, ...(elements ? { elements } : {}) };
    } catch (error) {
      this.#problem = (error as Error).message;
      throw error;
    } finally {
      this.#replay = undefined;
      this.#stoppedMs = Math.round(now() - replay.startedAt);
      this.#state = "idle";
    }
  }

  /** Releases everything and stops, when the program ends. Synchronous. */
  abort(): void {
    this.#replay?.abort();
  }

  get #count(): number {
    return this.#events?.recording.events.length ?? this.#recording?.count ?? 0;
  }

  #removeCopy() {
    this.#isSaved = true;
    this.#discardCopy?.();
    this.#discardCopy = undefined;
  }

  #mustBeIdle() {
    if (this.#state !== "idle") throw new StateError(`deskhand is already ${this.#state}: stop first`);
  }
}

// A recording in progress: observed actions become its events.

/** Stores events while they are recorded, so that a crash does not lose them. */
export interface JournalSink {
  /** Starts storing a recording; removes the previously stored one. */
  begin(recording: Recording): void;
  append(events: RecordedEvent[]): void;
  /** Writes the queued events, so that a stopped recording survives a crash. */
  flush?(): void;
  /** Removes the stored events: they are safe elsewhere, or not wanted. */
  discard(): void;
}

interface EventRecorderOptions {
  /** Whether to record keys. */
  keyboard: boolean;
  /** Whether to record the elements and texts under presses. */
  elements: boolean;
  /** Loads the text reader. */
  reader?: () => Promise<TextReader>;
  journal?: JournalSink;
  /** Reports why events were lost, or why no more are recorded (`isOver`). */
  onProblem(message: string, isOver: boolean): void;
}

/** Records events from its start to its end. */
class EventRecorder {
  /** Start of the recording, in milliseconds since 1970. */
  readonly startedAt = now();
  readonly recording: Recording;
  #watch: Watch | undefined;
  #noter: PressNoter | undefined;
  /** Number of events whose places the system did not report, and how many of them the caller knows about. */
  #unplaced = 0;
  #toldUnplaced = 0;

  private constructor(operator: Operator, readonly options: EventRecorderOptions) {
    this.recording = newRecording(operator.screen(), new Date());
  }

  /**
   * Starts recording.
   * @throws DesktopUnavailableError if input cannot be watched.
   */
  static async start(operator: Operator, options: EventRecorderOptions): Promise<EventRecorder> {
    const recorder = new EventRecorder(operator, options);
    if (options.journal) await askState();
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
    // A longer recording could be saved but not loaded again.
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
