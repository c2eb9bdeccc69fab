/** Splits bytes into Wayland messages. */

import { decodeMessage, type Message, messageLength } from "../../ffi/wayland/wire/wire.ts";
import { until } from "./shell.ts";

/**
 * Decodes the complete messages at the beginning of bytes.
 * @returns The messages, and the number of bytes consumed: the rest is the start of the next message.
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
 * Waits until a compositor has created its socket.
 * @param folder Its runtime folder, not shared with others.
 * @returns The socket's name, such as `wayland-1`.
 */
export async function waylandSocket(folder: string): Promise<string> {
  const names = () => Array.from(Deno.readDirSync(folder), ({ name }) => name);
  return (await until(() => names().find((name) => /^wayland-\d+$/.test(name))))!;
}
