/** What a replay's Worker and its starter say to each other. */

import type { Outcome } from "../control/recording/playback.ts";
import type { Step } from "../control/recording/schedule.ts";

/** Places in the shared memory, which reaches the Worker while it sleeps. */
export const CONTROL = {
  /** 1 stops the replay; the Worker sleeps on it. */
  stop: 0,
  /** 0 before the first step, 1 from then on, 2 when nothing is pressed any more. */
  state: 1,
  size: 2,
} as const;

/** To the Worker, once. */
export interface PlaybackStart {
  kind: "x11" | "windows";
  steps: Step[];
  times: number;
  control: Int32Array<SharedArrayBuffer>;
}

/** From the Worker, once. */
export type PlaybackReport =
  | { type: "done"; outcome: Outcome }
  /** `input` tells an InputError from a desktop that is gone. */
  | { type: "failed"; message: string; input: boolean };
