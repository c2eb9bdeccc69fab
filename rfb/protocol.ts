/**
 * The numbers of the Remote Framebuffer protocol (RFC 6143) and of its community extensions (rfbproto.rst,
 * with numbers assigned by IANA), and its big-endian integers.
 */

import { concat } from "../core/bytes.ts";

/** Rectangle encodings, preferred ones last, and pseudo-encodings, which announce a client's capabilities. */
export const ENCODING = {
  raw: 0,
  rre: 2,
  hextile: 5,
  zlib: 6,
  copyRect: 1,
  tight: 7,
  zrle: 16,
  desktopSize: -223,
  lastRect: -224,
  pointerPosition: -232,
  cursor: -239,
  extendedDesktopSize: -308,
  fence: -312,
  continuousUpdates: -313,
  cursorWithAlpha: -314,
  extendedMouseButtons: -316,
  vmwareCursorPosition: 0x574d5666,
  extendedClipboard: 0xc0a1e5ce | 0,
} as const;

/** The pseudo-encodings for JPEG quality 0 to 9. */
export const QUALITY = { least: -32, most: -23 } as const;

/** Security types, and VeNCrypt subtypes. */
export const SECURITY = {
  none: 1,
  vncAuth: 2,
  veNCrypt: 19,
  appleDh: 30,
  plain: 256,
  x509None: 260,
  x509Vnc: 261,
  x509Plain: 262,
} as const;

/** Client messages. */
export const CLIENT_MESSAGE = {
  setPixelFormat: 0,
  setEncodings: 2,
  updateRequest: 3,
  key: 4,
  pointer: 5,
  cutText: 6,
  continuousUpdates: 150,
  fence: 248,
  setDesktopSize: 251,
} as const;

/** Server messages. */
export const SERVER_MESSAGE = {
  update: 0,
  colourMap: 1,
  bell: 2,
  cutText: 3,
  endOfContinuousUpdates: 150,
  fence: 248,
} as const;

/** Fence flags: the request, and those that the response retains. */
export const FENCE = { request: 0x80000000, kept: 7, blockBefore: 1 } as const;

/** Serializes a fence. @param type Its number in this direction. @param flags Bits of {@linkcode FENCE}. */
export function fenceMessage(type: number, flags: number, payload: Part): Uint8Array {
  return message([type, 0, 0, 0], longs(flags), [payload.length], payload);
}

/** Bits of the buttons and wheel directions in the mask of a pointer message. */
export const BUTTON_BITS = { left: 0, middle: 1, right: 2, back: 7, forward: 8 } as const;
export const WHEEL_BITS = { up: 3, down: 4, left: 5, right: 6 } as const;

/** A rectangle of the screen, in pixels. */
interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Length of a screen in ExtendedDesktopSize and SetDesktopSize, in bytes. */
export const SCREEN_LENGTH = 16;

/** Serializes screens after their count; their IDs count from 1. */
export function screensBytes(screens: readonly Rectangle[]): Uint8Array {
  const all = screens.flatMap((
    { x, y, width, height },
    i,
  ) => [longs(i + 1), words(x, y, width, height), longs(0)]);
  return message([screens.length, 0, 0, 0], ...all);
}

/** Parses screens. @param bytes The bytes after their count. */
export function readScreens(bytes: Uint8Array): Rectangle[] {
  return Array.from(
    { length: bytes.length / SCREEN_LENGTH },
    (_, i) => readRectangle(bytes, i * SCREEN_LENGTH + 4),
  );
}

/** Parses a position and size, of 16 bits each. */
export function readRectangle(bytes: Uint8Array, at: number): Rectangle {
  const [x, y, width, height] = [0, 2, 4, 6].map((offset) => uint16(bytes, at + offset));
  return { x, y, width, height };
}

/** The supported minor versions of the protocol. */
export type Minor = 3 | 7 | 8;

/** Length of a version message, in bytes. */
export const VERSION_LENGTH = 12;

/**
 * Parses a peer's version.
 * @returns The version to use with the peer: Apple's 3.889 and RealVNC's 4 and 5 are treated as 3.8, 3.4 to
 * 3.6 as 3.3. Undefined if the text is not a version.
 * @example
 * minorOf("RFB 003.889\n"); // 8
 */
export function minorOf(text: string): Minor | undefined {
  const match = /^RFB (\d{3})\.(\d{3})\n$/.exec(text);
  if (!match) return undefined;
  const major = Number(match[1]), minor = Number(match[2]);
  if (major < 3) return undefined;
  return major > 3 || minor >= 8 ? 8 : minor === 7 ? 7 : 3;
}

/** A version message. */
export function versionText(minor: Minor): string {
  return `RFB 003.00${minor}\n`;
}

/** Reads an unsigned 16-bit integer. */
export function uint16(bytes: Uint8Array, at: number): number {
  return bytes[at] << 8 | bytes[at + 1];
}

/** Reads an unsigned 32-bit integer. */
export function uint32(bytes: Uint8Array, at: number): number {
  return int32(bytes, at) >>> 0;
}

/** Reads a signed 32-bit integer. */
export function int32(bytes: Uint8Array, at: number): number {
  return uint16(bytes, at) << 16 | uint16(bytes, at + 2);
}

/** Serializes 16-bit integers. */
export function words(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >> 8, value]));
}

/** Serializes 32-bit integers, signed or unsigned. */
export function longs(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >>> 24, value >>> 16, value >>> 8, value]));
}

/** A part of a message: bytes, or a list of 8-bit values. */
type Part = Uint8Array | readonly number[];

/** Concatenates the parts of a message. */
export function message(...parts: Part[]): Uint8Array<ArrayBuffer> {
  return concat(...parts.map((part) => part instanceof Uint8Array ? part : Uint8Array.from(part)));
}

/** A text preceded by its length. */
export function lengthAndText(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return message(longs(bytes.length), bytes);
}

/** The header of a rectangle. */
export function rectangleHead({ x, y, width, height }: Rectangle, encoding: number): Uint8Array {
  return message(words(x, y, width, height), longs(encoding));
}
