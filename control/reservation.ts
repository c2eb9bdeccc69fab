/** A desktop that is kept for one caller, such as a replay. */

/** Keeps other actions out; `Operator.reserve` makes one. */
export interface Reservation {
  /** Resolves when no other action runs any more and the keyboard map is as it was. */
  begun: Promise<void>;
  /** Lets others in again; safe to call twice. */
  end(): void;
}
