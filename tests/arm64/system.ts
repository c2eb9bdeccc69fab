/**
 * Linux for arm64 under qemu: Debian's arm64 libraries in a folder, and the arm64 build of Deno. Nothing
 * foreign is installed on this machine: apt resolves against an empty status and only downloads.
 */

import { fromFileUrl, join } from "@std/path";
import { kept, mustFetch, whyUnavailable } from "../support/config.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { fillDenoDir } from "../support/deno_dir.ts";
import { npmProgram } from "../support/npm_package.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const QEMU = "/usr/bin/qemu-aarch64-static";
/**
 * The Raspberry Pi 4's, which has no pointer authentication: qemu's default has, and computes its codes for
 * every call and return in Deno, which more than doubles the processor time.
 */
const PROCESSOR = "cortex-a72";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const SUITE = "bookworm";
/** Libraries of Deno and deskhand; apt adds their dependencies. */
const PACKAGES = [
  ...["libc6", "libgcc-s1", "libstdc++6"],
  ...["libxdo3", "libxi6", "libxrandr2", "libxfixes3", "libxcb-shm0", "libxkbcommon0"],
];
/** The newest Deno for arm64 on npm. */
const DENO = {
  spec: "@deno/linux-arm64-glibc@2.9.5",
  integrity:
    "sha512-IuYjsz9PGl7CJcNXMuN27KNDB8Q40brK3SG3l+TXMDVW61ZKwcn0fQHBHnXFiiygEwI8by/fKnASEluhZB1atw==",
  program: "package/deno",
};

/** Why no arm64 program can run here; undefined if one can. */
async function cannotRunArm64(): Promise<string | undefined> {
  if (Deno.build.target !== "x86_64-unknown-linux-gnu") return "it is run on Linux x64 only";
  const needed = [QEMU, KEYRING, "/usr/bin/apt-get", "/usr/bin/dpkg-deb"];
  const missing = needed.filter((path) => !isFile(path));
  if (missing.length) return `${missing.join(", ")} is missing`;
  return await whyUnavailable(() => Promise.all([sysroot(), npmProgram(DENO)]));
}

/**
 * Test options, for `Deno.test({ ...await needArm64(), … })`, that skip it with a message if arm64 cannot
 * run.
 */
export async function needArm64(): Promise<{ ignore: boolean }> {
  const why = await cannotRunArm64();
  if (why) console.error(`\n!!! SKIPPED: deskhand is not run on arm64, since ${why} !!!\n`);
  return { ignore: why !== undefined };
}

/**
 * Writes a script that runs an arm64 program.
 * @param path Where to write it.
 * @param command The program and its first arguments; the script's own come after them.
 * @param env Added to the script's environment.
 */
export async function writeLauncher(
  path: string,
  command: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const words = [
    "exec",
    "env",
    ...Object.entries(env).map((pair) => pair.join("=")),
    QEMU,
    ...["-cpu", PROCESSOR],
    ...["-L", await sysroot()],
  ];
  const line = [...words, ...command].map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(path, `#!/bin/sh\n${line} "$@"\n`, { mode: 0o755 });
}

/** The command that runs deskhand from source, for {@linkcode writeLauncher}, with its environment. */
export async function fromSource(): Promise<[command: string[], env: Record<string, string>]> {
  const deno = await npmProgram(DENO);
  const cache = await kept(`arm64/deno-dir-${DENO.spec.split("@").at(-1)}`, () => Promise.resolve());
  await fillDenoDir(cache, ["main.ts"]);
  return [[deno, "run", "-A", "--no-check", "--cached-only", join(ROOT, "main.ts")], { DENO_DIR: cache }];
}

/** Unpacks Debian's arm64 libraries into a folder; returns its path. */
async function sysroot(): Promise<string> {
  return await kept(`arm64/${SUITE}-1`, async (folder) => {
    await temporary(async (apt) => {
      for (const name of ["lists/partial", "archives/partial"]) {
        await Deno.mkdir(join(apt, name), { recursive: true });
      }
      await Deno.writeTextFile(join(apt, "status"), "");
      await Deno.writeTextFile(
        join(apt, "sources.list"),
        `deb [signed-by=${KEYRING}] ${await mirror()} ${SUITE} main\n`,
      );
      const options = aptOptions(apt);
      await mustFetch("apt-get", [...options, "update"]);
      await mustFetch("apt-get", [...options, "-y", "--download-only", "install", ...PACKAGES]);
      for (const { name } of Deno.readDirSync(join(apt, "archives"))) {
        if (name.endsWith(".deb")) await mustRun("dpkg-deb", ["-x", join(apt, "archives", name), folder]);
      }
    });
  });
}

/** Options that make apt work in a separate folder, for arm64. */
function aptOptions(apt: string): string[] {
  const settings = {
    "Dir::State": apt,
    "Dir::State::status": `${apt}/status`,
    "Dir::Cache": apt,
    "Dir::Etc::sourcelist": `${apt}/sources.list`,
    "Dir::Etc::sourceparts": "/dev/null",
    "APT::Architecture": "arm64",
    "APT::Architectures": "arm64",
    "APT::Sandbox::User": "root",
    "APT::Install-Recommends": "false",
    "Debug::NoLocking": "true",
    "DPkg::Post-Invoke": "",
    "APT::Update::Post-Invoke": "",
    "Acquire::Retries": "3",
  };
  return ["-qq", ...Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`])];
}

/** The Debian mirror that this machine's apt uses. */
async function mirror(): Promise<string> {
  const sites = await mustRun("apt-get", ["indextargets", "--format", "$(SITE)", "Created-By: Packages"]);
  const site = sites.split("\n").find((site) => /\/debian\/?$/.test(site));
  if (!site) throw new Error("apt's sources name no Debian mirror");
  return site;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
