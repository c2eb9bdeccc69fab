/**
 * A record of the keys and buttons that a process holds down on a desktop, in a file of the state folder: systems keep
 * the keys and buttons of a killed program down, and the next start on the same desktop releases them.
 */

import { createLocked, leftFiles, openLeft } from "../core/left_files.ts";
import { dirname } from "../core/path.ts";
import { removeIfThere } from "../core/replace_file.ts";
import { stateFile } from "../core/state_dir.ts";
import { BUTTONS, type DesktopIdentity, type Held } from "./desktop.ts";

const NAME = /^held-[0-9a-f-]{36}\.json$/;
/** Longest content of a file that is believed, in bytes: names of keys are short. */
const SIZE_LIMIT = 64 * 1024;

/** The line of a file; what stands behind its line feed is left of a longer one. */
interface Content extends DesktopIdentity {
  held: Held[];
}

/** The file of one process and desktop, which is there from the first press on. */
export class HeldRecord {
  #file: Deno.FsFile | undefined;
  #path = "";
  #isGivenUp = false;

  /**
   * @param identity Tells which desktop it is, and which server runs it now.
   * @param path Makes the path of a file of the state folder.
   */
  constructor(readonly identity: () => DesktopIdentity, readonly path = stateFile) {}

  /**
   * Notes what is held now. A press is noted before it is sent, since the process may be killed in between. Where the
   * folder cannot be written, nothing is noted.
   */
  write(held: readonly Held[]): void {
    if (this.#isGivenUp) return;
    try {
      this.#file ??= this.#create();
      const bytes = new TextEncoder().encode(`${JSON.stringify({ ...this.identity(), held })}\n`);
      this.#file.seekSync(0, Deno.SeekMode.Start);
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch {
      this.#isGivenUp = true; // the program's start tells that the folder cannot be written
    }
  }

  /**
   * Takes what killed processes held on this desktop. What they held on a server that is gone is forgotten: it ended
   * with the server.
   * @param take Gets what a process held, before its file is removed.
   */
  takeLeft(take: (held: Held[]) => void): void {
    const { address, server } = this.identity();
    for (const path of leftFiles(this.#folder(), (name) => NAME.test(name))) {
      using file = openLeft(path);
      if (!file) continue; // another process takes it
      const content = contentOf(file);
      if (content && content.address !== address) continue;
      if (content?.held.length && content.server === server) take(content.held);
      file.truncateSync(); // another process that waits for it finds nothing
      removeIfThere(path);
    }
  }

  /** Removes the file, when nothing is held. Safe to call twice. */
  close(): void {
    this.#isGivenUp = true;
    this.#file?.close();
    if (this.#file) removeIfThere(this.#path);
    this.#file = undefined;
  }

  #create(): Deno.FsFile {
    this.#path = this.path(`held-${crypto.randomUUID()}.json`);
    return createLocked(this.#path);
  }

  /** Where files are; "" if there is no state folder. */
  #folder(): string {
    try {
      return dirname(this.path("held"));
    } catch {
      return "";
    }
  }
}

/** @returns undefined if the file has no whole line, as when its writer was killed before its first press. */
function contentOf(file: Deno.FsFile): Content | undefined {
  const bytes = new Uint8Array(SIZE_LIMIT), count = file.readSync(bytes) ?? 0;
  const [line] = new TextDecoder().decode(bytes.subarray(0, count)).split("\n", 1);
  try {
    const { address, server, held } = JSON.parse(line);
    return { address, server, held: held.filter(isHeld) };
  } catch {
    return undefined;
  }
}

function isHeld(value: unknown): value is Held {
  if (!Array.isArray(value)) return false;
  const [kind, name] = value;
  return kind === "key" ? typeof name === "string" : kind === "button" && BUTTONS.includes(name);
}
