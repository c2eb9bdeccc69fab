/** The name of the program at the other end of a connection, which no protocol of Wayland tells. */

import { cString, type Libc } from "../../linux/libc.ts";
import type { Socket } from "../../linux/socket.ts";

/** A connection to it. */
interface Peer {
  readonly c: Libc;
  readonly socket: Socket;
}

const SOL_SOCKET = 1, SO_PEERCRED = 17;
/** sizeof(struct ucred), which begins with the process number. */
const UCRED_SIZE = 12;

/** Whether it is KWin, or the program that starts KWin again after a crash and has its socket. */
export function isKwin(connection: Peer): boolean {
  return compositorName(connection).startsWith("kwin_wayland");
}

/** The number of its process; undefined if the system does not tell. */
export function peerProcess({ c, socket }: Peer): number | undefined {
  const credentials = new Int32Array(UCRED_SIZE / 4), length = Uint32Array.of(UCRED_SIZE);
  const isKnown = c.getsockopt(socket.fd, SOL_SOCKET, SO_PEERCRED, credentials, length) === 0;
  return isKnown ? credentials[0] || undefined : undefined;
}

/** The program's name, `a compositor` if the system does not tell. Linux alone has it in /proc. */
export function compositorName(peer: Peer): string {
  const { c } = peer, process = peerProcess(peer);
  if (process === undefined) return "a compositor";
  // By the C library: executables of deskhand may not read /proc in Deno's terms.
  const fd = c.open(cString(`/proc/${process}/comm`), 0);
  if (fd < 0) return "a compositor";
  const bytes = new Uint8Array(64), count = Number(c.read(fd, bytes, BigInt(bytes.length)));
  c.close(fd);
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, count))).trim() || "a compositor";
}
