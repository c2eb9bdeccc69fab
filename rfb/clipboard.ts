/**
 * Clipboard texts: CutText, which only supports Latin-1, and the extended clipboard, which supports Unicode.
 * Client and server send the same messages under different numbers.
 */

import { nodeModule } from "../core/path.ts";
import { int32, longs, message, uint32 } from "./protocol.ts";
import type { ByteStream } from "./stream.ts";

/** Maximum size of a text, both compressed and decompressed, in bytes. */
export const TEXT_LIMIT = 1024 * 1024;

/** Flags of an extended message: the formats, of which deskhand supports text, and the actions. */
const TEXT = 1;
const ACTION = { caps: 1 << 24, request: 1 << 25, peek: 1 << 26, notify: 1 << 27, provide: 1 << 28 } as const;
const ALL = Object.values(ACTION).reduce((all, bit) => all | bit, 0);

/** A clipboard message. */
export type ClipboardMessage =
  /** A Latin-1 text. */
  | { type: "latin1"; text: string }
  /** The peer's capabilities. */
  | { type: "caps" }
  /** The peer requests the text. */
  | { type: "request" }
  /** The peer asks whether there is a text. */
  | { type: "peek" }
  /** The peer reports whether it has a text. */
  | { type: "notify"; hasText: boolean }
  | { type: "provide"; text: string };

/**
 * Reads a message from a stream, after its type.
 * @returns As {@linkcode readClipboard}.
 * @throws RangeError if the text is too long, or the message is damaged; StreamEnded.
 */
export async function takeClipboard(stream: ByteStream): Promise<ClipboardMessage | undefined> {
  const length = int32(await stream.take(7), 3), bytes = Math.abs(length);
  if (bytes > TEXT_LIMIT) throw new RangeError(`a text of ${bytes} bytes is too long`);
  return readClipboard(length, await stream.take(bytes));
}

/**
 * Reads a message.
 * @param length The length field of the message: negative for an extended one.
 * @param bytes The message's content, whose size is the absolute length.
 * @returns undefined for a message that deskhand does not need.
 * @throws RangeError if the message is damaged.
 */
export function readClipboard(length: number, bytes: Uint8Array): ClipboardMessage | undefined {
  if (length >= 0) return { type: "latin1", text: latin1Text(bytes) };
  if (bytes.length < 4) throw new RangeError("an extended clipboard message lacks its flags");
  const flags = uint32(bytes, 0), hasText = (flags & TEXT) !== 0;
  if (flags & ACTION.caps) return { type: "caps" };
  if (flags & ACTION.notify) return { type: "notify", hasText };
  if (flags & ACTION.peek) return { type: "peek" };
  if (!hasText) return undefined;
  if (flags & ACTION.request) return { type: "request" };
  return flags & ACTION.provide ? { type: "provide", text: providedText(bytes.subarray(4)) } : undefined;
}

/** Decodes Latin-1 bytes. */
function latin1Text(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text.replaceAll("\r\n", "\n");
}

function providedText(packed: Uint8Array): string {
  const { inflateSync, constants } = nodeModule("node:zlib");
  let bytes: Uint8Array;
  try {
    // The peer's zlib stream need not be terminated.
    bytes = inflateSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: TEXT_LIMIT + 4 });
  } catch (cause) {
    throw new RangeError("the clipboard text cannot be decompressed", { cause });
  }
  if (bytes.length < 4 || uint32(bytes, 0) > bytes.length - 4) {
    throw new RangeError("the clipboard text is truncated");
  }
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + uint32(bytes, 0)));
  return text.replace(/\0$/, "").replaceAll("\r\n", "\n");
}

/** A clipboard message, extended or not. */
function framed(type: number, length: number, ...parts: Uint8Array[]): Uint8Array {
  return message([type, 0, 0, 0], longs(length), ...parts);
}

function extended(type: number, flags: number, data: Uint8Array = new Uint8Array()): Uint8Array {
  return framed(type, -(4 + data.length), longs(flags), data);
}

/** Writes the messages of one side, under its number. */
export class ClipboardWriter {
  /** @param type The message number of CutText in this direction. */
  constructor(readonly type: number) {}

  /** Announces what deskhand supports: texts, which the peer only sends on request. */
  caps(): Uint8Array {
    return extended(this.type, TEXT | ALL, longs(0));
  }

  /** Announces whether there is a text. */
  notify(hasText: boolean): Uint8Array {
    return extended(this.type, (hasText ? TEXT : 0) | ACTION.notify);
  }

  /** Requests the text. */
  request(): Uint8Array {
    return extended(this.type, TEXT | ACTION.request);
  }

  /** Sends a text, with the line ends and the final NUL that the extension requires. */
  provide(text: string): Uint8Array {
    const bytes = new TextEncoder().encode(`${text.replace(/\r?\n/g, "\r\n")}\0`);
    return extended(this.type, TEXT | ACTION.provide, deflated(message(longs(bytes.length), bytes)));
  }

  /** Sends a text as Latin-1; other characters become `?`. */
  latin1(text: string): Uint8Array {
    const bytes = Uint8Array.from([...text.replaceAll("\r\n", "\n")], (character) => {
      const code = character.codePointAt(0)!;
      return code < 0x100 ? code : 0x3f;
    });
    return framed(this.type, bytes.length, bytes);
  }
}

function deflated(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(nodeModule("node:zlib").deflateSync(bytes));
}

/** Whether Latin-1 can represent a text. */
export function isLatin1(text: string): boolean {
  return [...text].every((character) => character <= "\xff");
}
