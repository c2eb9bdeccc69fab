/** One line of `deskhand doctor`. */
export interface Finding {
  /** The subject of the check. */
  name: string;
  /** Tells whether the checked part is as it should be. */
  ok: boolean;
  /** The result of the check, and the remedy; further lines are shown below the first. */
  detail: string;
}
