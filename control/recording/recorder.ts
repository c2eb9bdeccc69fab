/** Records what happens on the desktop and replays it. The prompt and HTTP share one recorder. */

import type { ObservedAction, Playback, PlaybackOutcome, Watch } from "../desktop.ts";
import { StateError } from "../../core/errors.ts";
import type { Operator, Reservation } from "../operator.ts";
import { balanced, withoutTypedLine } from "./balance.ts";
import { newRecording, RECORDED_LIMIT, type RecordedEvent, type Recording, TIME_LIMIT } from "./format.ts";
import { NOT_BEGUN } from "./playback.ts";
import { type PlayOptions, schedule } from "./schedule.ts";

/** What a recorder is doing. */
export type RecorderState = "idle" | "recording" | "playing";

/** Where events go while they are recorded, so that a crash does not lose them. */
export interface JournalSink {
  begin(recording: Recording): void;
  append(events: RecordedEvent[]): void;
  /** What was written is safe elsewhere, or not wanted any more. */
  discard(): void;
}

/** How a replay ended. */
export interface PlayResult extends PlaybackOutcome {
  /** Who stopped it, if it did not come to its end. */
  stoppedBy?: "stop" | "escape" | "pointer";
}

/** A person moves a mouse by more than one event; a desk that shakes does not. */
const PERSON_MOVES = 3;

/** See the module's comment. */
export class Recorder {
  #state: RecorderState = "idle";
  #recording: Recording | undefined;
  #watch: Watch | undefined;
  /** The end of the recording that is being stopped. */
  #stopping: Promise<void> | undefined;
  #startedAt = 0;
  #stoppedMs = 0;
  /** Resolves when the last recording or replay has begun, or could not. */
  #begun: Promise<void> = Promise.resolve();
  /** Resolves when the last replay has ended. */
  #ended: Promise<void> = Promise.resolve();
  /** Discards what is kept of this recording against a crash; another's is kept until that one is saved. */
  #whenSaved: (() => void) | undefined;
  #isSaved = true;
  #replay: Playback | undefined;
  /** Resolves when the replay is to stop. */
  #stopWanted = Promise.withResolvers<void>();
  #stoppedBy: PlayResult["stoppedBy"];
  #result: PlayResult | undefined;
  #problem: string | undefined;

  constructor(readonly operator: Operator, readonly journal?: JournalSink) {}

  /** The state, the number of events there are, and how long the recording or replay has run in milliseconds. */
  status(): { state: RecorderState; events: number; ms: number; problem?: string; result?: PlayResult } {
    const ms = this.#state === "idle" ? this.#stoppedMs : Math.round(epochMs() - this.#startedAt);
    return {
      state: this.#state,
      events: this.#recording?.events.length ?? 0,
      ms,
      ...(this.#problem ? { problem: this.#problem } : {}),
      ...(this.#result ? { result: this.#result } : {}),
    };
  }

  /**
   * The recording there is.
   * @throws StateError if there is none, or it is still being made.
   */
  recording(): Recording {
    if (this.#state === "recording") throw new StateError("still recording: stop first");
    if (!this.#recording) throw new StateError("nothing is recorded");
    return this.#recording;
  }

  /**
   * Takes a recording in place of the one there is.
   * @throws StateError while recording or playing.
   */
  load(recording: Recording): void {
    this.#mustBeIdle();
    this.#recording = { ...recording, events: balanced(recording.events) };
    this.#isSaved = true; // where it came from
    this.#whenSaved = undefined;
    this.#stoppedMs = recording.events.at(-1)?.t ?? 0;
    this.#problem = this.#result = undefined;
  }

  /**
   * Starts recording in place of the recording there is.
   * @param keyboard Whether keys are recorded too.
   * @throws StateError while recording or playing; DesktopUnavailableError if input cannot be watched.
   */
  async start({ keyboard = true }: { keyboard?: boolean } = {}): Promise<void> {
    this.#mustBeIdle();
    this.#state = "recording";
    const begun = this.#begin(keyboard);
    this.#begun = begun.catch(() => {
      this.#state = "idle";
    });
    await begun;
  }

  /**
   * Ends recording or playing.
   * @param typedLine What a person typed in a terminal for it: those keys are no part of the recording.
   * @throws StateError if it does neither.
   */
  async stop(typedLine?: string): Promise<void> {
    if (this.#state === "idle") throw new StateError("nothing to stop: neither recording nor playing");
    if (this.#state === "playing") {
      this.#stopPlaying("stop");
      await this.#ended;
      return;
    }
    // Who else stops it meanwhile waits for the same end, in which the last events come.
    await (this.#stopping ??= this.#stopRecording(typedLine));
  }

  async #stopRecording(typedLine?: string): Promise<void> {
    await this.#begun; // else one that is just starting would go on unseen
    const watch = this.#watch;
    this.#watch = undefined;
    try {
      await watch?.close();
    } finally {
      this.#stopping = undefined;
    }
    if (this.#state !== "recording") return; // it could not start
    const recording = this.#recording!;
    const events = typedLine === undefined ? recording.events : withoutTypedLine(recording.events, typedLine);
    this.#recording = { ...recording, events: balanced(events) };
    this.#stoppedMs = Math.round(epochMs() - this.#startedAt);
    this.#state = "idle";
  }

  /**
   * Replays the recording, when the actions that came before have had their turn. Other actions are refused from now
   * on.
   * @returns A promise of the end, when nothing is pressed any more. It rejects with what the desktop threw.
   * @throws StateError if there is nothing to play, or it records or plays already; InputError if a place is not on
   * the desktop: both before anything moves.
   */
  play(options: PlayOptions = {}): Promise<PlayResult> {
    this.#mustBeIdle();
    const recording = this.recording();
    if (!recording.events.length) throw new StateError("the recording is empty");
    const steps = schedule(recording, options, this.operator.screen());
    const turn = this.operator.reserve("a replay is running; stop it first (POST /api/recording/stop)");
    this.#state = "playing";
    this.#startedAt = epochMs();
    this.#problem = this.#result = this.#stoppedBy = undefined;
    this.#stopWanted = Promise.withResolvers();
    const begun = Promise.withResolvers<void>();
    this.#begun = begun.promise;
    const played = this.#playRecording(steps, options.times ?? 1, turn, begun.resolve).finally(() => {
      this.#replay = undefined;
      this.#stoppedMs = Math.round(epochMs() - this.#startedAt);
      this.#state = "idle";
      turn.end();
      begun.resolve();
    });
    this.#ended = played.then(() => {}, () => {});
    return played;
  }

  /** Resolves when the last recording or replay that was asked for has begun, or has ended before it could. */
  get begun(): Promise<void> {
    return this.#begun;
  }

  /** How many events would be lost if the program ended now. */
  get unsaved(): number {
    return this.#isSaved ? 0 : this.#recording!.events.length;
  }

  /** Says that a recording is safe elsewhere: what is kept against a crash may go, if it is still the one there is. */
  saved(recording: Recording): void {
    if (recording !== this.#recording) return;
    this.#isSaved = true;
    this.#whenSaved?.();
    this.#whenSaved = undefined;
  }

  /** @param done What to do when the recording that was just loaded is saved. */
  whenSaved(done: () => void): void {
    this.#whenSaved = done;
  }

  /** Lets go of everything and ends, on the way out of the program. Synchronous. */
  abort(): void {
    this.#replay?.abort();
  }

  async #begin(keyboard: boolean): Promise<void> {
    const recording = newRecording(this.operator.screen(), new Date());
    this.#startedAt = epochMs();
    this.#problem = this.#result = undefined;
    this.#watch = await this.operator.desktop.observer.watch({
      actions: (batch) =>
        this.#record(recording, keyboard ? batch : batch.filter(({ action }) => action.type !== "key")),
      problem: (kind, message) => {
        this.#problem = message;
        if (kind === "ended") this.stop().catch(() => {});
      },
    });
    this.#recording = recording;
    this.#isSaved = false;
    this.journal?.begin(recording);
    this.#whenSaved = () => this.journal?.discard();
  }

