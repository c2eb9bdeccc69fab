/** Media types of clipboard content. Pure. */

import {
  CLIPBOARD_KINDS,
  type ClipboardContent,
  type ClipboardKind,
} from "../../../control/desktop/desktop.ts";
import type { Bytes } from "../../../core/bytes.ts";
import { InputError, TimeLimitError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { contentOf } from "../../clipboard_readings.ts";
import { isGone, type Libc, POLLIN, POLLOUT } from "../../linux/libc.ts";

/** X11's type for Latin-1 text (ICCCM section 2.7.1). */
const LATIN1 = "STRING";
/** Types of each kind, in order of preference; legacy X11 programs know those in capitals. */
export const MEDIA_TYPES: Readonly<Record<ClipboardKind, readonly string[]>> = {
  text: ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", LATIN1],
  png: ["image/png"],
};

/** The best offered type of a kind; undefined if there is none. */
export function bestType(kind: ClipboardKind, offered: readonly string[]): string | undefined {
  return MEDIA_TYPES[kind].find((type) => offered.includes(type));
}

/** The kinds of content among offered types. */
export function kindsOf(offered: readonly string[]): ClipboardKind[] {
  return CLIPBOARD_KINDS.filter((kind) => bestType(kind, offered));
}

/**
 * Encodes content for each type in which it is offered.
 * @param texts Text types.
 */
export function encoded(content: ClipboardContent, texts = MEDIA_TYPES.text): ReadonlyMap<string, Bytes> {
  if ("png" in content) return new Map(MEDIA_TYPES.png.map((type) => [type, content.png]));
  const utf8 = new TextEncoder().encode(content.text);
  return new Map(texts.map((type) => [type, utf8]));
}

/** Decodes content of a type. */
export function decoded(kind: ClipboardKind, type: string, bytes: Bytes): ClipboardContent {
  return contentOf(kind, bytes, type === LATIN1);
}

// Content passed through a pipe between programs, without blocking this thread.

/**
 * Maximum time for the other program to be silent, in milliseconds: for the owner of the content, longer on a
 * busy machine, and for a program that pastes it.
 */
const OWNER_MS = 2000, READER_MS = 10_000;
/** Maximum size of content to read, in bytes. */
const CONTENT_LIMIT = 64 * 1024 * 1024;
const CHUNK_BYTES = 65_536;
const F_SETFL = 4, O_WRONLY = 1, O_NONBLOCK = 0o4000, O_CLOEXEC = 0o2000000;

/**
 * Reads another program's content to its end.
 * @param offer Passes the write end to the other program; it is closed here afterwards.
 * @throws TimeLimitError if the program is silent; InputError if the content is too large.
 */
export async function receiveContent(c: Libc, offer: (fd: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const ends = new Int32Array(2);
  if (c.pipe2(ends, O_CLOEXEC) !== 0) {
    throw new TimeLimitError("the system could not create a pipe for the clipboard");
  }
  const [reading, writing] = ends;
  try {
    try {
      offer(writing);
    } finally {
      c.close(writing);
    }
    return await readToEnd(c, reading);
  } finally {
    c.close(reading);
  }
}

/**
 * Reads another program's output from a pipe, to its end.
 * @param fd The read end, which the caller closes.
 * @throws TimeLimitError if the program is silent; InputError if the content is too large.
 */
export async function readToEnd(c: Libc, fd: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    await ready(c, fd, POLLIN, timeByLoad(OWNER_MS));
    const part = new Uint8Array(CHUNK_BYTES), count = Number(c.read(fd, part, BigInt(part.length)));
    if (count <= 0) break;
    size += count;
    if (size > CONTENT_LIMIT) throw new InputError(`the clipboard holds more than ${CONTENT_LIMIT} bytes`);
    parts.push(part.subarray(0, count));
  }
  return await new Blob(parts).bytes();
}

/**
 * Writes content for another program, and closes the pipe. Stops at a program that no longer reads, or not in
 * time.
 * @param fd The write end.
 */
export async function sendContent(c: Libc, fd: number, content: Uint8Array<ArrayBuffer>): Promise<void> {
  c.fcntl(fd, F_SETFL, O_WRONLY | O_NONBLOCK);
  try {
    for (let at = 0; at < content.length;) {
      await ready(c, fd, POLLOUT, READER_MS);
      const part = content.subarray(at, at + CHUNK_BYTES);
      const count = Number(c.write(fd, part, BigInt(part.length)));
      if (count > 0) at += count;
      else if (isGone(c, fd)) return;
    }
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
  } finally {
    c.close(fd);
  }
}

async function ready(c: Libc, fd: number, events: number, ms: number): Promise<void> {
  if (await c.poll_waiting(Int32Array.of(fd, events), 1n, ms) > 0) return;
  throw new TimeLimitError(`the program that owns the clipboard did not answer within ${ms} ms`);
}
