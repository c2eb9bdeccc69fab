/**
 * deskhand's own secrets: the state folder (token, journals of recordings), the token file, the TLS key and
 * the log. The file server neither lists nor serves them, wherever they are. They are recognized by identity,
 * so that no link, hard link, mount or alternative path spelling reaches them.
 */

import { attempt } from "../core/errors.ts";
import { basename, dirname, join, SEPARATOR } from "../core/path.ts";
import { type Identity, isSame, millisecondsOf } from "./identity.ts";

/** Paths of deskhand's secrets. */
export interface SecretPaths {
  /** The state folder; everything below it is secret. Undefined if there is none. */
  folder?: string;
  /** Secret files outside of the state folder. A path is secret even before its file exists. */
  files: readonly string[];
}

/**
 * A file's identity over time. NTFS file numbers have 64 bits, but Deno preserves only 53, so that two files
 * may appear to have the same number; it is practically impossible that both were created in the same
 * millisecond.
 */
type Fingerprint = Identity & Pick<Deno.FileInfo, "birthtime">;

/** The secrets that exist at one moment, as plain data that can be sent to another thread. */
export interface Secrets {
  /** Real paths of the state folder and of the files. */
  readonly paths: readonly string[];
  /** The state folder, everything below it, and the files. */
  readonly fingerprints: readonly Fingerprint[];
}

/**
 * Looks up the secrets that exist now. Journals come and go, so an older result may be incomplete. The lookup
 * takes about 20 us and never throws: an unreadable file cannot be served either.
 */
export function findSecrets({ folder, files }: SecretPaths): Secrets {
  const real = [folder, ...files].map((path) => path === undefined ? undefined : realPathOrUndefined(path));
  return {
    paths: real.filter((path) => path !== undefined),
    fingerprints: [
      ...real.flatMap((path) => path === undefined ? [] : fingerprintOf(path)),
      ...(real[0] === undefined ? [] : fingerprintsBelow(real[0])),
    ],
  };
}

/**
 * Whether a file or folder is one of the secrets.
 * @param real Its real path.
 * @param info Its metadata.
 */
export function isSecret({ paths, fingerprints }: Secrets, real: string, info: Fingerprint): boolean {
  return isSecretPath({ paths }, real) ||
    fingerprints.some((secret) =>
      isSame(secret, info) && millisecondsOf(secret.birthtime) === millisecondsOf(info.birthtime)
    );
}

/** Whether a path belongs to a secret, even if the file does not exist yet. */
export function isSecretPath({ paths }: Pick<Secrets, "paths">, real: string): boolean {
  return paths.some((path) => real === path || real.startsWith(path + SEPARATOR));
}

function fingerprintsBelow(folder: string): Fingerprint[] {
  try {
    return Array.from(Deno.readDirSync(folder)).flatMap(({ name, isDirectory }) => {
      const path = join(folder, name);
      return [...fingerprintOf(path), ...(isDirectory ? fingerprintsBelow(path) : [])];
    });
  } catch {
    return [];
  }
}

/** @returns An empty list if the file does not exist, or its file system has no inode numbers. */
function fingerprintOf(path: string): Fingerprint[] {
  try {
    const { dev, ino, birthtime } = Deno.statSync(path);
    return ino ? [{ dev, ino, birthtime }] : [];
  } catch {
    return [];
  }
}

/** A file's real path; if it does not exist, such as a log between rotations, the path that it would have. */
function realPathOrUndefined(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return attempt(() => join(Deno.realPathSync(dirname(path)), basename(path)));
  }
}
