/** Resolves a path below the served folder to a file or folder inside it, and never to anything else. */

import { Disk, Reach } from "../core/disk.ts";
import { FileChangedError } from "../core/errors.ts";
import { join, SEPARATOR } from "../core/path.ts";
import { mountsBelow } from "../core/proc.ts";
import { RequestError } from "../http/request.ts";
import { type FileVersion, type Identity, isSame } from "./identity.ts";
import { isMissing, notFound } from "./file_errors.ts";
import { type OpenedFile, type OpenInfo, openToRead } from "./open_file.ts";
import { findSecrets, isSecret, isSecretPath, type Secrets } from "./secrets.ts";

// Names of deskhand's own files and folders below the served folder. They are neither listed nor served.

/** Name prefix of incomplete uploads. */
export const PARTIAL_PREFIX = ".deskhand-upload-";
/** Name of the trash folder. */
export const TRASH = ".deskhand-trash";

/** A name of deskhand's own in a path with a separator before each name. */
const OWN = new RegExp(`[/\\\\](?:${PARTIAL_PREFIX}|${TRASH}(?:[/\\\\]|$))`.replaceAll(".", "\\."));

/** A file or folder that a path leads to. */
export interface Resolved {
  /** The real path, which contains no links. */
  real: string;
  info: Deno.FileInfo;
}

export interface OpenFile {
  file: OpenedFile;
  /** The file's metadata when it was opened. */
  info: FileVersion;
}

/** Exclusions: names below a root that are neither listed nor served. */
interface Exclusions {
  /** Looks up deskhand's own secrets. */
  secrets: () => Secrets;
  /** Whether names that begin with a dot, and everything below such folders, are excluded. */
  hidden: boolean;
}

/** A {@linkcode Root} as plain data that can be sent to another thread. */
export interface RootData {
  /** The folder's real path. */
  real: string;
  /** deskhand's own secrets at the time of creation. */
  secrets: Secrets;
  /** Whether hidden files are excluded, as in {@linkcode Exclusions}. */
  hidden: boolean;
}

const NO_EXCLUSIONS: Exclusions = { secrets: () => findSecrets({ files: [] }), hidden: false };

/** Number of a folder's items read per call. */
const BLOCK = 512;

/** The next values of an iterator; none after the last one. */
async function nextOf<T>(values: AsyncIterator<T>, limit: number): Promise<T[]> {
  const next: T[] = [];
  while (next.length < limit) {
    const { value, done } = await values.next();
    if (done) break;
    next.push(value);
  }
  return next;
}

/** The file system calls of this thread. */
export const REACH: Reach = new Reach();

/** The served folder. */
export class Root {
  readonly #prefix: string;
  readonly #reach: Reach;

  /**
   * @param real The folder's real path.
   * @param exclusions Files below it that are not served.
   * @param reach Makes the calls of the asynchronous methods.
   */
  constructor(readonly real: string, readonly exclusions = NO_EXCLUSIONS, reach = REACH) {
    this.#reach = reach;
    this.#prefix = real.endsWith(SEPARATOR) ? real : real + SEPARATOR;
  }

  /** Creates a root from the result of {@linkcode data}, on another thread. */
  static of({ real, secrets, hidden }: RootData): Root {
    return new Root(real, { secrets: () => secrets, hidden });
  }

  /** The root for another thread. */
  data(): RootData {
    return { real: this.real, secrets: this.exclusions.secrets(), hidden: this.exclusions.hidden };
  }

