/** Words that were read. */

import type { Region } from "../input.ts";

/** A word and its place. */
export interface Word extends Region {
  text: string;
}
