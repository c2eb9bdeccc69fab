/**
 * A user's folders: the one for programs' settings, and the one in which deskhand stores the token, journals
 * of recordings and the prompt's history. deskhand uses a file there only if no other user can have written
 * it.
 */

import type { Disk } from "./disk.ts";
import { attempt, BusyError, describeFileError, InputError } from "./errors.ts";
import { dirname, isThere, join } from "./path.ts";
import { printable } from "./printable.ts";

/**
 * The path of a file in the user's state folder, which is created if missing, with access for this user only.
 * @param name The file's name.
 * @throws InputError if there is no home folder, or the folder cannot be created or is not this user's own;
 * BusyError if its disk does not answer.
 */
export function stateFile(name: string): string {
  checkStateAnswers();
  const folder = stateFolder();
  try {
    if (!isThere(folder)) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new InputError(`cannot create ${printable(folder)}: ${describeFileError(error)}`, { cause: error });
  }
  checkOwn(folder, "folder");
  return join(folder, name);
}

/**
 * The path of the user's state folder, which need not exist: XDG Base Directory Specification; on Windows:
 * Known Folders, FOLDERID_LocalAppData.
 * @throws InputError if there is no home folder.
 */
export function stateFolder(): string {
  if (Deno.build.os === "windows") return join(required("LOCALAPPDATA"), "deskhand");
  const own = Deno.env.get("XDG_STATE_HOME");
  // The XDG Base Directory Specification says to ignore a relative path.
  return own?.startsWith("/") ? join(own, "deskhand") : join(required("HOME"), ".local", "state", "deskhand");
}

// Whether the state folder's disk answers: a home on a share that hangs would block this thread.

/** Maximum wait for an answer, in milliseconds. */
const ANSWER_MS = 1000;

/** The disk, once it has been asked. */
let disk: Disk | undefined;
/** Whether the disk need not be asked again. LOCALAPPDATA does not roam (KNOWNFOLDERID, FOLDERID_LocalAppData). */
let isLocal = Deno.build.os !== "linux";

/** Whether the disk owes {@linkcode askState} an answer: nothing may be written there until it comes. */
export function isStateSilent(): boolean {
  return disk?.isLate ?? false;
}

/**
 * Asks whether the state folder's disk answers, before calls on this thread.
 * @returns Resolves with the answer, or after a second without one; undefined if there is nothing to wait for:
 * the disk is local, or already owes an answer.
 */
export function askState(): Promise<void> | undefined {
  return isLocal || isStateSilent() ? undefined : stateDisk().then(async (disk) => {
    isLocal = await disk.answers();
  }).catch(() => {}); // silent, or there is no home folder
}

/** The state folder's disk, whose calls take a second at most. @throws As {@linkcode stateFolder}. */
export async function stateDisk(): Promise<Disk> {
  const { Disk, Reach } = await import("./disk.ts");
  return disk ??= new Disk(new Reach({ ms: ANSWER_MS, area: 1 }), "", stateFolder());
}

/** @throws BusyError if the state folder's disk does not answer, as {@linkcode askState} found. */
export function checkStateAnswers(): void {
  if (isStateSilent()) {
    throw new BusyError("the disk of deskhand's state folder does not answer; try again later");
  }
}

/**
 * The path of the folder in which the user's programs store settings (XDG Base Directory Specification).
 * @param env Reads an environment variable.
 * @returns undefined if there is no home folder.
 */
