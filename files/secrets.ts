/**
 * deskhand's own secrets: the state folder (token, journals of recordings), the token file, the TLS key and the log.
 * The file server neither lists nor serves them, wherever they are. They are recognised by identity, so that no link,
 * hard link, mount or other spelling of a path reaches them.
 */

import { join, SEPARATOR } from "@std/path";
import { type Identity, isSame } from "./identity.ts";

/** Where deskhand keeps its secrets. */
export interface SecretPaths {
  /** The state folder; all that is below it is secret. undefined if there is none. */
  folder?: string;
  /** Files outside of it. What does not exist is ignored. */
  files: readonly string[];
}

/** The secrets that exist at one moment. It is plain data, which can be sent to another thread. */
export interface Secrets {
  /** Real path of the state folder; undefined if it does not exist. */
  readonly folder?: string;
  /** The state folder, everything below it, and the files. */
  readonly identities: readonly Identity[];
}

/**
 * Looks up the secrets that exist now. It takes some 50 us; journals come and go, so that an older result may lack one.
 * @throws Never: what cannot be looked at cannot be served either.
 */
export function findSecrets({ folder, files }: SecretPaths): Secrets {
  const identities = files.flatMap((file) => identityOf(file));
  const real = folder === undefined ? undefined : realPathOrUndefined(folder);
  if (real !== undefined) identities.push(...identityOf(real), ...identitiesBelow(real));
  return { folder: real, identities };
}

/**
 * Tells whether a file or folder is one of the secrets.
 * @param real Its real path.
 * @param info What the system tells of it.
 */
export function isSecret({ folder, identities }: Secrets, real: string, info: Identity): boolean {
  if (folder !== undefined && (real === folder || real.startsWith(folder + SEPARATOR))) return true;
  return identities.some((identity) => isSame(identity, info));
}

function identitiesBelow(folder: string): Identity[] {
  try {
    return Array.from(Deno.readDirSync(folder)).flatMap(({ name, isDirectory }) => {
      const path = join(folder, name);
      return [...identityOf(path), ...(isDirectory ? identitiesBelow(path) : [])];
    });
  } catch {
    return [];
  }
}

/** @returns None if the file does not exist, or if its file system has no file numbers: those would match all others. */
function identityOf(path: string): Identity[] {
  try {
    const { dev, ino } = Deno.statSync(path);
    return ino ? [{ dev, ino }] : [];
  } catch {
    return [];
  }
}

function realPathOrUndefined(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
