/** deskhand where an ordinary user can run it: root may run the tests, and its folders are closed to other users. */

import { fromFileUrl, join } from "@std/path";
import type { UserOptions } from "./ordinary_user.ts";
import { mustRun } from "./shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** The files of the program; by the lock file Deno knows the packages without asking the registry. */
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
  /** The folder of Deno's fetched and generated files. */
  denoDir: string;
}

/** An npm package. */
interface Package {
  name: string;
  localPath: string;
  dependencies: string[];
}

/** Deno's description of the modules of a program. */
interface Graph {
  modules: { npmPackage?: string }[];
  npmPackages: Record<string, Package>;
}

/**
 * Copies Deno, the source and the packages that it needs, unless the folder has the copy already.
 * @param folder One that the user may enter; it is made if it is missing, and the copy ends with it.
 * @param user Gets the folder that Deno writes to.
 */
export async function ownCopy(folder: string, user: UserOptions): Promise<OwnCopy> {
  const copy = {
    runtime: join(folder, "deno"),
    main: join(folder, "main.ts"),
    denoDir: join(folder, "cache"),
  };
  const whole = join(folder, "whole"); // is there once all else is
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
  // The cache gets what a start reads.
  const cache = ["cache", "-q", "main.ts"];
  await mustRun(copy.runtime, cache, { cwd: folder, env: { DENO_DIR: copy.denoDir } });
  await mustRun("chmod", ["-R", "a+rX", folder]);
  if (user.uid !== undefined) await mustRun("chown", ["-R", `${user.uid}:${user.gid}`, copy.denoDir]);
  await Deno.writeTextFile(whole, "");
  return copy;
}

/** The npm packages that the program imports, and the packages that these need. */
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
