/** A question that was put to a program. */
export interface Question {
  /** Tells whether the answer is there; false until then. It never waits. */
  isAnswered(): boolean;
  /** Ends the wait for the answer. */
  end(): void;
}
