/** Messages between the thread with the viewers and the Worker that makes the live picture. */

import type { ViewersMemory } from "../../control/live/viewers.ts";
import type { LiveReport } from "../../control/live/report.ts";

/** To the Worker. */
export interface LiveStart<Source> {
  /** Plain data by which the Worker opens the screen. */
  source: Source;
  memory: ViewersMemory;
}

/** From the Worker. */
export type WorkerReport =
  | LiveReport
  /** It wants a frame, where it cannot take one by itself. */
  | { type: "wanted" };
