/** Runs programs and shell commands until they exit. */

import { delay } from "@std/async/delay";
import type { LoggedAction } from "../../control/desktop/desktop.ts";
import type { SocketKind } from "./made_up_programs.ts";
import { patienceMs, progress } from "./waits.ts";

/**
 * Runs a program that must succeed.
 * @returns Its standard output.
 * @throws Error with all its output, if it fails.
 */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: Deno.CommandOptions = {},
): Promise<string> {
  const program = new Deno.Command(command, { stdin: "null", ...options, args: [...args] });
  const { success, stdout, stderr } = await program.output(), decoder = new TextDecoder();
  const text = decoder.decode(stdout);
  if (success) return text;
  throw new Error(`${command} ${args.join(" ")} failed:\n${text}${decoder.decode(stderr)}`);
}

/** Runs a bash script, like {@linkcode mustRun}. */
export async function bash(script: string, options: Deno.CommandOptions = {}): Promise<string> {
  return await mustRun("bash", ["-c", `set -o pipefail; ${script}`], options);
}

// The input of a virtual desktop, abbreviated.

/** Abbreviates actions, such as `+ctrl`, `-ctrl`, `+left`, `(3,4)`, `up 2`, or a text. */
export function short(log: readonly LoggedAction[]): string[] {
  return log.map((action) => {
    if (action.type === "move") return `(${action.x},${action.y})`;
    if (action.type === "button") return `${action.down ? "+" : "-"}${action.button}`;
    if (action.type === "key") return `${action.down ? "+" : "-"}${action.key}`;
    return action.type === "scroll" ? `${action.direction} ${action.amount}` : action.text;
  });
}

// The output of a program, by lines.

/** The lines printed by a program. */
export class Lines {
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  #onLine: (() => void) | undefined;

  constructor(output: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.ended = (async () => {
      for await (const text of output.pipeThrough(new TextDecoderStream())) {
        this.lines.push(...text.split("\n").filter(Boolean));
        this.#onLine?.();
      }
    })();
  }

  /** Waits for a line for some milliseconds; returns whether there is one. */
  async some(ms: number): Promise<boolean> {
    if (this.lines.length) return true;
    const { promise, resolve } = Promise.withResolvers<void>(), over = new AbortController();
    this.#onLine = resolve;
    await Promise.race([promise, delay(ms, over).catch(() => {})]);
    over.abort();
    return this.lines.length > 0;
  }
}

// Waits for states that are reached on their own, for as long as a busy machine may take.

/**
 * Pause after the first check, and maximum pause, in milliseconds; pauses grow, so that a long wait takes no
 * CPU time from others.
 */
const FIRST_PAUSE_MS = 5, LONGEST_PAUSE_MS = 100;

/**
 * Polls until the value matches.
 * @param get Returns the value.
 * @param fits Whether a value is the expected one.
 * @param describe Describes what is wrong with the last value if none matches in time.
 * @returns The matching value.
 * @throws Error with that description after {@linkcode patienceMs}; the errors of `get`.
 */
export async function until<T>(
  get: () => T | Promise<T>,
  fits: (value: T) => boolean = Boolean,
  describe: (value: T) => string = (value) => `it stayed ${Deno.inspect(value).slice(-2000)}`,
): Promise<T> {
  progress();
  for (let start = Date.now(), pause = FIRST_PAUSE_MS;; pause = Math.min(1.5 * pause, LONGEST_PAUSE_MS)) {
    const value = await get();
    if (fits(value)) {
      progress();
      return value;
    }
    if (Date.now() - start > patienceMs()) throw new Error(describe(value));
    await delay(pause);
  }
}

// Folders that are removed afterwards.

/** Kills a program, unless it has exited, and waits for its end. */
export async function killed(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has already exited.
  }
  await child.status;
}

/**
 * Creates an empty folder and removes it, with its contents, after use.
 * @param use Receives the folder's real path.
 * @param options Where to create it.
 */
export async function temporary<T>(
  use: (folder: string) => T | Promise<T>,
  options?: Deno.MakeTempOptions,
): Promise<T> {
  const folder = await Deno.realPath(await Deno.makeTempDir(options));
  let isDone = false;
  try {
    const result = await use(folder);
    isDone = true;
    return result;
  } finally {
    if (isDone) await removeBusy(folder);
    else await Deno.remove(folder, { recursive: true }).catch(() => {}); // the error of `use` takes precedence
  }
}

/** Removes a folder into which programs that are exiting may still write. */
export async function removeBusy(folder: string): Promise<void> {
  await until(() =>
    Deno.remove(folder, { recursive: true }).then(() => true, (error) => {
      if (/not empty/i.test(error.message)) return false;
      throw error;
    })
  );
}

// Sockets that a made-up program announces as its own, none of which is usable.

/** The responses of a bus that admits a user, one per line of the handshake. */
const LETS_IN = ["OK 0123456789abcdef0123456789abcdef", "AGREE_UNIX_FD"];

/** A message of 128 MB, nearly all of it header; the header's length is at offset 12. */
const LONG_MESSAGE = 1 << 27, HEADER_LENGTH = LONG_MESSAGE - 16, FIELDS_AT = 12;

/**
 * Serves a socket in this process.
 * @param bus The path of the bus socket, on which another process listens.
 * @returns The address that the program announces.
 */
export function serveOwnSocket(kind: SocketKind, bus: string): string {
  if (kind === "another's") return `unix:path=${bus}`;
  const path = `${bus}.${crypto.randomUUID()}`;
  if (kind !== "missing") accept(Deno.listen({ transport: "unix", path }), kind);
  return `unix:path=${path}`;
}

async function accept(listener: Deno.UnixListener, kind: SocketKind): Promise<void> {
  for await (const connection of listener) answer(connection, kind).catch(() => {}); // the reader closed it
}

async function answer(connection: Deno.UnixConn, kind: SocketKind): Promise<void> {
  if (kind === "closes") return connection.close();
  const bytes = new Uint8Array(4096), lines = [...LETS_IN];
  while (await connection.read(bytes) !== null) {
    if (kind === "silent") continue;
    const line = lines.shift();
    if (line !== undefined) await connection.write(new TextEncoder().encode(`${line}\r\n`));
    else if (kind === "garbage") await connection.write(bytes.fill(7));
    else if (kind === "floods") await flood(connection);
    else return connection.close();
  }
}

/** Sends messages that are too long to read, one after the other. */
async function flood(connection: Deno.UnixConn): Promise<void> {
  const message = new Uint8Array(LONG_MESSAGE), header = new DataView(message.buffer);
  message.set([0x6c, 4, 0, 1]); // little-endian, a signal, no flags, version 1
  header.setUint32(FIELDS_AT, HEADER_LENGTH, true);
  for (;;) {
    for (let at = 0; at < message.length;) at += await connection.write(message.subarray(at, at + (1 << 20)));
  }
}