  /** The root with the secrets that exist now, for many checks in a row. */
  snapshot(): Root {
    const secrets = this.exclusions.secrets();
    return new Root(this.real, { secrets: () => secrets, hidden: this.exclusions.hidden }, this.#reach);
  }

  /** The path of names below the root, links not resolved. */
  path(names: readonly string[]): string {
    return join(this.real, ...names);
  }

  /**
   * Follows the links of a path.
   * @param lexicalPath As returned by {@linkcode path}.
   * @throws RequestError 404 if nothing exists there, or it is outside of the root, excluded, or neither a
   * file nor a folder.
   */
  resolve(lexicalPath: string): Resolved {
    const resolved = this.#follow(lexicalPath);
    if (isSecret(this.exclusions.secrets(), resolved.real, resolved.info)) throw notFound();
    return resolved;
  }

  /**
   * Resolves a path as {@linkcode resolve} does, without making other requests wait.
   * @throws As {@linkcode resolve}; BusyError if the file system does not respond.
   */
  async find(lexicalPath: string): Promise<Resolved> {
    const resolved = await this.#followed(lexicalPath);
    if (isSecret(this.exclusions.secrets(), resolved.real, resolved.info)) throw notFound();
    return resolved;
  }

  /** Resolves a path as {@linkcode find} does; undefined where that throws a 404. */
  async findOrNull(lexicalPath: string): Promise<Resolved | undefined> {
    return await this.find(lexicalPath).catch(undefinedFor404);
  }

  /** Follows a path as {@linkcode resolveAgain} does, without making other requests wait. */
  async findAgain(lexicalPath: string): Promise<Resolved | undefined> {
    return await this.#followed(lexicalPath).catch(undefinedFor404);
  }

  /**
   * Queries the file system about a path below the root, or an open file there.
   * @param path Its first name below the root is the area, which may hang independently.
   * @param discard As for {@linkcode Reach.call}.
   * @throws The errors of the call; BusyError if the file system does not respond.
   */
  async reach<T>(path: string, call: () => Promise<T>, discard?: (late: T) => void): Promise<T> {
    return await this.#reach.call(this.#areaOf(path), call, discard);
  }

  /** The disk of a file or folder below the root, given by its real path. */
  disk(real: string): Disk {
    return new Disk(this.#reach, this.#areaOf(real), real);
  }

  /** The disk of a folder, given by its real path, and each disk mounted below it. */
  disksBelow(real: string): Disk[] {
    return [real, ...mountsBelow(real)].map((path) => this.disk(path));
  }

  #areaOf(path: string): string {
    const below = path.slice(this.#prefix.length), end = below.search(/[/\\]/);
    return end < 0 ? below : below.slice(0, end);
  }

  /**
   * Reads a folder, without making other requests wait.
   * @param real The folder's real path.
   * @returns The items in blocks.
   * @throws The errors of Deno.readDir; BusyError if the file system does not respond.
   */
  async *items(real: string): AsyncGenerator<Deno.DirEntry[], void> {
    const items = Deno.readDir(real)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const block = await this.reach(real, () => nextOf(items, BLOCK));
        if (!block.length) return;
        yield block;
      }
    } finally {
      items.return?.().catch(() => {}); // waits for a call that has not returned
    }
  }

  /** Resolves a path as {@linkcode resolve} does; undefined where that throws a 404. */
  resolveOrNull(lexicalPath: string): Resolved | undefined {
    return orUndefined(() => this.resolve(lexicalPath));
  }

  /**
   * Follows the links of a path to a file that it led to before. Secrets are not checked again: an ordinary file does
   * not become a secret.
   * @returns undefined where {@linkcode resolve} throws a 404.
   */
  resolveAgain(lexicalPath: string): Resolved | undefined {
    return orUndefined(() => this.#follow(lexicalPath));
  }

  /** Whether a path still leads to the file or folder that it led to before. */
  leadsTo(lexicalPath: string, before: Identity): boolean {
    const now = this.resolveAgain(lexicalPath);
    return now !== undefined && isSame(now.info, before);
  }

  /** Whether a real path belongs to a secret, even if the file does not exist. */
  isSecretPath(real: string): boolean {
    return isSecretPath(this.exclusions.secrets(), real);
  }

  /** Whether a folder, given by its real path, contains a secret. */
  holdsSecret(real: string): boolean {
    return this.exclusions.secrets().paths.some((path) => path.startsWith(real + SEPARATOR));
  }

  /** Whether a file or folder, given by its real path, is neither listed nor served. */
  isExcluded(real: string, info: Deno.FileInfo): boolean {
    return this.hides(real) || isSecret(this.exclusions.secrets(), real, info);
  }

  /**
   * Opens a file, on another thread.
   * @param resolved The result of {@linkcode resolve}.
   * @throws RequestError 404 if it is missing, FileChangedError if another file, a folder or a pipe has
   * replaced it.
   */
  async open({ real, info }: { real: string; info: Identity }): Promise<OpenFile> {
    const { file, now } = await this.reach(real, () => openWithInfo(real), ({ file }) => file.close());
    // The system may reuse inode numbers immediately: a pipe may have this one now.
    if (now.isFile && isSame(now, info)) return { file, info: now };
    file.close();
    throw new FileChangedError("the file was replaced while being opened");
  }

  #follow(lexicalPath: string): Resolved {
    try {
      const real = Deno.realPathSync(lexicalPath);
      this.#checkPaths(lexicalPath, real);
      return served(real, Deno.lstatSync(real));
    } catch (error) {
      throw isMissing(error) ? notFound() : error;
    }
  }

