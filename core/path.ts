/**
 * Path functions for this system. `@std/path` itself determines the system from Node's `process`, and loading
 * that adds 20 ms to a start (Deno 2.9.6).
 */

import * as posixBasename from "@std/path/posix/basename.js";
import * as posixDirname from "@std/path/posix/dirname.js";
import * as posixJoin from "@std/path/posix/join.js";
import * as windowsBasename from "@std/path/windows/basename.js";
import * as windowsDirname from "@std/path/windows/dirname.js";
import * as windowsJoin from "@std/path/windows/join.js";
import { attempt } from "./errors.ts";

const isWindows = Deno.build.os === "windows";

/** The separator between names in a path. */
export const SEPARATOR = isWindows ? "\\" : "/";
/** The last name of a path. */
export const basename = isWindows ? windowsBasename.basename : posixBasename.basename;
/** The path of the folder that contains a path's last name. */
export const dirname = isWindows ? windowsDirname.dirname : posixDirname.dirname;
/** Joins a path and further names. */
export const join = isWindows ? windowsJoin.join : posixJoin.join;

/** Whether a path names a file that this user can see; a broken link counts. */
export function isThere(path: string): boolean {
  return attempt(() => Deno.lstatSync(path)) !== undefined;
}

/** Whether a path is a folder's own path, or a path below it. */
export function isWithinFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

/** Minimum interval between checks of the working folder, in milliseconds. */
const LOOK_MS = 100;
let lookedAt = -Infinity;

/**
 * Leaves the working folder for the root if it has been removed: without one, Deno (2.9.6) loads no module and
 * a Worker no Node module. Called for each request, because nothing reports the removal; takes 0.1 us.
 * @param notice Receives a line for the user if the folder was left.
 */
export function leaveRemovedFolder(notice?: (text: string) => void): void {
  const now = performance.now();
  if (isWindows || now - lookedAt < LOOK_MS) return; // Windows removes no folder in use
  lookedAt = now;
  try {
    Deno.cwd();
  } catch {
    Deno.chdir("/");
    notice?.("the folder in which deskhand started was removed: relative paths now start at /");
  }
}

// Node's modules, loaded on first use. Importing one adds 20 ms to a start (Deno 2.9.6), more than all of
// deskhand's own modules.

type NodeModules = typeof globalThis.process.getBuiltinModule;

/** Returns a Node module, such as `node:zlib`. */
export const nodeModule: NodeModules = (name: string) => globalThis.process.getBuiltinModule(name);
