/** What the thread that starts a replay and the replay's Worker share. */

import type { ObservedAction, RoundPlan } from "../../control/desktop.ts";

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
  /** Of the thread that starts the replay (`clockSkew`), whose times the actions have that are reported. */
  skew: number;
  control: Int32Array<SharedArrayBuffer>;
}

/** From the Worker. */
export type PlaybackReport =
  /** The first step is due. */
  | "begun"
  /** What was done, where the system does not tell. */
  | ObservedAction[];
