/** The checksums of all released files. */

import { sha256 } from "../../core/bytes.ts";
import { join } from "@std/path";

/**
 * Files of a release: executables, bundles, packages, their bill of materials, notices, the registry entry.
 */
const RELEASED =
  /^(?:deskhand[-_0-9a-z.]*?(?:-(?:linux|windows)-[a-z0-9]+(?:\.exe)?|\.(?:mcpb|deb|tgz|tar\.gz|whl|cdx\.json))|THIRD_PARTY_NOTICES\.txt|server\.json)$/;

/** The SHA-256 digest of a file, in hexadecimal. */
export async function fileSum(path: string): Promise<string> {
  return (await sha256(await Deno.readFile(path))).toHex();
}

/** Writes SHA256SUMS for all released files in a folder, in the format of `sha256sum --check`. */
export async function writeSums(folder: string): Promise<void> {
  const names = Array.from(Deno.readDirSync(folder), ({ name }) => name).filter((name) =>
    RELEASED.test(name)
  );
  const lines = await Promise.all(
    names.sort().map(async (name) => `${await fileSum(join(folder, name))}  ${name}\n`),
  );
  if (lines.length) await Deno.writeTextFile(join(folder, "SHA256SUMS"), lines.join(""));
}
