/** Warns of folders that hold more than their owner may want to share. */

import { isThere, join, SEPARATOR } from "../core/path.ts";

/** Names of files and folders that often hold secrets. */
const TELLING = [".ssh", ".gnupg", ".env", ".git"];

/**
 * The reason why a folder should perhaps be served with `--no-hidden`.
 * @param root The folder's real path.
 * @param home The user's home folder; undefined if there is none.
 * @returns One line; undefined if there is no reason.
 */
export function exposureNotice(root: string, home: string | undefined): string | undefined {
  const found = TELLING.filter((name) => isThere(join(root, name)));
  const reasons = [
    ...(home !== undefined && holds(root, home) ? ["the home folder"] : []),
    ...found,
  ];
  if (!reasons.length) return undefined;
  return `the served folder contains ${reasons.join(", ")}: dot files are served, too; ` +
    "--no-hidden hides them";
}

/**
 * The reason why a page of the folder may look broken.
 * @param root The folder's real path.
 * @returns One line; undefined if there is no reason.
 */
export function sandboxNotice(root: string): string | undefined {
  if (!["index.html", "index.htm"].some((name) => isThere(join(root, name)))) return undefined;
  return "the folder has an index.html: without --trust-html, pages cannot load styles or scripts from it; " +
    "--index shows the page instead of the listing";
}

/** Whether the first folder equals the second, or contains it. */
function holds(root: string, home: string): boolean {
  try {
    const real = Deno.realPathSync(home);
    return real === root || real.startsWith(root.endsWith(SEPARATOR) ? root : root + SEPARATOR);
  } catch {
    return false;
  }
}
