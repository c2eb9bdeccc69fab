/** Sockets that a made-up program calls its own, all of which are of no use. */

import type { SocketKind } from "./made_up_programs.ts";

/** The answers of a bus that lets a user in, one for each line of the handshake. */
const LETS_IN = ["OK 0123456789abcdef0123456789abcdef", "AGREE_UNIX_FD"];

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
    else return connection.close();
  }
}
