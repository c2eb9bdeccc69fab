/** Permission to control a desktop, where the person gives it to each program. */

/** A permission that is kept in a file of the person's. */
export interface Permission {
  /**
   * The reason why the desktop wants the permission, and what is written where: sentences for the person who decides.
   */
  readonly description: string;

  /**
   * Writes the permission, and waits until the desktop has read it.
   * @returns What was done, as a sentence.
   * @throws StateError if something of another program's is in its place, or the desktop does not read it.
   */
  grant(): Promise<string>;
}
