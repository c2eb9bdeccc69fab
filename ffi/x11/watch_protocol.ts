/** What the watching thread and the Worker on its own connection say to each other. */

import type { ObservedAction } from "../../control/desktop.ts";

/** To the Worker, first. */
export interface WatchStart {
  type: "start";
  /** Name of the display. */
  display: string;
  /** Of the watching thread, whose times events are to have. */
  skew: number;
}

/** To the Worker, last. */
export interface WatchStop {
  type: "stop";
}

/** From the Worker. */
export type WatchReport =
  /** Events are selected; what happens from now on is told. */
  | { type: "ready" }
  /** It cannot watch, or not any more. */
  | { type: "failed"; message: string }
  | { type: "actions"; batch: ObservedAction[] }
  /** It was told to stop, and nothing comes after this. */
  | { type: "stopped" };
