/** Sockets that a made-up program calls its own, all of which are of no use. */

import type { SocketKind } from "./made_up_programs.ts";

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
