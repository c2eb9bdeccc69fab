/** Messages and shared memory between a replay's Worker and the thread that started it. */

import type { PlaybackOutcome, Step } from "../../control/desktop.ts";

/** Indices in the shared memory, which reaches the Worker while it sleeps. */
export const CONTROL = {
  /** 1 stops the replay; the Worker sleeps on it. */
  stop: 0,
  /** 0 before the first step, 1 from then on, 2 when everything is released. */
  state: 1,
  size: 2,
} as const;

/** To the Worker, once. */
export interface PlaybackStart<Source> {
  /** What the Worker needs to open the desktop. */
  source: Source;
  steps: Step[];
  times: number;
  control: Int32Array<SharedArrayBuffer>;
}

/** From the Worker, once. */
export type PlaybackReport =
  | { type: "done"; outcome: PlaybackOutcome }
  /** `input` tells an InputError from a desktop that is gone. */
  | { type: "failed"; message: string; input: boolean };
