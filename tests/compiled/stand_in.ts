/**
 * Builds executables for tests without Deno's download site: programs in npm packages that `deno compile`
 * once made stand in for the base runtimes. They require Deno 2.7.11, and the executables are never shipped.
 */

import { fromFileUrl, join } from "@std/path";
import { executableName, type Target, TARGETS } from "../../tools/compile/targets.ts";
import { CACHE, config, kept, whyUnavailable } from "../support/config.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { type NpmPackage, npmProgram } from "../support/npm_package.ts";

/** Stand-ins by target. */
const BASES = {
  "linux-x64": {
    spec: "@stdy/cli-linux-x64@0.22.2",
    integrity:
      "sha512-kp5QdG26EC8gEzVXI0YgzmiiFHz7DFCNRLNfAWa2rDPHr/jUBnfkP8AlbTPmv0YNQpnKn1wzSWHFw88fn/OTog==",
    program: "package/bin/steady",
  },
  "linux-arm64": {
    spec: "@stdy/cli-linux-arm64@0.22.2",
    integrity:
      "sha512-HjSQdAt40CpYIauUKJ1xyIEsdrf5LtQP1x8Su7BEZJN94807ROJXxabW+jXyc48823tVBkrnxNUUTrBK4TVTRw==",
    program: "package/bin/steady",
  },
  "windows-x64": {
    spec: "@stdy/cli-win32-x64@0.22.2",
    integrity:
      "sha512-7ZsJltOYVvMTl6eAy1AKMya7TFhb629FXr/BKZTyQsBrPj28rAaebQSTFYs1IZN0+n6LnJTpue6m4SIkevqBNA==",
    program: "package/bin/steady.exe",
  },
} as const satisfies Partial<Record<Target["name"], NpmPackage>>;
/** The Deno version whose section format the stand-ins have. */
const DENO: NpmPackage = {
  spec: "@deno/linux-x64-glibc@2.7.11",
  integrity:
    "sha512-TCRXqy4rHI+pKmWfjIz/qfDyfTz61qhxj+03kEJ3r0YzRGsXNoHyE7WiUawwUK2hbrBAu7hn3m5833VUYqRzOg==",
  program: "package/deno",
};

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** Folders without sources of the executable. */
const NO_SOURCE = [".git", ".github", ".ci", "bench", "coverage", "dist", "docs", "node_modules", "tests"];
/** Stamp of builds: change it when the same source is built differently. */
const STAMP = 3;
/** Number of sources whose executables are cached: an executable takes 100 MB, its bundle another 100 MB. */
const KEPT_SOURCES = 3;
/** Time for which another run may still use a build, in milliseconds. */
const IN_USE_MS = 15 * 60_000;

/** Target with a stand-in. */
export type BuiltTarget = keyof typeof BASES;

/** Why an executable cannot be built on this machine; undefined if it can. */
export async function cannotBuild(name: BuiltTarget = "linux-x64"): Promise<string | undefined> {
  if (Deno.build.target !== "x86_64-unknown-linux-gnu") return "it is built on Linux x64 only";
  for (const program of ["npm", "tar"]) {
    const found = (Deno.env.get("PATH") ?? "").split(":").some((folder) => isFile(join(folder, program)));
    if (!found) return `${program} is missing`;
  }
  return await whyUnavailable(() => Promise.all([npmProgram(BASES[name]), standInDeno()]));
}

/** Path of the Deno with the executable's runtime version. */
export async function standInDeno(): Promise<string> {
  return await npmProgram(DENO);
}

/**
 * Builds an executable from a copy of the source that is removed afterwards, or returns the cached one of the
 * same source.
 * @returns Its path in a cache; copy it before use.
 */
export async function builtExecutable(name: BuiltTarget = "linux-x64"): Promise<string> {
  const target = TARGETS.find((target) => target.name === name)!;
  const base = await npmProgram(BASES[name]);
  const folder = await kept(`built/${await sourceDigest()}-${name}-${STAMP}`, async (folder) => {
    await removeOld(join(CACHE, "built"));
    await build(target, base, folder);
  });
  await Deno.utime(folder, new Date(), new Date()); // marks it as in use
  return join(folder, executableName(target));
}

async function build(target: Target, base: string, folder: string): Promise<void> {
  await temporary(async (source) => {
    for (const path of sourceFiles()) {
      await Deno.mkdir(join(source, path, ".."), { recursive: true });
      await Deno.copyFile(join(ROOT, path), join(source, path));
    }
    const args = ["tools/compile.ts", "--fast", "--target", target.name, "--output", folder];
    await mustRun(await standInDeno(), ["run", "-A", ...config(), ...args], {
      cwd: source,
      // By default this Deno fetches esbuild, the bundler, with its own certificates.
      env: {
        DENORT_BIN: target.format === "PE" ? await withRoom(base, source) : base,
        DENO_TLS_CA_STORE: "system,mozilla",
      },
    });
  });
}

/** Maximum size of the files embedded in a Windows executable, in bytes. */
const ROOM = 64 * 1024 * 1024;

/**
 * Enlarges the section of embedded files in a Windows stand-in. Deno 2.7.11 makes it no larger than the
 * stand-in's existing one, which a base runtime does not have, and the program would crash when it reads past
 * it. Offsets are from Microsoft's "PE Format": the section's header is the last of the table after the
 * optional header.
 * @returns The path of a copy in the folder.
 */
async function withRoom(base: string, folder: string): Promise<string> {
  const file = await Deno.readFile(base), view = new DataView(file.buffer);
  const header = view.getUint32(0x3c, true), optional = header + 24;
  const last = optional + view.getUint16(header + 20, true) + 40 * (view.getUint16(header + 6, true) - 1);
  for (const size of [optional + 56, last + 8]) { // SizeOfImage, VirtualSize
    view.setUint32(size, view.getUint32(size, true) + ROOM, true);
  }
  const path = join(folder, "base.exe");
  await Deno.writeFile(path, file);
  return path;
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
    if (!folder && (NO_SOURCE.includes(name) || name.endsWith(".md"))) return [];
    const path = folder ? `${folder}/${name}` : name;
    return isDirectory ? sourceFiles(path) : [path];
  });
}

/**
 * Removes executables of older sources: each source has a folder per target, a folder of packages, and lock
 * files.
 */
async function removeOld(folder: string): Promise<void> {
  const newest = new Map<string, number>();
  const paths = Array.from(Deno.readDirSync(folder), ({ name }) => name);
  const sourceOf = (name: string) => name.split("-", 1)[0];
  for (const name of paths) {
    const modified = (await Deno.stat(join(folder, name)).catch(() => undefined))?.mtime?.getTime() ?? 0;
    newest.set(sourceOf(name), Math.max(newest.get(sourceOf(name)) ?? 0, modified));
  }
  const sources = [...newest].sort(([, a], [, b]) => b - a);
  const old = sources.slice(KEPT_SOURCES).filter(([, modified]) => Date.now() - modified > IN_USE_MS);
  for (const name of paths) {
    if (!old.some(([source]) => source === sourceOf(name))) continue;
    await Deno.remove(join(folder, name), { recursive: true }).catch(() => {});
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
