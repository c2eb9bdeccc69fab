/** Questions to sway over its own socket (sway-ipc(7)), which reports the places of windows. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { openLibc, POLLIN } from "../../linux/libc.ts";
import { Socket } from "../../linux/socket.ts";
import { peerProcess } from "../wire/compositor_name.ts";
import type { Connection } from "../wire/connection.ts";

/** Types of messages (sway-ipc(7), "MESSAGES AND REPLIES"). */
const RUN_COMMAND = 0, GET_TREE = 4;
/** The magic string of each message (sway-ipc(7)); its length and type follow, 32 bits each. */
const MAGIC = new TextEncoder().encode("i3-ipc");
const HEADER = MAGIC.length + 8;
/** The largest answer that is read, in bytes. */
const LIMIT = 16 << 20;
/** The time that sway may take for an answer, in milliseconds. */
const ANSWER_MS = 2000;

/** A connection to sway. */
export class SwayIpc {
  private constructor(readonly socket: Socket) {}

  /**
   * Connects to the sway that has a Wayland socket.
   * @param wayland A connection to the compositor, whose process must own sway's socket.
   * @returns undefined if the compositor is not sway, or the system does not tell processes.
   */
  static open(wayland: Pick<Connection, "c" | "socket" | "path">): SwayIpc | undefined {
    const process = peerProcess(wayland);
    if (process === undefined) return undefined;
    for (const path of socketPaths(process, wayland.path)) {
      const socket = Socket.connect(openLibc(), path, "sway");
      if (!socket) continue;
      if (peerProcess({ c: wayland.c, socket }) === process) return new SwayIpc(socket);
      socket.close(); // this socket belongs to another sway
    }
    return undefined;
  }

  /**
   * The tree of outputs, workspaces and windows.
   * @throws DesktopUnavailableError if sway is gone, or does not answer.
   */
  tree(): unknown {
    return this.#ask(GET_TREE, "");
  }

  /**
   * Runs a command (sway(5)).
   * @returns The reason why sway refuses it; undefined if it was done.
   * @throws DesktopUnavailableError if sway is gone, or does not answer.
   */
  run(command: string): string | undefined {
    const [answer] = this.#ask(RUN_COMMAND, command) as { success: boolean; error?: string }[];
    return !answer || answer.success ? undefined : answer.error ?? "sway does not say why";
  }

  /** Closes the connection. Safe to call twice. */
  close(): void {
    this.socket.close();
  }

  #ask(type: number, text: string): unknown {
    const payload = new TextEncoder().encode(text), bytes = new Uint8Array(HEADER + payload.length);
    bytes.set(MAGIC);
    const view = new DataView(bytes.buffer);
    view.setUint32(MAGIC.length, payload.length, true);
    view.setUint32(MAGIC.length + 4, type, true);
    bytes.set(payload, HEADER);
    this.socket.send(bytes, [], ANSWER_MS);
    return this.#answer();
  }

  #answer(): unknown {
    const end = performance.now() + ANSWER_MS;
    for (;;) {
      const { received } = this.socket, length = lengthOf(received);
      if (length !== undefined && received.length >= HEADER + length) {
        const text = new TextDecoder().decode(received.subarray(HEADER, HEADER + length));
        this.socket.consume(HEADER + length);
        return JSON.parse(text);
      }
      if (length !== undefined && length > LIMIT) throw new DesktopUnavailableError("sway answers too much");
      const left = end - performance.now();
      if (left <= 0 || !this.socket.wait(POLLIN, left)) {
        throw new DesktopUnavailableError("sway does not answer");
      }
      this.socket.receive();
    }
  }
}

/** The length of an answer's text; undefined before its header is there. */
function lengthOf(received: Uint8Array): number | undefined {
  if (received.length < HEADER) return undefined;
  return new DataView(received.buffer, received.byteOffset).getUint32(MAGIC.length, true);
}

/**
 * Lists the sockets of a sway by its process: the one that the session names, or sway's own default
 * (sway/ipc-server.c).
 */
function socketPaths(process: number, wayland: string): string[] {
  const folder = wayland.slice(0, wayland.lastIndexOf("/")), named = Deno.env.get("SWAYSOCK");
  return [...named ? [named] : [], `${folder}/sway-ipc.${Deno.uid()}.${process}.sock`];
}