  async #followed(lexicalPath: string): Promise<Resolved> {
    try {
      return await this.reach(lexicalPath, async () => {
        const real = await Deno.realPath(lexicalPath);
        this.#checkPaths(lexicalPath, real);
        return served(real, await Deno.lstat(real));
      });
    } catch (error) {
      throw isMissing(error) ? notFound() : error;
    }
  }

  /** @throws RequestError 404 if a path is outside of the root or excluded by its names. */
  #checkPaths(lexicalPath: string, real: string): void {
    if (!this.#isInside(real) || this.hides(lexicalPath) || this.hides(real)) throw notFound();
  }

  #isInside(real: string): boolean {
    return real === this.real || real.startsWith(this.#prefix);
  }

  /** Whether the names in a path below the root prevent serving it. */
  hides(path: string): boolean {
    const below = path.slice(this.#prefix.length - 1);
    return OWN.test(below) || this.exclusions.hidden && /[/\\]\./.test(below);
  }
}

/**
 * Checks a file's kind. Devices and pipes are never opened, because opening may block or have side effects.
 */
function served(real: string, info: Deno.FileInfo): Resolved {
  if (!info.isFile && !info.isDirectory) throw notFound();
  return { real, info };
}

async function openWithInfo(real: string): Promise<{ file: OpenedFile; now: OpenInfo }> {
  let file: OpenedFile;
  try {
    file = await openToRead(real);
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
  try {
    return { file, now: await file.stat() };
  } catch (error) {
    file.close();
    throw error;
  }
}

function orUndefined(resolve: () => Resolved): Resolved | undefined {
  try {
    return resolve();
  } catch (error) {
    return undefinedFor404(error);
  }
}

function undefinedFor404(error: unknown): undefined {
  if (!(error instanceof RequestError)) throw error;
}

// Request paths: the names in them, and which names can be served.

const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])\s*(?:\.|$)/i;

/**
 * Whether Windows would not treat a name as that of a file: a device, a stream (`a.txt::$DATA`), a drive, a
 * short name (`PROGRA~1`), or a name whose final dots and blanks it drops.
 */
export function isSpecialOnWindows(name: string): boolean {
  return DEVICE.test(name) || /[<>:"|?*\p{Cc}]/u.test(name) || /[. ]$/.test(name) || /~\d/.test(name);
}

const INVALID = "The path is not valid";
const WINDOWS = Deno.build.os === "windows";

/**
 * Decodes a path, and removes its dot segments (RFC 3986 section 5.2.4) and empty names, as other file servers do: apt
 * asks for `/./Packages`.
 * @param path As sent: percent-encoded, not normalized.
 * @returns The names in it; the last is empty for a folder path, which ends with a slash.
 * @throws RequestError 400 if the path is not valid, 404 if no file can have such a name.
 * @example
 * pathNames("/a%20b//./c/"); // ["a b", "c", ""]
 */
export function pathNames(path: string, onWindows = WINDOWS): string[] {
  if (!path.startsWith("/")) throw new RequestError(400, `${INVALID}: it must begin with a slash.`);
  const names: string[] = [], parts = path.slice(1).split("/").map((part) => decodedName(part, onWindows));
  for (const part of parts) {
    if (part === "..") names.pop();
    else if (part !== "" && part !== ".") names.push(part);
  }
  if (onWindows && names.some(isSpecialOnWindows)) throw notFound();
  return ["", ".", ".."].includes(parts.at(-1)!) ? [...names, ""] : names;
}

/** Whether a request path can contain this name. Listings omit files with other names. */
export function isServable(name: string): boolean {
  return !separators(WINDOWS).test(name) && name.isWellFormed() && !(WINDOWS && isSpecialOnWindows(name));
}

/**
 * Characters that no name contains. A backslash is an ordinary character where it does not separate names.
 */
function separators(onWindows: boolean): RegExp {
  return onWindows ? /[/\\\0]/ : /[/\0]/;
}

function decodedName(part: string, onWindows: boolean): string {
  let name: string;
  try {
    name = decodeURIComponent(part);
  } catch {
    const what = "two hexadecimal digits must follow each %, and the bytes must be UTF-8";
    throw new RequestError(400, `${INVALID}: ${what}. A % of a name is written %25.`);
  }
  // An encoded separator would become a real one after this check.
  if (separators(onWindows).test(name)) {
    throw new RequestError(400, `${INVALID}: a name cannot contain ${onWindows ? "/, \\ or" : "/ or"} NUL.`);
  }
  return name;
}
