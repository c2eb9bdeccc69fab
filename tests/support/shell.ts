/** Runs programs and commands of a shell to their end. */

import { delay } from "@std/async/delay";
import type { LoggedAction } from "../../control/desktop/desktop.ts";
import type { SocketKind } from "./made_up_programs.ts";
import { patienceMs, progress } from "./waits.ts";

/**
 * Runs a program that must succeed.
 * @returns Its standard output.
 * @throws Error with all it printed, if it fails.
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

/** Runs a script of bash, as {@linkcode mustRun} says. */
export async function bash(script: string, options: Deno.CommandOptions = {}): Promise<string> {
  return await mustRun("bash", ["-c", `set -o pipefail; ${script}`], options);
}

// The input of a virtual desktop, in short.

/** Writes actions in short, such as `+ctrl`, `-ctrl`, `+left`, `(3,4)`, `up 2`, or a text. */
export function short(log: readonly LoggedAction[]): string[] {
  return log.map((action) => {
    if (action.type === "move") return `(${action.x},${action.y})`;
    if (action.type === "button") return `${action.down ? "+" : "-"}${action.button}`;
    if (action.type === "key") return `${action.down ? "+" : "-"}${action.key}`;
    return action.type === "scroll" ? `${action.direction} ${action.amount}` : action.text;
  });
}

// The output of a program, by lines.

/** The lines that a program prints. */
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

  /** Waits for a line for some milliseconds; gives whether there is one. */
  async some(ms: number): Promise<boolean> {
    if (this.lines.length) return true;
    const { promise, resolve } = Promise.withResolvers<void>(), over = new AbortController();
    this.#onLine = resolve;
    await Promise.race([promise, delay(ms, over).catch(() => {})]);
    over.abort();
    return this.lines.length > 0;
  }
}

// Waiting for states that come by themselves, for as long as a busy machine may take.

/** The pause after the first look; each is longer than the one before, so that a long wait takes no time from others. */
const FIRST_PAUSE_MS = 5, LONGEST_PAUSE_MS = 100;

/**
 * Asks again and again until the answer fits.
 * @param get Asks.
 * @param fits Whether an answer is the awaited one.
 * @param describe Describes the fault of the last answer if none fits in time.
 * @returns The answer that fits.
 * @throws Error with that description after {@linkcode patienceMs}; what `get` throws.
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

// Folders that are gone afterwards.

/** Kills a program, unless it has ended by itself, and waits for its end. */
export async function killed(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
  await child.status;
}

/**
 * Makes an empty folder and removes it, with its content, when its use has ended.
 * @param use Gets the folder's real path.
 * @param options Where it is made.
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
    await Deno.remove(folder, { recursive: true }).catch((error) => {
      if (isDone) throw error; // an error of `use` is the one to tell
    });
  }
}

/** Removes a folder in which programs that are ending may still write. */
export async function removeBusy(folder: string): Promise<void> {
  await until(() =>
    Deno.remove(folder, { recursive: true }).then(() => true, (error) => {
      if (/not empty/i.test(error.message)) return false;
      throw error;
    })
  );
}

// Sockets that a made-up program calls its own, all of which are of no use.

/** The answers of a bus that lets a user in, one for each line of the handshake. */
const LETS_IN = ["OK 0123456789abcdef0123456789abcdef", "AGREE_UNIX_FD"];

/** A message of 128 MB, nearly all of which is its header; the header's length stands at the offset 12. */
const LONG_MESSAGE = 1 << 27, HEADER_LENGTH = LONG_MESSAGE - 16, FIELDS_AT = 12;

/**
 * Serves a socket of this process.
 * @param bus The path of the bus's socket, on which another process listens.
 * @returns The address that the program tells.
 */
export function serveOwnSocket(kind: SocketKind, bus: string): string {
  if (kind === "another's") return `unix:path=${bus}`;
  const path = `${bus}.${crypto.randomUUID()}`;
  if (kind !== "missing") accept(Deno.listen({ transport: "unix", path }), kind);
  return `unix:path=${path}`;
}

async function accept(listener: Deno.UnixListener, kind: SocketKind): Promise<void> {
  for await (const connection of listener) answer(connection, kind).catch(() => {}); // its end is the reader's
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
