/**
 * A sandbox for a session: separate namespaces for mounts, processes, network and IPC (unshare(1)), so that
 * it has its own display numbers, ports and abstract sockets, and the exit of its first process ends
 * everything in it and reverts every mount.
 */

import { fromFileUrl } from "@std/path";
import { mustRun } from "../../tests/support/shell.ts";
import { USER } from "./roots.ts";

/** The folder of deskhand's source in a root. */
export const SOURCE_INSIDE = "/opt/deskhand";
/** Deno's cache folder in a root. */
export const DENO_DIR_INSIDE = "/opt/deno-dir";
/** Deno's path in a root. */
export const DENO_INSIDE = "/usr/local/bin/deno";

/** Paths on this system from which a sandbox is built. */
export interface Ground {
  /** The root; `/` is this machine itself, which the sandbox does not change. */
  root: string;
  /** deskhand's source. */
  source: string;
  denoDir: string;
}

/** The command that runs a module in this folder as the first process of a sandbox. */
export function sandboxed(module: string, args: readonly string[]): string[] {
  const path = fromFileUrl(new URL(module, import.meta.url));
  const namespaces = ["--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child"];
  return ["unshare", ...namespaces, Deno.execPath(), "run", "-q", "-A", path, ...args];
}

/**
 * Sets up the sandbox from within: the loopback device, and the root's mounts.
 * @returns The root's path.
 */
export async function furnish({ root: given, source, denoDir }: Ground): Promise<string> {
  const mount = (...args: string[]) => mustRun("mount", args);
  const bind = (from: string, to: string) => mount("--bind", from, root + to);
  const memory = (path: string, options: string) => mount("-t", "tmpfs", "-o", options, "tmpfs", root + path);
  const root = given === "/" ? await layOver(given) : given;
  await mustRun("ip", ["link", "set", "lo", "up"]);
  await mount("-t", "proc", "proc", "/proc"); // only the sandbox's processes
  const home = `/home/${USER.name}`;
  await mustRun("mkdir", ["-p", ...[SOURCE_INSIDE, DENO_DIR_INSIDE, home].map((path) => root + path)]);
  await mustRun("touch", [root + DENO_INSIDE]);
  await bind("/dev", "/dev");
  await mount("--rbind", "/sys", `${root}/sys`); // its cgroups show gnome-shell that systemd did not start it
  await mount("-t", "proc", "proc", `${root}/proc`);
  await mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=0620,gid=5", "devpts", `${root}/dev/pts`);
  await bind(`${root}/dev/pts/ptmx`, "/dev/ptmx");
  for (const path of ["/dev/shm", "/tmp", "/run"]) await memory(path, "mode=1777");
  await memory(home, `mode=0755,uid=${USER.uid},gid=${USER.uid}`);
  await bind(source, SOURCE_INSIDE);
  await bind(denoDir, DENO_DIR_INSIDE);
  await bind(await Deno.realPath(Deno.execPath()), DENO_INSIDE);
  const runtime = root + USER.runtime, sockets = `${root}/tmp/.X11-unix`;
  await mustRun("install", ["-d", "-m", "0700", "-o", `${USER.uid}`, "-g", `${USER.uid}`, runtime]);
  await mustRun("install", ["-d", "-m", "1777", sockets]);
  return root;
}

/** Mounts an in-memory folder over a root to receive all writes (overlayfs). @returns The combined path. */
async function layOver(root: string): Promise<string> {
  const [upper, work, merged] = ["upper", "work", "root"].map((name) => `/mnt/${name}`);
  await mustRun("mount", ["-t", "tmpfs", "tmpfs", "/mnt"]);
  await mustRun("mkdir", [upper, work, merged]);
  const layers = `lowerdir=${root},upperdir=${upper},workdir=${work}`;
  await mustRun("mount", ["-t", "overlay", "-o", layers, "overlay", merged]);
  const { name, uid } = USER;
  await mustRun("useradd", ["--root", merged, "-M", "-u", `${uid}`, "-s", "/bin/bash", name]);
  return merged;
}
