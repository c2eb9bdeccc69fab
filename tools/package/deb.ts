/**
 * Debian and Ubuntu packages: the executable, its manual page, completions, and systemd units. Their format
 * follows deb(5) and Debian's policy; dpkg-deb writes the file.
 */

import { fromFileUrl, join } from "@std/path";
import { completions } from "../../cli/completions.ts";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { manual } from "../../cli/manual.ts";
import { VERSION } from "../../core/version.ts";
import { debianPackages } from "../../ffi/x11/libraries.ts";
import { nodeModule } from "../../core/path.ts";
import { executableName, type Target } from "../compile/targets.ts";
import { thirdPartyNotices } from "./notices.ts";
import { run, write } from "./run.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const MAINTAINER = "deskhand <deskhand@users.noreply.github.com>";

/** The libraries that the runtime itself links to. */
const RUNTIME = ["libc6", "libgcc-s1"];
/** The programs that the units for in-memory desktops start. */
const UNITS = ["openbox", "util-linux", "xauth", "xvfb"];
/** The library's package name has changed in release 4.20251130. */
const ALTERNATIVES: Record<string, string> = { libxdo3: "libxdo3 | libxdo4" };

/** Makes systemd reload changed units; does nothing without systemd. */
const RELOAD = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
`;
/** Desktops started from the templates stop with the package. */
const BEFORE_REMOVAL = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl stop 'deskhand@*.service' 'deskhand-windows@*.service' 'deskhand-display@*.service' || true
fi
`;

/** The name of a target's package. */
function debName(target: Target): string {
  return `deskhand_${VERSION}_${target.debian}.deb`;
}

/**
 * Builds a target's package.
 * @param folder The folder with the executable.
 * @param output Receives the package.
 * @param isFast Whether to compress little, for tests.
 * @param runtime The Deno version of the executable's runtime.
 * @throws PackageError if dpkg-deb is missing or fails.
 */
export async function makeDeb(
  target: Target,
  folder: string,
  output: string,
  isFast: boolean,
  runtime: string,
): Promise<string> {
  const stage = await Deno.makeTempDir({ prefix: "deskhand-deb-" });
  try {
    await Deno.chmod(stage, 0o755);
    for (const [path, content] of await files(runtime)) await write(join(stage, path), content);
    const program = join(stage, "usr/bin/deskhand");
    await Deno.mkdir(join(stage, "usr/bin"), { recursive: true });
    await Deno.copyFile(join(folder, executableName(target)), program);
    await Deno.chmod(program, 0o755);
    const kib = Math.ceil(Deno.statSync(program).size / 1024) + 64;
    await write(join(stage, "DEBIAN/control"), control(target, kib));
    await write(join(stage, "DEBIAN/postinst"), RELOAD, 0o755);
    await write(join(stage, "DEBIAN/postrm"), RELOAD, 0o755);
    await write(join(stage, "DEBIAN/prerm"), BEFORE_REMOVAL, 0o755);
    const made = join(output, debName(target));
    const compression = isFast ? ["-Zgzip", "-z1"] : ["-Zxz"];
    await run("dpkg-deb", ["--root-owner-group", ...compression, "--build", stage, made]);
    return made;
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

/** All files except the executable, by path. */
async function files(runtime: string): Promise<[path: string, content: string | Uint8Array][]> {
  const source = (path: string) => Deno.readTextFile(join(ROOT, path));
  const units = Array.from(Deno.readDirSync(join(ROOT, "deploy/systemd")), ({ name }) => name);
  const user = await source("docs/systemd/deskhand.service");
  const doc = "usr/share/doc/deskhand";
  return [
    ["usr/share/man/man1/deskhand.1.gz", zipped(`${manual(SUBCOMMANDS)}\n`)],
    ["usr/share/bash-completion/completions/deskhand", `${completions("bash", SUBCOMMANDS)}\n`],
    ["usr/share/zsh/vendor-completions/_deskhand", `${completions("zsh", SUBCOMMANDS)}\n`],
    ["usr/share/fish/vendor_completions.d/deskhand.fish", `${completions("fish", SUBCOMMANDS)}\n`],
    ["usr/lib/systemd/user/deskhand.service", user.replace("%h/.local/bin/deskhand", "/usr/bin/deskhand")],
    ...await Promise.all(units.map(async (name): Promise<[string, string]> => [
      `usr/lib/systemd/system/${name}`,
      await source(`deploy/systemd/${name}`),
    ])),
    [`${doc}/copyright`, `${await source("LICENSE")}\n${await thirdPartyNotices(runtime)}`],
    [`${doc}/changelog.gz`, zipped(await source("CHANGELOG.md"))],
  ];
}

function zipped(text: string): Uint8Array {
  return new Uint8Array(nodeModule("node:zlib").gzipSync(text, { level: 9 }));
}

/** The package's control fields (Debian policy, chapter 5). */
function control(target: Target, kib: number): string {
  const { needed, optional } = debianPackages();
  const depends = [...new Set([...RUNTIME, ...needed])].map((name) => ALTERNATIVES[name] ?? name);
  return [
    "Package: deskhand",
    `Version: ${VERSION}`,
    `Architecture: ${target.debian}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${kib}`,
    `Depends: ${depends.join(", ")}`,
    `Recommends: ${optional.join(", ")}`,
    `Suggests: ${UNITS.join(", ")}`,
    "Section: utils",
    "Priority: optional",
    "Description: controls a desktop over HTTP and from a prompt, and serves files",
    " deskhand moves the pointer, clicks, types, takes pictures of the screen and finds",
    " them there, moves windows, copies and pastes, records and replays: for scripts, for",
    " people with a browser, and for AI agents. A second server hands out a folder.",
    "",
  ].join("\n");
}
