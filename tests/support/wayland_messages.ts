/** Cuts bytes into messages of Wayland. */

import { decodeMessage, type Message, messageLength } from "../../ffi/wayland/wire/wire.ts";
import { until } from "./shell.ts";

/**
 * Decodes the whole messages that bytes begin with.
 * @returns The messages, and how many bytes they took: the rest is the start of the next one.
 */
export function splitMessages(
  bytes: Uint8Array,
  descriptors: number[] = [],
): { messages: Message[]; consumed: number } {
  const messages: Message[] = [];
  for (let consumed = 0;;) {
    const rest = bytes.subarray(consumed), length = messageLength(rest);
    if (length === undefined || length > rest.length) return { messages, consumed };
    messages.push(decodeMessage(rest.subarray(0, length), descriptors));
    consumed += length;
  }
}

// Sockets of Wayland compositors.

/**
 * Waits until a compositor has made its socket.
 * @param folder Its runtime folder, which is its own.
 * @returns The socket's name, such as `wayland-1`.
 */
export async function waylandSocket(folder: string): Promise<string> {
  const names = () => Array.from(Deno.readDirSync(folder), ({ name }) => name);
  return (await until(() => names().find((name) => /^wayland-\d+$/.test(name))))!;
}
