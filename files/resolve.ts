/** From a path in a request to a file below the root, and never to anything else. */

import { join, SEPARATOR } from "@std/path";
import { RequestError } from "../http/request_error.ts";
import { descriptorOf } from "./descriptors.ts";
import { findSecrets, isSecret, type Secrets } from "./secrets.ts";
import { type Identity, isSame } from "./version.ts";
import { isSpecialOnWindows } from "./windows_names.ts";

const INVALID = "The path is not valid.";
const WINDOWS = Deno.build.os === "windows";

/** How often a file is opened anew that was replaced meanwhile. */
const OPEN_TRIES = 5;
/** How often a path is followed that the system does not tell. */
const LOOKS = 4;

/** What was found. */
export interface Found {
  /** Its real path: no link is in it. */
  real: string;
  info: Deno.FileInfo;
}

/**
 * Decodes a path.
 * @param path As it was sent: percent-encoded, not normalised.
 * @returns The names in it; the last is empty for a folder's path, which ends in a slash.
 * @throws RequestError 400 if it is no valid path, 404 if nothing can have that name.
 */
export function pathNames(path: string, onWindows = WINDOWS): string[] {
  if (!path.startsWith("/")) throw new RequestError(400, INVALID);
  const names = path.slice(1).split("/").map((part) => {
    let name: string;
    try {
      name = decodeURIComponent(part);
    } catch {
      throw new RequestError(400, INVALID);
    }
    // An encoded separator, and the backslash, would be one only after the check.
    if (/[/\\\0]/.test(name) || name === "." || name === "..") throw new RequestError(400, INVALID);
    return name;
  });
  names.forEach((name, i) => {
    if (name === "" && i < names.length - 1) throw notFound();
    if (onWindows && isSpecialOnWindows(name)) throw notFound();
  });
  return names;
}

/** Whether a name can be asked for: what cannot is not listed either. */
export function isServable(name: string, onWindows = WINDOWS): boolean {
  return !/[/\\\0]/.test(name) && name.isWellFormed() && !(onWindows && isSpecialOnWindows(name));
}

/** What below a root is neither listed nor served. */
export interface Exclusions {
  /** Looks up deskhand's own secrets. */
  secrets: () => Secrets;
  /** Whether names that begin with a dot are excluded, and all that is below such folders. */
  hidden: boolean;
}

const NO_EXCLUSIONS: Exclusions = { secrets: () => findSecrets({ files: [] }), hidden: false };

/** The root of what is served. */
export class Root {
  readonly #inside: string;

  /**
   * @param real The folder's real path.
   * @param exclusions What is below it and not served.
   * @param descriptor Tells where what is open is.
   */
  constructor(
    readonly real: string,
    readonly exclusions = NO_EXCLUSIONS,
    readonly descriptor = descriptorOf,
  ) {
    this.#inside = real.endsWith(SEPARATOR) ? real : real + SEPARATOR;
  }

  /** Where names lead on the way, links not followed. */
  path(names: readonly string[]): string {
    return join(this.real, ...names);
  }

  /**
   * Follows the links of a path.
   * @throws RequestError 404 if it is missing, leads out of the root, is excluded, or is neither a file nor a folder.
   */
  find(path: string): Found {
    const found = this.#look(path);
    if (isSecret(this.exclusions.secrets(), found.real, found.info)) throw notFound();
    return found;
  }

  /** Whether what is at a real path, which no link leads to, is neither listed nor served. */
  isExcluded(real: string, info: Identity): boolean {
    return this.#isHidden(real) || isSecret(this.exclusions.secrets(), real, info);
  }

  #look(path: string): Found {
    try {
      const real = Deno.realPathSync(path);
      if (!this.#isInside(real) || this.#isHidden(path) || this.#isHidden(real)) throw notFound();
      const info = Deno.lstatSync(real);
      // A device or a pipe is never opened: opening it may block or act.
      if (!info.isFile && !info.isDirectory) throw notFound();
      return { real, info };
    } catch (error) {
      throw isMissing(error) ? notFound() : error;
    }
  }