  async #playRecording(
    steps: ReturnType<typeof schedule>,
    times: number,
    turn: Reservation,
    begun: () => void,
  ): Promise<PlayResult> {
    // Without a watch a replay still runs; it is then stopped by stop alone.
    const person = await this.operator.desktop.observer.watch({
      actions: this.#personWatcher(),
      problem: () => {},
    }).catch(() => undefined);
    try {
      await Promise.race([turn.begun, this.#stopWanted.promise]);
      if (this.#stoppedBy) return this.#result = { ...NOT_BEGUN, stoppedBy: this.#stoppedBy };
      this.#startedAt = epochMs();
      this.#replay = this.operator.desktop.playback.start(steps, times);
      begun();
      const outcome = await this.#replay.done;
      const result = outcome.stopped ? { ...outcome, stoppedBy: this.#stoppedBy } : outcome;
      return this.#result = result;
    } catch (error) {
      this.#problem = (error as Error).message;
      throw error;
    } finally {
      await person?.close();
    }
  }

  #stopPlaying(by: PlayResult["stoppedBy"]) {
    this.#stoppedBy ??= by;
    this.#stopWanted.resolve();
    this.#replay?.stop();
  }

  /** Sees a person press Escape or take the mouse; what programs do, the replay too, is injected. */
  #personWatcher(): (batch: ObservedAction[]) => void {
    let moves = 0;
    return (batch) => {
      for (const { action, injected } of batch) {
        if (injected) continue;
        if (action.type === "key" && action.key === "escape" && action.down) this.#stopPlaying("escape");
        if (action.type === "button" && action.down) this.#stopPlaying("pointer");
        if (action.type === "move" && ++moves >= PERSON_MOVES) this.#stopPlaying("pointer");
      }
    };
  }

  #record(recording: Recording, batch: ObservedAction[]) {
    const events = batch.map(({ action, at }): RecordedEvent => ({
      t: Math.max(recording.events.at(-1)?.t ?? 0, Math.round((at - this.#startedAt) * 10) / 10),
      ...action,
    }));
    // What is longer could be saved, and not be loaded again.
    const isOver = recording.events.length + events.length > RECORDED_LIMIT;
    if (isOver || (events.at(-1)?.t ?? 0) > TIME_LIMIT) {
      this.#problem = `recording ended at ${isOver ? `${RECORDED_LIMIT} events` : "a day"}`;
      this.stop().catch(() => {});
      return;
    }
    recording.events.push(...events);
    this.journal?.append(events);
  }

  #mustBeIdle() {
    if (this.#state !== "idle") throw new StateError(`${this.#state} already: stop first`);
  }
}

function epochMs(): number {
  return performance.timeOrigin + performance.now();
}
