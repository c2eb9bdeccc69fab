/** The user whose desktops tests start. */

/** The user as whom a program is started, and its folder. */
export interface UserOptions {
  uid?: number;
  gid?: number;
  cwd?: string;
}

/**
 * Compositors and services of a desktop refuse root, which tests may be: then these run as the user nobody. A program
 * starts in a folder that its user may enter, which the one that the tests stand in need not be.
 */
export const ORDINARY_USER: UserOptions = Deno.uid() === 0 ? { uid: 65534, gid: 65534, cwd: "/" } : {};

/** Gives a file or folder to the ordinary user. */
export async function giveToUser(path: string): Promise<void> {
  await Deno.chown(path, ORDINARY_USER.uid ?? null, ORDINARY_USER.gid ?? null);
}
