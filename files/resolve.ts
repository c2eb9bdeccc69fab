/** Resolves a path below the served folder to a file or folder inside it, and never to anything else. */

import { FileChangedError } from "../core/errors.ts";
import { join, SEPARATOR } from "../core/path.ts";
import { RequestError } from "../http/request_error.ts";
import { isMissing, notFound } from "./file_errors.ts";
import { type FileVersion, type Identity, isSame } from "./identity.ts";
import { type OpenedFile, openToRead } from "./opened.ts";
import { isPartial } from "./partial_names.ts";
import { findSecrets, isSecret, isSecretPath, type Secrets } from "./secrets.ts";

/** A file or folder that a path leads to. */
export interface Resolved {
  /** The file's real path, which holds no link. */
  real: string;
  info: Deno.FileInfo;
}

/** A file that is open. */
export interface OpenFile {
  file: OpenedFile;
  /** The system's description of the file when it was opened. */
  info: FileVersion;
}

/** Exclusions: names below a root that are neither listed nor served. */
export interface Exclusions {
  /** Looks up deskhand's own secrets. */
  secrets: () => Secrets;
  /** Tells whether names that begin with a dot are excluded, and everything below such folders. */
  hidden: boolean;
}

/** A {@linkcode Root} as plain data, which can be sent to another thread. */
export interface RootData {
  /** The folder's real path. */
  real: string;
  /** deskhand's own secrets that exist when this is made. */
  secrets: Secrets;
  /** Tells whether hidden files are excluded, as in {@linkcode Exclusions}. */
  hidden: boolean;
}

const NO_EXCLUSIONS: Exclusions = { secrets: () => findSecrets({ files: [] }), hidden: false };

/** The folder that is served. */
export class Root {
  readonly #prefix: string;

  /**
   * @param real The folder's real path.
   * @param exclusions The files below it that are not served.
   */
  constructor(readonly real: string, readonly exclusions = NO_EXCLUSIONS) {
    this.#prefix = real.endsWith(SEPARATOR) ? real : real + SEPARATOR;
  }

  /** Makes a root from the result of {@linkcode data}, on another thread. */
  static of({ real, secrets, hidden }: RootData): Root {
    return new Root(real, { secrets: () => secrets, hidden });
  }

  /** The root for another thread. */
  data(): RootData {
    return { real: this.real, secrets: this.exclusions.secrets(), hidden: this.exclusions.hidden };
  }

  /** The path of names below the root, without regard to links. */
  path(names: readonly string[]): string {
    return join(this.real, ...names);
  }

  /**
   * Follows the links of a path.
   * @param lexicalPath As {@linkcode path} gives it.
   * @throws RequestError 404 if nothing is there, it is outside of the root, it is excluded, or it is neither a file nor
   * a folder.
   */
  resolve(lexicalPath: string): Resolved {
    const resolved = this.#follow(lexicalPath);
    if (isSecret(this.exclusions.secrets(), resolved.real, resolved.info)) throw notFound();
    return resolved;
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

  /** Tells whether a path still leads to the file or folder that it led to before. */
  leadsTo(lexicalPath: string, before: Identity): boolean {
    const now = this.resolveAgain(lexicalPath);
    return now !== undefined && isSame(now.info, before);
  }

  /** Tells whether a real path is a secret's; the file need not exist. */
  isSecretPath(real: string): boolean {
    return isSecretPath(this.exclusions.secrets(), real);
  }

  /** Tells whether a file or folder, given by its real path, is neither listed nor served. */
  isExcluded(real: string, info: Deno.FileInfo): boolean {
    return this.hides(real) || isSecret(this.exclusions.secrets(), real, info);
  }

  /**
   * Opens a file, on another thread.
   * @param resolved The result of {@linkcode resolve}.
   * @throws RequestError 404 if it is missing, FileChangedError if another file, a folder or a pipe has taken its
   * place.
   */
  async open({ real, info }: { real: string; info: Identity }): Promise<OpenFile> {
    let file: OpenedFile;
    try {
      file = await openToRead(real);
    } catch (error) {
      throw isMissing(error) ? notFound() : error;
    }
    const now = file.statSync();
    // The system reuses inode numbers at once: a pipe may have this one now.
    if (now.isFile && isSame(now, info)) return { file, info: now };
    file.close();
    throw new FileChangedError("the file was replaced while it was opened");
  }

  #follow(lexicalPath: string): Resolved {
    try {
      const real = Deno.realPathSync(lexicalPath);
      if (!this.#isInside(real) || this.hides(lexicalPath) || this.hides(real)) throw notFound();
      const info = Deno.lstatSync(real);
      // Never opens a device or a pipe, since opening may block or have effects.
      if (!info.isFile && !info.isDirectory) throw notFound();
      return { real, info };
    } catch (error) {
      throw isMissing(error) ? notFound() : error;
    }
  }

  #isInside(real: string): boolean {
    return real === this.real || real.startsWith(this.#prefix);
  }

  /** Tells whether a path below the root is not served because of its names. */
  hides(path: string): boolean {
    const below = path.slice(this.#prefix.length - 1);
    return isPartial(below) || this.exclusions.hidden && /[/\\]\./.test(below);
  }
}

function orUndefined(resolve: () => Resolved): Resolved | undefined {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}
