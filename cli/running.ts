/**
 * Records of processes whose servers are running, in the state folder, so that a command of the same user
 * finds the process that controls its desktop or serves a folder. A record is locked while its process lives,
 * and only this user can write it: a command sends secrets to recorded servers, not to whatever is listening
 * on a port.
 */

import { attempt, UsageError } from "../core/errors.ts";
import { leftFiles, ProcessRecord } from "../core/process_record.ts";
import { basename, dirname, join } from "../core/path.ts";
import { stateFile, stateFolder } from "../core/state_files.ts";

export interface Serving {
  /** The server's address on this machine, such as `http://127.0.0.1:4000`. */
  url: string;
  /** The certificate file of `--cert`. */
  cert?: string;
}

/** A running file server. */
interface RunningFiles extends Serving {
  /** The real path of the served folder. */
  root: string;
}

/** A running control API. */
export interface Running extends Serving {
  /** Whether it is read-only (`--read-only`). */
  readOnly?: boolean;
  /** Whether its token is the one stored in the state folder. */
  hasKeptToken: boolean;
  /** The kind of its desktop. */
  kind: string;
  /** The session in which it was started. */
  session: Session;
}

/** Variables that name the desktop of a session. */
interface Session {
  x11: string;
  wayland: string;
}

/** The kinds of records. */
const CONTROL = "running", FILES = "serving";

/** The session of this process. */
export function sessionOf(env = (name: string) => Deno.env.get(name)): Session {
  const wayland = env("WAYLAND_DISPLAY") ?? "", runtime = env("XDG_RUNTIME_DIR") ?? "";
  return {
    x11: (env("DISPLAY") ?? "").replace(/\.\d+$/, ""), // screens of a display share its pointer
    wayland: wayland && !wayland.startsWith("/") ? `${runtime}/${wayland}` : wayland,
  };
}

/** Whether a record belongs to a session's desktop. */
export function isOf({ kind, session }: Running, wanted: string, own: Session): boolean {
  const auto = own.wayland ? "wayland" : own.x11 ? "x11" : Deno.build.os === "windows" ? "windows" : "";
  const [name] = wanted.split("://", 1);
  if (kind !== (name === "auto" ? auto : name === "portal" ? "wayland" : name)) return false;
  if (kind === "x11") return session.x11 === own.x11;
  return kind !== "wayland" || session.wayland === own.wayland;
}

/**
 * Records that a control API is running, and removes the records of killed processes.
 * @returns A function that removes the record.
 */
export function noteRunning(running: Running): () => void {
  return note(CONTROL, running);
}

/** Records that a file server is running, like {@linkcode noteRunning}. */
export function noteFiles(running: RunningFiles): () => void {
  return note(FILES, running);
}

/** Finds the running control API of this session's desktop that accepts plain calls; undefined if none. */
export function findRunning(wanted: string): Running | undefined {
  const session = sessionOf();
  return runningControls().find((record) =>
    !record.readOnly && record.cert === undefined && isOf(record, wanted, session)
  );
}

/** The running control APIs of this user. */
export function runningControls(): Running[] {
  return records<Running>(CONTROL);
}

/** The running file servers of this user. */
export function runningFiles(): RunningFiles[] {
  return records<RunningFiles>(FILES);
}

/** Finds the server at an address given by the user. @throws UsageError if the address is invalid. */
export function serverAt<T extends Serving>(address: string, servers: readonly T[]): T | undefined {
  if (!URL.canParse(address)) {
    throw new UsageError(`${JSON.stringify(address)} is not an address such as http://127.0.0.1:4000`);
  }
  const { origin } = new URL(address);
  return servers.find(({ url }) => url === origin);
}

/** Whether a server is listening on a port of this machine. */
export function listensOn({ url }: Serving, port: number): boolean {
  const { protocol, port: own } = new URL(url);
  return Number(own || (protocol === "https:" ? 443 : 80)) === port;
}

function note<T>(kind: string, content: T): () => void {
  const record = new ProcessRecord<T>(kind, JSON.parse);
  record.takeLeft(() => true, () => {});
  record.write(content);
  return () => record.clear();
}

function records<T>(kind: string): T[] {
  try {
    const name = new RegExp(`^${kind}-[0-9a-f-]{36}\\.json$`), isRecord = (file: string) => name.test(file);
    const folder = stateFolder(),
      names = Array.from(Deno.readDirSync(folder), ({ name }) => name).filter(isRecord);
    if (!names.length) return [];
    const left = new Set(leftFiles(dirname(stateFile("token")), isRecord).map((path) => basename(path)));
    return names.filter((name) => !left.has(name))
      .map((name) => attempt(() => JSON.parse(Deno.readTextFileSync(join(folder, name)))))
      .filter((record) => record !== undefined); // one of a process that begins or ends now
  } catch {
    return []; // the folder is missing, or belongs to another user
  }
}

// Whether a server that takes long still answers.

/** Interval at which a waiting command asks the server, in milliseconds. */
export const ASK_MS = 5000;
/** Maximum time for the answer, in milliseconds. */
const ALIVE_MS = 10_000;

/**
 * Checks that a server answers, whatever it answers.
 * @param url An address on the server.
 * @throws TimeoutError (a DOMException) if it does not; the errors of fetch.
 */
export async function checkAlive(url: string | URL, client?: Deno.HttpClient): Promise<void> {
  const signal = AbortSignal.timeout(ALIVE_MS);
  const answer = await fetch(new URL("/healthz", url), { client, redirect: "manual", signal });
  await answer.body?.cancel();
}
