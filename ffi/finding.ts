/** One line of `deskhand doctor`. */
export interface Finding {
  /** The subject of the check. */
  name: string;
  /** Tells whether it is as it should be. */
  ok: boolean;
  /** The result, and its remedy; further lines are shown below the first. */
  detail: string;
}
