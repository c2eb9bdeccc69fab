/** Parts of a recorder of a trace, and its results. */

import type { Seen } from "../observe/observation.ts";
import type { Operator } from "../operator.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { TraceEntry } from "./entry.ts";
import type { TraceSink } from "./sink.ts";
import type { ActiveWindow } from "./windows.ts";
import type { TraceWriter } from "./writer.ts";

/** A call in progress. */
export interface TracedCall {
  /** Notes that the call has ended. @param seen The observation, if there is one. */
  ended(outcome: { result?: unknown; seen?: Seen; error?: unknown }): void;
  /** Notes that the action begins only now: the time before was spent on preparing its observation. */
  restarted(): void;
  /** Notes that the action is over, though its observation continues. */
  done(): void;
}

/** Parts of a recorder. */
export interface RecorderParts {
  operator: Operator;
  recorder: Recorder;
  sink: TraceSink;
  writer: TraceWriter;
  windows: ActiveWindow;
  /** The entry that each file begins with. */
  head: TraceEntry & { kind: "trace" };
  /** The zero of times, in milliseconds of `performance.now()`. */
  startedAt: number;
  /** Tells whether texts are kept, and actions that only look. */
  keepsTexts: boolean;
  looks: boolean;
  /** Called when the trace pauses or continues by itself. */
  changed(): void;
}
