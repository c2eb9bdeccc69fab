/**
 * Records of processes whose control API runs, in the state folder, so that a command of the same user finds the
 * process that controls its desktop. A record is locked as long as its process lives.
 */

import { leftFiles, ProcessRecord } from "../core/process_record.ts";
import { basename, dirname, join } from "../core/path.ts";
import { stateFile, stateFolder } from "../core/state_dir.ts";

/** A control API that runs. */
export interface Running {
  /** The program's address for this machine, such as `http://127.0.0.1:4000`. */
  url: string;
  /** Tells whether the program's token is the one that the state folder keeps. */
  hasKeptToken: boolean;
  /** The kind of the program's desktop. */
  kind: string;
  /** The session that the program was started in. */
  session: Session;
}

/** Variables that name the desktop of a session. */
export interface Session {
  x11: string;
  wayland: string;
}

const KIND = "running", NAME = /^running-[0-9a-f-]{36}\.json$/;

/** The session of this process. */
export function sessionOf(env = (name: string) => Deno.env.get(name)): Session {
  const wayland = env("WAYLAND_DISPLAY") ?? "", runtime = env("XDG_RUNTIME_DIR") ?? "";
  return {
    x11: (env("DISPLAY") ?? "").replace(/\.\d+$/, ""), // screens of a display share its pointer
    wayland: wayland && !wayland.startsWith("/") ? `${runtime}/${wayland}` : wayland,
  };
}

/** Tells whether a record is of the desktop that a session has. */
export function isOf({ kind, session }: Running, wanted: string, own: Session): boolean {
  const auto = own.wayland ? "wayland" : own.x11 ? "x11" : Deno.build.os === "windows" ? "windows" : "";
  if (kind !== (wanted === "auto" ? auto : wanted === "portal" ? "wayland" : wanted)) return false;
  if (kind === "x11") return session.x11 === own.x11;
  return kind !== "wayland" || session.wayland === own.wayland;
}

/**
 * Notes that a control API runs, and removes the records of killed processes.
 * @returns A function that removes the note.
 */
export function noteRunning(running: Running): () => void {
  const record = new ProcessRecord<Running>(KIND, JSON.parse);
  record.takeLeft(() => true, () => {});
  record.write(running);
  return () => record.clear();
}

/** Finds the running control API of this session's desktop; undefined if none runs. */
export function findRunning(wanted: string): Running | undefined {
  const session = sessionOf();
  return running().find((record) => isOf(record, wanted, session));
}

function running(): Running[] {
  try {
    const folder = stateFolder(), isRecord = (name: string) => NAME.test(name);
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name).filter(isRecord);
    if (!names.length) return [];
    const left = new Set(leftFiles(dirname(stateFile("token")), isRecord).map((path) => basename(path)));
    return names.filter((name) => !left.has(name)).map((name) =>
      JSON.parse(Deno.readTextFileSync(join(folder, name)))
    );
  } catch {
    return []; // the folder is missing, or belongs to another user
  }
}
