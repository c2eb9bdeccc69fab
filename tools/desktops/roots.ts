/** The roots: Debian releases with the desktops, created by debootstrap(8). */

import { join } from "@std/path";
import { isThere } from "../../core/path.ts";
import { mustRun } from "../../tests/support/shell.ts";
import { COMMON, OWN, type RootName } from "./packages.ts";

/** The user in every session. */
export const USER = { name: "tester", uid: 1500, runtime: "/run/user/1500" } as const;

const MIRROR = "http://deb.debian.org/debian", SECURITY = "http://deb.debian.org/debian-security";
/** The file in a root that lists its packages. If the list changes, new packages are installed. */
const MARK = ".deskhand-packages";
/** The file in a root that marks a finished bootstrap. */
const BASE_MARK = ".deskhand-base";

/**
 * Creates a root, or completes it.
 * @param folder The folder of all roots.
 * @returns The root's path.
 */
export async function makeRoot(folder: string, name: RootName): Promise<string> {
  const root = join(folder, name), packages = [...COMMON, ...OWN[name]].join(" ");
  if (!isThere(join(root, BASE_MARK))) await bootstrap(root, name);
  if (await Deno.readTextFile(join(root, MARK)).catch(() => "") === packages) return root;
  console.log(`${name}: installing its packages; that takes some minutes`);
  await mustRun("unshare", [
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "sh",
    "-euc",
    INSTALL,
    "sh",
    root,
    packages,
  ]);
  await Deno.writeTextFile(join(root, MARK), packages);
  return root;
}

/** The version of a package in a root, without Debian's revision. */
export async function packageVersion(root: string, name: string): Promise<string> {
  const version = await mustRun("dpkg-query", [`--root=${root}`, "-W", "-f=${Version}", name]).catch(() =>
    ""
  );
  return version.replace(/^\d+:/, "").replace(/[-+~].*$/, "");
}

/** $1: the root, $2: packages. Mounts belong to the shell and end with it. */
const INSTALL = `
mount --bind /dev "$1/dev"; mount -t proc proc "$1/proc"
cp /etc/resolv.conf "$1/etc/resolv.conf"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
chroot "$1" apt-get -qq update
chroot "$1" apt-get install -y -q --no-install-recommends $2
chroot "$1" apt-get clean
chroot "$1" localedef -i en_US -f UTF-8 en_US.UTF-8
chroot "$1" id ${USER.name} >/dev/null 2>&1 || chroot "$1" useradd -m -u ${USER.uid} -s /bin/bash ${USER.name}
`;

async function bootstrap(root: string, name: RootName): Promise<void> {
  const missing = await mustRun("sh", ["-c", "command -v debootstrap"]).then(() => false, () => true);
  if (missing) throw new Error("debootstrap is not installed: apt install debootstrap");
  console.log(`${name}: bootstrapping`);
  await Deno.mkdir(root, { recursive: true });
  await mustRun("debootstrap", ["--variant=minbase", name, root, MIRROR]);
  const write = (path: string, lines: string[], mode = 0o644) =>
    Deno.writeTextFile(join(root, path), lines.join("\n") + "\n", { mode });
  const unread = ["doc", "man", "help"].map((part) => `path-exclude=/usr/share/${part}/*`);
  await write("etc/dpkg/dpkg.cfg.d/deskhand", ["force-unsafe-io", ...unread]);
  await write("usr/sbin/policy-rc.d", ["#!/bin/sh", "exit 101"], 0o755); // no services start
  const suites = [`${MIRROR} ${name}`, `${MIRROR} ${name}-updates`, `${SECURITY} ${name}-security`];
  await write("etc/apt/sources.list", suites.map((suite) => `deb ${suite} main`));
  await write(BASE_MARK, []);
}
