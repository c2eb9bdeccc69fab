/** VitePress, in a separate folder: its packages are only fetched when a site is built. */

import { sha256 } from "../../core/bytes.ts";
import { fromFileUrl, join } from "@std/path";
import { copyTree } from "./copy_tree.ts";

/** The generator's settings, and its packages with their hashes. */
const SETTINGS = fromFileUrl(new URL("./vitepress/", import.meta.url));

/** The site cannot be built. */
export class SiteError extends Error {
  override name = "SiteError";
}

/** A text that changes with the generator's packages. */
export async function generatorVersion(): Promise<string> {
  const lock = await Deno.readFile(join(SETTINGS, "package-lock.json"));
  return (await sha256(lock)).toHex().slice(0, 16);
}

/**
 * Installs the generator with npm.
 * @param folder Receives `node_modules`, 100 MB.
 * @throws SiteError if npm is missing or fails.
 */
export async function installGenerator(folder: string): Promise<void> {
  for (const name of ["package.json", "package-lock.json"]) {
    await Deno.copyFile(join(SETTINGS, name), join(folder, name));
  }
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder);
}

/**
 * Runs the generator.
 * @param folder Contains the generator, `pages` and `site.json`.
 * @throws SiteError with the generator's message if it fails, for example because of a link to a missing
 * page.
 */
export async function generate(folder: string): Promise<void> {
  await Deno.mkdir(join(folder, ".vitepress"), { recursive: true });
  for (const name of ["config.js", "accessible.js"]) {
    await Deno.copyFile(join(SETTINGS, name), join(folder, ".vitepress", name));
  }
  await copyTree(join(SETTINGS, "theme"), join(folder, ".vitepress", "theme"));
  await run("node", ["node_modules/vitepress/bin/vitepress.js", "build"], folder);
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd }).output().catch(() => {
    throw new SiteError(`${program} is not there: the site's generator needs Node.js with npm`);
  });
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new SiteError(`${program} ${args[0]} failed:\n${text(stdout)}${text(stderr)}`);
}
