/** One line of `deskhand doctor`. */
export interface Finding {
  /** The subject of the check. */
  name: string;
  /** Tells whether the checked part works. */
  ok: boolean;
  /** The result of the check, and the remedy; further lines are shown below the first. */
  detail: string;
}
