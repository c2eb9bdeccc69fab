/**
 * Paths of this system. `@std/path` itself asks Node's `process` for the system, and loading that costs a start 20 ms
 * (Deno 2.9.6).
 */

import * as posixBasename from "@std/path/posix/basename.js";
import * as posixDirname from "@std/path/posix/dirname.js";
import * as posixJoin from "@std/path/posix/join.js";
import * as windowsBasename from "@std/path/windows/basename.js";
import * as windowsDirname from "@std/path/windows/dirname.js";
import * as windowsJoin from "@std/path/windows/join.js";

const isWindows = Deno.build.os === "windows";

/** The separator between the names of a path. */
export const SEPARATOR = isWindows ? "\\" : "/";
/** The last name of a path. */
export const basename = isWindows ? windowsBasename.basename : posixBasename.basename;
/** The path of the folder that a path's last name is in. */
export const dirname = isWindows ? windowsDirname.dirname : posixDirname.dirname;
/** Names behind a path, as one path. */
export const join = isWindows ? windowsJoin.join : posixJoin.join;

/** Whether a path names a file that this user can see; a broken link counts. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a path is that of a folder, or of something below it. */
export function isWithinFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

// Node's modules, loaded when they are first used. To import one costs a start 20 ms (Deno 2.9.6), more than
// everything of our own.

type NodeModules = typeof globalThis.process.getBuiltinModule;

/** Gives a module of Node, such as `node:zlib`. */
export const nodeModule: NodeModules = (name: string) => globalThis.process.getBuiltinModule(name);
