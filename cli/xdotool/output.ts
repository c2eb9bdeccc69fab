/** The output of a run: bytes are written immediately, and unchanged unless a terminal would act on them. */

import { writeAll } from "../../core/bytes.ts";
import { terminalText } from "../../core/printable.ts";

/** The streams that a run prints to. */
export interface Printer {
  /** Prints results: lines without the last line feed. @throws BrokenPipe if nothing reads them any longer. */
  out(text: string | Uint8Array): void;
  /** Prints messages, likewise. */
  err(text: string): void;
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Standard output and standard error. */
export const STREAMS: Printer = {
  out: (text) => write(Deno.stdout, text),
  err: (text) => write(Deno.stderr, text),
};

function write(stream: typeof Deno.stdout, text: string | Uint8Array): void {
  // A window's title may come from a web page.
  const shown = stream.isTerminal()
    ? terminalText(typeof text === "string" ? text : decoder.decode(text))
    : text;
  const bytes = typeof shown === "string" ? encoder.encode(`${shown}\n`) : new Uint8Array([...shown, 10]);
  try {
    writeAll(stream, bytes);
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) throw error; // the end of the run
    // Other unwritable output is lost, as in xdotool.
  }
}

// Numbers in words, parsed like C functions: a word that is not a number is 0.

/** strtol(3) with base 0: decimal, `0x` and octal. */
export function longOf(text: string): number {
  const [, sign, digits = ""] = /^\s*([+-]?)(0[xX][0-9a-fA-F]+|\d+)/.exec(text) ?? [];
  const isOctal = /^0\d/.test(digits), octal = /^[0-7]*/.exec(digits)![0];
  const value = isOctal ? parseInt(octal, 8) : Number(digits || 0);
  return sign === "-" ? -value : value;
}

/** atoi(3). */
export function intOf(text: string): number {
  return Number(/^\s*([+-]?\d+)/.exec(text)?.[1] ?? 0) | 0;
}

/** Parses a number like atof(3), except for hexadecimal numbers. */
export function floatOf(text: string): number {
  return parseFloat(text) || 0;
}

/** strtoul(3) of milliseconds, as microseconds in an unsigned int. */
export function microsecondsOf(text: string): number {
  return (longOf(text) * 1000) >>> 0;
}

/** The xdotool version whose output deskhand prints: that of Debian 12 and 13. */
export const VERSION = "3.20160805.1";
