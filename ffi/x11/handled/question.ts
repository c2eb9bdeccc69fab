/** A question that was put to a program. */
export interface Question {
  /** Whether the answer is there; false until then. It never waits. */
  isAnswered(): boolean;
  /** Forgets it. */
  end(): void;
}
