/** Uploads of texts in tests. */

import { createFilesHandler, type FilesOptions } from "../../files/handler.ts";
import type { Listing } from "../../files/listing/write.ts";
import { Root } from "../../files/resolve.ts";
import { dirname } from "@std/path";
import { numbersIn, readProc } from "../../core/proc.ts";
import { PEER } from "./control.ts";
import { need, needRoot } from "./need.ts";
import { copied } from "./pictures.ts";
import { temporary, until } from "./shell.ts";

export const OPEN = { uploads: { overwrite: false, limit: 1000, hasPassword: false } };
export const OVERWRITING = { uploads: { ...OPEN.uploads, overwrite: true } };

/** Uploads a text, with its length, as HTTP clients do. */
export function put(
  ask: Ask,
  path: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const all = { "content-length": `${new TextEncoder().encode(text).length}`, ...headers };
  return ask(path, { method: "PUT", body: text, headers: all });
}

export function names(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

// Folders for archives in tests.

/** The planning and reading threads stay alive for a while after the last archive. */
export const THREAD = { sanitizeOps: false, sanitizeResources: false };

export async function fill(folder: string) {
  await Deno.mkdir(`${folder}/sub/empty`, { recursive: true });
  await Deno.writeTextFile(`${folder}/a.txt`, "hello\n");
  await Deno.writeTextFile(`${folder}/héllo €.txt`, "unicode");
  await Deno.writeFile(`${folder}/sub/b.bin`, crypto.getRandomValues(new Uint8Array(50_000)));
  await Deno.writeTextFile(`${folder}/sub/nothing`, "");
}

// A file server's handler on a test folder, without a socket.

/** Sends a request for a path, which is not normalized. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** A clock according to which all files were changed long ago, so that they are cached immediately. */
export const LATER = () => Date.now() + 3600_000;

/**
 * Creates a folder and a handler that serves it. Next to the folder is a file that must not be served.
 * @param options The handler's options; a function receives the folder.
 */
export async function served(
  use: (root: string, ask: Ask, reported: unknown[]) => Promise<void>,
  options: Partial<FilesOptions> | ((root: string) => Partial<FilesOptions>) = {},
) {
  const base = Deno.realPathSync(await Deno.makeTempDir());
  const root = `${base}/root`;
  await Deno.mkdir(root);
  await Deno.writeTextFile(`${base}/secret.txt`, "secret");
  const reported: unknown[] = [];
  const handler = createFilesHandler({
    root,
    report: (error) => reported.push(error),
    ...(typeof options === "function" ? options(root) : options),
  });
  // The path is set unmodified, because Request would normalize it.
  const ask: Ask = async (path, init) => {
    const request = new Request("http://127.0.0.1/", init);
    Object.defineProperty(request, "url", { value: `http://127.0.0.1${path}` });
    return copied(await handler(request, PEER));
  };
  try {
    await use(root, ask, reported);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

/** The status of a response whose content does not matter. */
export async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

/** A listing of a folder in the root, under a name read by the client. */
export function listingOf(
  root: string,
  folder: string,
  name: string,
  format: Listing["format"] = "json",
): Listing {
  const { dev, ino } = Deno.statSync(`${root}/${folder}`);
  return {
    root: new Root(Deno.realPathSync(root)).data(),
    folder: `${root}/${folder}`,
    identity: { dev, ino },
    lexicalPath: `${root}/${folder}`,
    names: [name],
    view: { sort: "name", descending: false },
    format,
  };
}

/**
 * Serves a folder on a port, for clients that are programs.
 * @param use Receives the folder and the address, without a final slash.
 */
export async function listening(
  use: (root: string, url: string) => Promise<void>,
  options: Partial<FilesOptions> = {},
) {
  await temporary(async (root) => {
    const handler = createFilesHandler({ root, report: (error) => console.error(error), ...options });
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
    try {
      await use(root, `http://127.0.0.1:${server.addr.port}`);
    } finally {
      await server.shutdown();
    }
  });
}

// Mounts whose program can be stopped, as when a share is gone.

export const MOUNTS = need("rclone", "fusermount3", "/dev/fuse").ignore
  ? { ignore: true }
  : needRoot("sh", "-c", "exec 3<>/dev/fuse");

/**
 * Stops a mount's program, and waits until each of its threads is stopped (proc_pid_stat(5)): one that still runs
 * may answer a last call, after which this process would block.
 */
export async function hang(pid: number): Promise<void> {
  Deno.kill(pid, "SIGSTOP");
  const states = () => numbersIn(`${pid}/task`).map((task) => readProc(`${pid}/task/${task}/stat`));
  await until(() => states().every((stat) => /\) T /.test(stat)));
}

/**
 * Mounts a folder at another, and unmounts it afterwards.
 * @param use Receives the program of the mount.
 */
export async function mounted(
  far: string,
  mount: string,
  args: string[],
  use: (program: Deno.ChildProcess) => Promise<void>,
): Promise<void> {
  const program = new Deno.Command("rclone", {
    args: ["mount", "--attr-timeout", "0s", "--dir-cache-time", "0s", ...args, far, mount],
    env: { HOME: dirname(far) },
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await until(async () => (await Array.fromAsync(Deno.readDir(mount))).length > 0);
    await use(program);
  } finally {
    Deno.kill(program.pid, "SIGCONT");
    // A hung call may still have its file open.
    await until(async () => (await new Deno.Command("umount", { args: [mount] }).output()).success);
    await program.status;
  }
}
