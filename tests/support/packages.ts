/** Installs the Debian packages of the programs that tests use as witnesses. */

import { CACHE, MAY_INSTALL } from "./config.ts";
import { isThere } from "./need.ts";
import { type Packages, SMALL, WHOLE } from "./package_tables.ts";

/** One-time downloads of tests other than packages, and whether only root's runs make them. */
const CACHES: readonly { path: string; size: string; what: string; isRoots?: true }[] = [
  { path: "/var/cache/deskhand-wine", size: "2.3 GB", what: "Wine and Deno for Windows", isRoots: true },
  { path: CACHE, size: "2.1 GB", what: "builds of Deno for other systems, and executables made of them" },
];

/**
 * Installs missing packages if the tests run as root on a Debian system, unless DESKHAND_TEST_INSTALL is
 * `no`, after printing the packages and their size. Otherwise prints the packages to install.
 * @param all Whether to prepare for all tests rather than for the small set, which fetches only packages.
 */
export async function installPackages(all: boolean): Promise<void> {
  if (all && MAY_INSTALL) announceCaches();
  const missing = missingOf(all ? { ...SMALL, ...WHOLE } : SMALL);
  if (!missing.length) return;
  if (!MAY_INSTALL || Deno.build.os !== "linux" || !isRoot() || !isThere("/usr/bin/apt-get")) {
    const command = ["apt-get", "install", "--no-install-recommends", ...missing].join(" ");
    console.error(
      `\n!!! Tests will be skipped for want of programs. To have them: sudo ${command} !!!\n`,
    );
    return;
  }
  // Without the translated descriptions of all packages, which are 6 MB; those that are there stay.
  await apt("update", "-o", "Acquire::Languages=none", "-o", "APT::Get::List-Cleanup=no");
  console.error(await announcement(missing));
  await apt("install", "-y", "--no-install-recommends", ...missing);
}

function missingOf(packages: Packages): string[] {
  return Object.keys(packages).filter((name) => !isThere([packages[name]].flat()[0]));
}

/** Announces what tests fetch besides packages, before the first time. */
function announceCaches() {
  const caches = CACHES.filter(({ path, isRoots }) => !exists(path) && (!isRoots || isRoot()));
  for (const { path, size, what } of caches) console.error(`The tests fetch ${size} to ${path}: ${what}.`);
  if (caches.length) console.error("DESKHAND_TEST_INSTALL=no leaves that, and skips the tests that need it.");
}

/**
 * Returns the packages of an installation, and their size.
 * @param packages By name.
 */
export async function announcement(packages: readonly string[]): Promise<string> {
  const { stdout } = await new Deno.Command("apt-get", {
    args: ["install", "--assume-no", "-o", "Debug::NoLocking=true", "--no-install-recommends", ...packages],
    env: { LC_ALL: "C" },
    stderr: "null",
  }).output();
  return [
    `Installing for the tests: ${packages.join(" ")}`,
    `With what these need: ${sizes(new TextDecoder().decode(stdout))}.`,
    "DESKHAND_TEST_INSTALL=no leaves that, and skips the tests that need it.",
  ].join("\n");
}

/**
 * Reads an installation's size from the lines that apt-get(8) prints before it asks.
 * @returns Such as `12 packages, 4,580 kB to fetch, 21.3 MB on the disk`.
 */
export function sizes(printed: string): string {
  const found = [
    [/^\d+ upgraded, (\d+) newly installed/m, "packages"],
    [/^Need to get (?:\S+ \S+\/)?(\S+ \S+) of archives/m, "to fetch"],
    [/^After this operation, (\S+ \S+) of additional disk space/m, "on the disk"],
  ] as const;
  return found.flatMap(([pattern, unit]) => {
    const match = pattern.exec(printed);
    return match ? [`${match[1]} ${unit}`] : [];
  }).join(", ") || "apt-get tells no sizes";
}

async function apt(...args: string[]): Promise<void> {
  const { success } = await new Deno.Command("apt-get", {
    // dpkg(1) waits for the disk after each file, which takes longer than everything else.
    args: ["-qq", "-o", "DPkg::Lock::Timeout=600", "-o", "Dpkg::Options::=--force-unsafe-io", ...args],
    env: { DEBIAN_FRONTEND: "noninteractive" },
    stdout: "null",
  }).output();
  if (!success) {
    console.error(`\n!!! apt-get ${args.join(" ")} failed: tests that need it will be skipped !!!\n`);
  }
}

function isRoot(): boolean {
  return Deno.uid() === 0;
}

function exists(path: string): boolean {
  try {
    return Boolean(Deno.statSync(path));
  } catch {
    return false;
  }
}
