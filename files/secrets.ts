/**
 * deskhand's own secrets: the state folder (token, journals of recordings), the token file, the TLS key and the log.
 * The file server neither lists nor serves them, wherever they are. They are recognised by identity, so that no link,
 * hard link, mount or other spelling of a path reaches them.
 */

import { attempt } from "../core/errors.ts";
import { basename, dirname, join, SEPARATOR } from "../core/path.ts";
import { type Identity, isSame, millisecondsOf } from "./identity.ts";

/** The places of deskhand's secrets. */
export interface SecretPaths {
  /** The state folder; everything below it is secret. It is undefined if there is no such folder. */
  folder?: string;
  /** Secret files outside of the state folder. A file that does not exist is secret by its path. */
  files: readonly string[];
}

/**
 * The identity of a file over time. Numbers of NTFS files have 64 bits, of which Deno keeps 53, so that those of
 * two files may read the same; that both were created in the same millisecond is out of the question.
 */
type Fingerprint = Identity & Pick<Deno.FileInfo, "birthtime">;

/** The secrets that exist at one moment. It is plain data, which can be sent to another thread. */
export interface Secrets {
  /** Real paths of the state folder and of the files. */
  readonly paths: readonly string[];
  /** The state folder, everything below it, and the files. */
  readonly fingerprints: readonly Fingerprint[];
}

/**
 * Looks up the secrets that exist now. Journals come and go, so an older result may lack some. The look-up takes some
 * 20 us and never throws: a file that cannot be read cannot be served either.
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
 * @param info The system's information about it.
 */
export function isSecret({ paths, fingerprints }: Secrets, real: string, info: Fingerprint): boolean {
  return isSecretPath({ paths }, real) ||
    fingerprints.some((secret) =>
      isSame(secret, info) && millisecondsOf(secret.birthtime) === millisecondsOf(info.birthtime)
    );
}

/** Whether a path is that of a secret, even if the file does not exist yet. */
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

/** @returns None if the file does not exist, or its file system has no file numbers: no number equals any other. */
function fingerprintOf(path: string): Fingerprint[] {
  try {
    const { dev, ino, birthtime } = Deno.statSync(path);
    return ino ? [{ dev, ino, birthtime }] : [];
  } catch {
    return [];
  }
}

/**
 * The real path of a file. For a file that does not exist yet, such as a log between rotations, the path that it
 * would have.
 */
function realPathOrUndefined(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return attempt(() => join(Deno.realPathSync(dirname(path)), basename(path)));
  }
}
