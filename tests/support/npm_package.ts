/** Programs contained in npm packages. */

import { join } from "@std/path";
import { kept, mustFetch } from "./config.ts";
import { mustRun } from "./shell.ts";

/** A package, and its tarball's hash in the registry's metadata. */
export interface NpmPackage {
  /** Name and version. */
  spec: string;
  integrity: string;
  /** The program's path in the tarball. */
  program: string;
}

/**
 * Fetches a package once.
 * @returns The path of its program.
 * @throws FetchError if it cannot be fetched; Error if its hash is wrong.
 */
export async function npmProgram({ spec, integrity, program }: NpmPackage): Promise<string> {
  const name = spec.replace(/^@/, "").replaceAll(/[/@]/g, "-");
  const folder = await kept(`npm/${name}`, async (folder) => {
    await mustFetch("npm", ["pack", spec, "--silent", "--pack-destination", folder]);
    const tarball = join(folder, `${name}.tgz`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", await Deno.readFile(tarball)));
    const found = `sha512-${digest.toBase64()}`;
    if (found !== integrity) throw new Error(`${spec} hashes to ${found}, not to ${integrity}: not used`);
    await mustRun("tar", ["-xzf", tarball, "-C", folder]);
    await Deno.remove(tarball);
  });
  return join(folder, program);
}
