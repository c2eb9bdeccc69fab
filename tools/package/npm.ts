/**
 * npm packages: `deskhand`, which starts the executable, and one per system that contains the executable. The
 * first lists the others as optional dependencies, of which npm installs the one that matches `os`, `cpu` and
 * `libc`.
 */

import { fromFileUrl, join } from "@std/path";
import { VERSION } from "../../core/version.ts";
import { executableName, type Target, TARGETS } from "../compile/targets.ts";
import { NOTICES_NAME, writeNotices } from "./notices.ts";
import { run, write } from "./run.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** The drivers for the vendors' SDKs, imported as `deskhand/NAME`. */
const DRIVERS = ["anthropic", "openai"];
/** Their files: the modules with their types, and the module that they share. */
const DRIVER_FILES = [...DRIVERS.flatMap((name) => [`${name}.mjs`, `${name}.d.mts`]), "endpoint.mjs"];

/** The name of the MCP registry entry, repeated in the package, so that the registry can verify its owner. */
export const MCP_NAME = "io.github.deskhand/deskhand";

/** The fields common to all package.json files. */
export const COMMON = {
  version: VERSION,
  license: "MIT",
  repository: { type: "git", url: "git+https://github.com/deskhand/deskhand.git" },
};

/** The name of the package that contains a target's executable. */
export function npmName(target: Target): string {
  return `@deskhand/${target.name}`;
}

/** The file that `npm pack` writes for a package. */
export function tarballName(name: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${VERSION}.tgz`;
}

/**
 * Builds a target's package.
 * @param folder The folder with the executable.
 * @param output Receives the package.
 * @param isFast Whether to compress little, for tests; npm always compresses as much as it can.
 * @param runtime The Deno version of the executable's runtime.
 * @returns Its path.
 * @throws PackageError if npm is missing or fails.
 */
export async function makeSystemPackage(
  target: Target,
  folder: string,
  output: string,
  isFast: boolean,
  runtime: string,
): Promise<string> {
  const { os, cpu } = target.node, program = `deskhand${target.suffix}`;
  return await pack(npmName(target), output, isFast, async (stage) => {
    await writeJson(`${stage}/package.json`, {
      name: npmName(target),
      ...COMMON,
      description: `The executable of deskhand for ${target.name}`,
      os: [os],
      cpu: [cpu],
      ...os === "linux" ? { libc: ["glibc"] } : {},
      preferUnplugged: true,
      files: [program, NOTICES_NAME],
    });
    await writeNotices(stage, runtime);
    await Deno.copyFile(join(folder, executableName(target)), `${stage}/${program}`);
    await Deno.chmod(`${stage}/${program}`, 0o755);
  });
}

/** Builds the package that users install, and returns its path. */
export async function makeMainPackage(output: string): Promise<string> {
  return await pack("deskhand", output, false, async (stage) => {
    await writeJson(`${stage}/package.json`, {
      name: "deskhand",
      mcpName: MCP_NAME,
      ...COMMON,
      description: "Controls a desktop over HTTP, from a prompt and for AI agents, and serves files",
      bin: { deskhand: "start.js" },
      exports: Object.fromEntries(
        DRIVERS.map((name) => [`./${name}`, { types: `./${name}.d.mts`, default: `./${name}.mjs` }]),
      ),
      engines: { node: ">=18" },
      files: ["start.js", ...DRIVER_FILES],
      peerDependencies: { "@anthropic-ai/sdk": ">=1.12.0" },
      peerDependenciesMeta: { "@anthropic-ai/sdk": { optional: true } },
      optionalDependencies: Object.fromEntries(TARGETS.map((target) => [npmName(target), VERSION])),
    });
    const systems = TARGETS.map((target) => [
      `${target.node.os}-${target.node.cpu}`,
      `${npmName(target)}/deskhand${target.suffix}`,
    ]);
    const launcher = await Deno.readTextFile(new URL("./start.js", import.meta.url));
    const table = JSON.stringify(Object.fromEntries(systems), null, 2);
    for (const file of DRIVER_FILES) await Deno.copyFile(new URL(file, import.meta.url), `${stage}/${file}`);
    await write(`${stage}/start.js`, launcher.replace("{} /* PROGRAMS */", () => table), 0o755);
  });
}

/**
 * Builds a package from the files that `fill` writes, the licence and a README.
 * @param isFast Whether to compress little.
 * @param readme Defaults to the project's own.
 * @returns Its path.
 */
export async function pack(
  name: string,
  output: string,
  isFast: boolean,
  fill: (stage: string) => Promise<void>,
  readme = join(ROOT, "README.md"),
): Promise<string> {
  const stage = await Deno.makeTempDir({ prefix: "deskhand-npm-" });
  try {
    await fill(stage);
    await Deno.copyFile(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
    await Deno.copyFile(readme, join(stage, "README.md"));
    const made = join(output, tarballName(name));
    if (isFast) {
      await run("tar", ["-C", stage, "--transform", "s,^[.],package,", "-I", "gzip -1", "-cf", made, "."]);
    } else {
      await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", output], stage);
    }
    return made;
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

/** Writes a value as JSON. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await write(path, `${JSON.stringify(value, null, 2)}\n`);
}