  /** The same; undefined for what {@linkcode find} refuses. */
  findOrNull(path: string): Found | undefined {
    return orUndefined(() => this.find(path));
  }

  /** The same for a file that was found before: one that is no secret does not become one. */
  lookOrNull(path: string): Found | undefined {
    return orUndefined(() => this.#look(path));
  }

  /**
   * Opens a file.
   *
   * At any moment somebody with write access to the folder could put a link in the place of a folder on the way. So
   * only what is seen to be inside once it is open is given. What was replaced meanwhile, as programs do that save, is
   * opened anew. A pipe in its place holds up whoever opens it until somebody writes to it: that must not be this
   * thread.
   * @param path As for {@linkcode find}.
   * @param found What {@linkcode find} gave for it.
   * @returns The file, as it was when it was opened, and its real path.
   * @throws RequestError 404 like {@linkcode find}.
   */
  async open(path: string, found: Found): Promise<Found & { file: Deno.FsFile }> {
    for (let tries = 1;; tries++) {
      let file: Deno.FsFile | undefined, given = false;
      try {
        file = await Deno.open(found.real, { read: true });
        const info = file.statSync();
        given = info.isFile && this.#holds(path, info);
        if (given) return { file, info, real: found.real };
      } catch (error) {
        throw isMissing(error) ? notFound() : error;
      } finally {
        if (!given) file?.close();
      }
      if (tries === OPEN_TRIES) throw notFound();
      found = this.find(path);
    }
  }

  /**
   * Whether a path leads to a file or folder that was seen under it, and all of it is inside. It is followed several
   * times: somebody who swaps a folder on the way for a link and back all the time deceives one look now and then, but
   * would have to hit eight moments in a row.
   * @param path As for {@linkcode find}.
   * @param seen What it was seen to be.
   * @throws RequestError 404 like {@linkcode find}.
   */
  leadsTo(path: string, seen: Identity): boolean {
    const { real } = this.find(path);
    for (let look = 0; look < LOOKS; look++) {
      const now = this.find(path);
      if (now.real !== real || !isSame(now.info, seen)) return false;
      // Unevenly, so that nobody who swaps at an even pace keeps in step.
      for (let again = 0; again < look; again++) {
        if (!isSame(Deno.lstatSync(real), seen)) return false;
      }
    }
    return true;
  }

  /** Whether what is open is inside. Where the system tells its path, that decides. */
  #holds(path: string, info: Deno.FileInfo): boolean {
    const link = this.descriptor(info, (real) => this.#isInside(real));
    return link === undefined ? this.leadsTo(path, info) : link !== null;
  }

  #isHidden(path: string): boolean {
    return this.exclusions.hidden && /[/\\]\./.test(path.slice(this.#inside.length - 1));
  }

  #isInside(real: string): boolean {
    return real === this.real || real.startsWith(this.#inside);
  }
}

function orUndefined(find: () => Found): Found | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

/** What is said of all that is not there, whatever the reason. */
export function notFound(): RequestError {
  return new RequestError(404, "The requested resource was not found.");
}

/** Tells errors that mean that there is nothing to be had under that name, by code (POSIX errno) or class. */
export function isMissing(error: unknown): boolean {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return true;
  if (error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop) return true;
  if (error instanceof Deno.errors.InvalidData) return true; // a link to a name that is no text
  const { code } = error as { code?: string };
  return code === "ENAMETOOLONG" || code === "ELOOP" || code === "ENOTDIR" || code === "EINVAL";
}

/** Tells errors that mean that another program keeps a file to itself (Win32 ERROR_SHARING_VIOLATION, _LOCK_VIOLATION). */
export function isBusy(error: unknown): boolean {
  return (error as { code?: string }).code === "EBUSY";
}

/**
 * Tells errors that mean that this process, or the system, may open no more files for now (POSIX EMFILE, ENFILE). To
 * print one with its stack ends the process: the runtime (Deno 2.9.6) has to open files for that itself.
 */
export function isExhausted(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "EMFILE" || code === "ENFILE";
}
