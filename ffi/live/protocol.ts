/** What the thread that has the viewers and the Worker that makes the live picture say to each other. */

import type { AudienceMemory } from "../../control/live/audience.ts";
import type { LiveReport } from "../../control/live/report.ts";

/** To the Worker. */
export interface LiveStart<Source> {
  /** What the Worker needs to look at the screen. */
  source: Source;
  memory: AudienceMemory;
}

/** From the Worker. */
export type WorkerReport =
  | LiveReport
  /** It wants a frame, where it cannot take one by itself. */
  | { type: "wanted" };
