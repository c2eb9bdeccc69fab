/**
 * Builds the executable for tests without Deno's download site: a program that `deno compile` made once, out of
 * an npm package, stands in for the base runtime. It fits Deno 2.7.11 only; what is made here is never shipped.
 */

import { fromFileUrl, join } from "@std/path";
import { TARGETS } from "../../tools/compile/targets.ts";

/** The package, and what the registry's metadata says its tarball hashes to. */
const PACKAGE = {
  spec: "@stdy/cli-linux-x64@0.22.2",
  tarball: "stdy-cli-linux-x64-0.22.2.tgz",
  integrity:
    "sha512-kp5QdG26EC8gEzVXI0YgzmiiFHz7DFCNRLNfAWa2rDPHr/jUBnfkP8AlbTPmv0YNQpnKn1wzSWHFw88fn/OTog==",
  program: "package/bin/steady",
};
/** The Deno whose section format that program has. */
const DENO = "deno@2.7.11";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** What is no source of the executable. */
const NO_SOURCE = [".git", ".github", ".ci", "bench", "coverage", "dist", "docs", "node_modules", "tests"];
/** An executable takes 100 MB: those of older sources are removed after this time. */
const KEPT_MS = 3 * 3600_000;

/** Why the executable cannot be built on this machine, or undefined. */
export function cannotBuild(): string | undefined {
  if (Deno.build.target !== "x86_64-unknown-linux-gnu") return "it is built on Linux x64 only";
  for (const program of ["npm", "npx", "tar"]) {
    const found = (Deno.env.get("PATH") ?? "").split(":").some((folder) => isFile(join(folder, program)));
    if (!found) return `${program} is missing`;
  }
}

/** The path of the Deno that the executable's runtime is of. */
export async function standInDeno(): Promise<string> {
  const { stdout } = await new Deno.Command("npx", {
    args: ["-y", DENO, "eval", "console.log(Deno.execPath())"],
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

/**
 * Builds the executable from a copy of the source that is gone afterwards, or takes what an earlier test built
 * from the same source.
 * @returns Its path, in a cache; copy it before use.
 */
export async function builtExecutable(): Promise<string> {
  const cache = cacheFolder();
  const built = join(cache, "built", await sourceDigest());
  const executable = join(built, `deskhand-${TARGETS[0].name}`);
  if (isFile(executable)) return executable;
  await removeOld(join(cache, "built"));
  const base = await baseRuntime(cache);
  const work = await Deno.makeTempDir({ prefix: "deskhand-build-" });
  try {
    const source = join(work, "source");
    for (const path of sourceFiles()) {
      await Deno.mkdir(join(source, path, ".."), { recursive: true });
      await Deno.copyFile(join(ROOT, path), join(source, path));
    }
    await run("npx", ["-y", DENO, "run", "-A", "tools/compile.ts", "--output", join(work, "out")], {
      cwd: source,
      // This Deno looks for esbuild, which bundles, with certificates of its own unless told.
      env: { DENORT_BIN: base, DENO_TLS_CA_STORE: "system,mozilla", npm_config_update_notifier: "false" },
    });
    await Deno.mkdir(join(cache, "built"), { recursive: true });
    const staged = `${built}.${crypto.randomUUID()}`;
    await run("cp", ["-r", join(work, "out"), staged]);
    // Another test may have been faster; then its work stands.
    await Deno.rename(staged, built).catch(() => Deno.remove(staged, { recursive: true }));
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return executable;
}

/** The stand-in: fetched once, and only used if its tarball hashes to what is written above. */
async function baseRuntime(cache: string): Promise<string> {
  const folder = join(cache, "stand-in", PACKAGE.tarball.replace(/\.tgz$/, ""));
  const program = join(folder, PACKAGE.program);
  if (isFile(program)) return program;
  const work = await Deno.makeTempDir({ prefix: "deskhand-stand-in-" });
  try {
    await run("npm", ["pack", PACKAGE.spec, "--silent", "--pack-destination", work]);
    const tarball = join(work, PACKAGE.tarball);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", await Deno.readFile(tarball)));
    const integrity = `sha512-${digest.toBase64()}`;
    if (integrity !== PACKAGE.integrity) {
      throw new Error(`${PACKAGE.spec} hashes to ${integrity}, not to ${PACKAGE.integrity}: not used`);
    }
    await run("tar", ["-xzf", tarball, "-C", work]);
    await Deno.mkdir(join(folder, ".."), { recursive: true });
    const staged = `${folder}.${crypto.randomUUID()}`;
    await run("cp", ["-r", work, staged]);
    await Deno.rename(staged, folder).catch(() => Deno.remove(staged, { recursive: true }));
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return program;
}

/** A folder of its own, beside other programs' caches. */
function cacheFolder(): string {
  const caches = Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "/tmp", ".cache");
  return join(caches, "deskhand-tests");
}

async function sourceDigest(): Promise<string> {
  const contents = await Promise.all(
    sourceFiles().sort().map(async (path) => [
      new TextEncoder().encode(`\0${path}\0`),
      await Deno.readFile(join(ROOT, path)),
    ]),
  );
  const all = await new Blob(contents.flat()).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all)).toHex().slice(0, 32);
}

function sourceFiles(folder = ""): string[] {
  return Array.from(Deno.readDirSync(join(ROOT, folder))).flatMap(({ name, isDirectory }) => {
    if (!folder && NO_SOURCE.includes(name)) return [];
    const path = folder ? `${folder}/${name}` : name;
    return isDirectory ? sourceFiles(path) : [path];
  });
}

async function removeOld(folder: string): Promise<void> {
  if (!isFolder(folder)) return;
  for (const { name } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    const modified = (await Deno.stat(path).catch(() => undefined))?.mtime?.getTime() ?? Date.now();
    if (Date.now() - modified > KEPT_MS) await Deno.remove(path, { recursive: true }).catch(() => {});
  }
}

async function run(command: string, args: string[], options: Deno.CommandOptions = {}): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, stdin: "null", ...options })
    .output();
  if (success) return;
  const decoder = new TextDecoder();
  throw new Error(`${command} ${args.join(" ")} failed:\n${decoder.decode(stdout)}${decoder.decode(stderr)}`);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
