/** The name of the program at the other end of a connection, which no Wayland protocol reports. */

import { cString, type Libc } from "../../linux/libc.ts";
import type { Socket } from "../../linux/socket.ts";

/** A connection to the compositor. */
interface Peer {
  readonly c: Libc;
  readonly socket: Socket;
}

/** Tells whether the peer is KWin, or the program that starts KWin again after a crash and has its socket. */
export function isKwin(connection: Peer): boolean {
  return compositorName(connection).startsWith("kwin_wayland");
}

/**
 * Tells a compositor from the one that was there before it: the number of its process, and when that started, in ticks
 * since the system's start (proc(5), /proc/pid/stat). Undefined if the system does not tell.
 */
export function serverOf(peer: Peer): string | undefined {
  const process = peerProcess(peer), stat = process && readProcess(peer.c, process, "stat");
  // The program's name stands in parentheses and may hold any character.
  return stat ? `${process} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}` : undefined;
}

/** The program's name, `a compositor` if the system does not tell. Linux alone has it in /proc. */
export function compositorName(peer: Peer): string {
  const process = peerProcess(peer);
  return (process && readProcess(peer.c, process, "comm").trim()) || "a compositor";
}

/** Finds the number of the peer's process; undefined if the system does not tell. */
export function peerProcess({ socket }: Peer): number | undefined {
  return socket.peerProcess;
}

/**
 * Reads a short file of a process by the C library: Deno does not let compiled executables read /proc.
 * @returns "" if the system has no such file.
 */
function readProcess(c: Libc, process: number, name: "comm" | "stat"): string {
  const fd = c.open(cString(`/proc/${process}/${name}`), 0);
  if (fd < 0) return "";
  const bytes = new Uint8Array(1024), count = Number(c.read(fd, bytes, BigInt(bytes.length)));
  c.close(fd);
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, count)));
}
