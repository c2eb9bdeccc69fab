/** deskhand where an ordinary user can run it: tests may run as root, whose folders others cannot access. */

import { fromFileUrl, join } from "@std/path";
import type { UserOptions } from "./ordinary_user.ts";
import { mustRun } from "./shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** The program's files; with the lock file, Deno knows the packages without querying the registry. */
const SOURCES = [
  "main.ts",
  "deno.json",
  "deno.lock",
  "cli",
  "control",
  "core",
  "ffi",
  "files",
  "http",
  "rfb",
];

/** A copy, for `Program`. */
export interface OwnCopy {
  /** The path of Deno. */
  runtime: string;
  /** The main module. */
  main: string;
  /** The folder of files that Deno fetches and generates. */
  denoDir: string;
}

/** An npm package. */
interface Package {
  name: string;
  localPath: string;
  dependencies: string[];
}

/** Deno's description of a program's modules. */
interface Graph {
  modules: { npmPackage?: string }[];
  npmPackages: Record<string, Package>;
}

/**
 * Copies Deno, the source and the packages that it needs, unless the folder already contains the copy.
 * @param folder A folder accessible to the user, created if missing; the copy is removed with it.
 * @param user Becomes the owner of the folder that Deno writes to.
 */
export async function ownCopy(folder: string, user: UserOptions): Promise<OwnCopy> {
  const copy = {
    runtime: join(folder, "deno"),
    main: join(folder, "main.ts"),
    denoDir: join(folder, "cache"),
  };
  const whole = join(folder, "whole"); // exists once everything else does
  if (await Deno.stat(whole).then(() => true, () => false)) return copy;
  await Deno.mkdir(folder, { recursive: true });
  const runtime = await Deno.realPath(Deno.execPath());
  await Deno.link(runtime, copy.runtime).catch(() => Deno.copyFile(runtime, copy.runtime));
  await mustRun("cp", ["-r", ...SOURCES, folder], { cwd: ROOT });
  const { npmCache } = JSON.parse(await mustRun(Deno.execPath(), ["info", "--json"], { cwd: ROOT }));
  for (const { localPath: path } of await packages()) {
    const to = join(copy.denoDir, "npm", path.slice(npmCache.length));
    await mustRun("mkdir", ["-p", to]);
    await mustRun("cp", ["-r", `${path}/.`, to]);
  }
  // The cache receives what a start reads.
  const cache = ["cache", "-q", "main.ts"];
  await mustRun(copy.runtime, cache, { cwd: folder, env: { DENO_DIR: copy.denoDir } });
  await mustRun("chmod", ["-R", "a+rX", folder]);
  if (user.uid !== undefined) await mustRun("chown", ["-R", `${user.uid}:${user.gid}`, copy.denoDir]);
  await Deno.writeTextFile(whole, "");
  return copy;
}

/** The npm packages that the program imports, and their dependencies. */
async function packages(): Promise<Package[]> {
  const graph: Graph = JSON.parse(
    await mustRun(Deno.execPath(), ["info", "--json", "main.ts"], { cwd: ROOT }),
  );
  const needed = new Set<string>();
  const add = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    graph.npmPackages[name].dependencies.forEach(add);
  };
  for (const { npmPackage } of graph.modules) if (npmPackage) add(npmPackage);
  return [...needed].map((name) => graph.npmPackages[name]);
}
