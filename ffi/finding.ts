/** One line of `deskhand doctor`. */
export interface Finding {
  /** What was checked. */
  name: string;
  /** Whether it is as it should be. */
  ok: boolean;
  /** What was found, and how to mend it; further lines are shown below the first. */
  detail: string;
}