export function configFolder(
  env: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string | undefined {
  const own = env("XDG_CONFIG_HOME"), home = env("HOME");
  if (own?.startsWith("/")) return own;
  return home ? join(home, ".config") : undefined;
}

/**
 * Checks that a folder or file is this user's own: not a link, pipe or device, and not writable by other
 * users. The file is not opened, because reading a pipe would block.
 * @returns Its metadata.
 * @throws InputError that says how to repair it; the errors of Deno.lstatSync.
 */
export function checkOwn(path: string, kind: "folder" | "file"): Deno.FileInfo {
  const info = Deno.lstatSync(path);
  const fault = faultOf(path, info, kind);
  if (fault) throw new InputError(`${printable(path)} ${fault}`);
  return info;
}

/** Describes a fault of the folder, and its remedy. */
function faultOf(path: string, info: Deno.FileInfo, kind: "folder" | "file"): string | undefined {
  const again = "remove it, and deskhand creates a new one";
  if (info.isSymlink) return `is a link; ${again}`;
  if (kind === "folder" && !info.isDirectory) return `is not a folder; ${again}`;
  if (kind === "file" && !info.isFile) return `is not a regular file; ${again}`;
  if (Deno.build.os === "windows") return undefined; // the user's profile protects its contents from others
  const quoted = `'${path.replaceAll("'", String.raw`'\''`)}'`;
  if (info.uid !== Deno.uid()) {
    return "belongs to another user; set XDG_STATE_HOME to a folder of your own, or type: " +
      `sudo chown -R ${Deno.uid()} ${printable(quoted)}`;
  }
  if ((info.mode! & 0o022) === 0) return undefined;
  return kind === "file"
    ? `can be written by other users; ${again}`
    : `can be written by other users; see what they put there, then type: chmod 700 ${printable(quoted)}`;
}

/**
 * Makes a file owned by this user unreadable to others.
 * @param info The result of {@linkcode checkOwn}.
 * @returns Whether others could read the file before.
 */
export function closeToOthers(path: string, { mode }: Deno.FileInfo): boolean {
  if (mode === null || Deno.build.os === "windows" || (mode & 0o077) === 0) return false;
  Deno.chmodSync(path, 0o600);
  return true;
}

function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new InputError(`${name} is not set, so deskhand has nowhere to store its files`);
  return value;
}

// Writes files atomically.

/**
 * Creates or replaces a file: writes a temporary file next to it, and then renames that. A link with that
 * name is replaced with the file; its target stays unchanged.
 * @param mode File permissions, such as 0o600.
 * @throws InputError if a pipe or a device has that name; Deno's error if the file cannot be written. After
 * an error the old file is unchanged.
 * @example
 * replaceFile("token", "secret\n", 0o600);
 */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  const draft = draftOf(path, attempt(() => Deno.lstatSync(path)));
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  try {
    Deno.writeFileSync(draft, bytes, { createNew: true, mode });
    Deno.renameSync(draft, path);
  } catch (error) {
    removeIfThere(draft);
    throw error;
  }
}

/**
 * Does the same as {@linkcode replaceFile} on other threads, with content produced piece by piece.
 * @param pieces The content.
 * @throws Also BusyError if the disk stops answering; the old file then stays, except where its replacement was
 * the call without an answer.
 */
export async function replaceFileByPieces(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  mode: number,
): Promise<void> {
  const disk = (await import("./disk.ts")).diskOf(path);
  let isGivenUp = false;
  const write = async () => {
    const draft = draftOf(path, await Deno.lstat(path).catch(() => undefined));
    try {
      const file = await Deno.open(draft, { write: true, createNew: true, mode });
      try {
        for await (const piece of pieces) {
          for (let at = 0; at < piece.length;) at += await file.write(piece.subarray(at));
        }
      } finally {
        await disk.close(file);
      }
      if (isGivenUp) throw new BusyError("the disk answers too late");
      await Deno.rename(draft, path);
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  };
  await disk.run(write).finally(() => isGivenUp = true);
}

/**
 * The path of the temporary file.
 * @param info What is at the path; if it is unreadable rather than missing, writing will report the problem.
 * @throws InputError if it is a pipe or a device, whose readers would be left waiting.
 */
function draftOf(path: string, info: Deno.FileInfo | undefined): string {
  if (info && !info.isFile && !info.isSymlink) throw new InputError("it is not a file");
  return join(dirname(path), `.deskhand-${crypto.randomUUID()}`);
}

/** Removes a file if it exists. */
export function removeIfThere(path: string): void {
  attempt(() => Deno.removeSync(path));
}
