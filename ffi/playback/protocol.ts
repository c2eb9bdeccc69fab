/** What the thread that starts a replay and the replay's Worker share. */

import type { RoundPlan } from "../../control/desktop.ts";

/** Indices in the shared memory, which reaches the Worker while it sleeps. */
export const CONTROL = {
  /** 1 stops the replay; the Worker sleeps on it. */
  stop: 0,
  /** 0 before the first step, 1 from then on, 2 when everything is released. */
  state: 1,
  size: 2,
} as const;

/** To the Worker. */
export interface PlaybackStart<Source> {
  /** What the Worker needs to open the desktop. */
  source: Source;
  plan: RoundPlan;
  times: number;
  control: Int32Array<SharedArrayBuffer>;
}
