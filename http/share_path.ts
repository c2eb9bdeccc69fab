/** Paths of shared files, which hold a secret: the log shows them without it. */

/** The path below which files are shared. */
export const SHARE_PATH = "/.share";

/** Tells whether a path is one of shares. */
export function isSharePath(path: string): boolean {
  return path === SHARE_PATH || path.startsWith(`${SHARE_PATH}/`);
}

/**
 * A path as a log may show it.
 * @example
 * withoutToken("/.share/secret/a.txt"); // "/.share/…/a.txt"
 */
export function withoutToken(path: string): string {
  return path.replace(/^(\/\.share\/)[^/]+/, "$1…");
}
