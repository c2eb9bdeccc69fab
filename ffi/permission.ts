/** Permission to control a desktop, where the person gives it to each program. */

/** A permission that is kept in a file of the person's. */
export interface Permission {
  /**
   * The reason why the desktop wants the permission, and the file that would be written: sentences for the person who
   * decides.
   */
  readonly description: string;

  /**
   * Writes the permission, and waits until the desktop has read it.
   * @returns A sentence about the change.
   * @throws StateError if another program's file is in its place, or the desktop does not read it.
   */
  grant(): Promise<string>;
}
