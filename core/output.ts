/** Where the program's words go: results to standard output, notices to standard error. */

import { describeFileError } from "./errors.ts";
import { printableLines } from "./printable.ts";

/** Where text for the person goes. */
export interface Output {
  result(text: string): void;
  notice(text: string): void;
  /** Prints an error that is a bug. */
  report(error: unknown): void;
}

const encoder = new TextEncoder();
/** How long a stream that is full is left alone. */
const FULL_MS = 5;
const CLOCK = new Int32Array(new SharedArrayBuffer(4));
let lost: string | undefined;

/** The program's own output. What cannot be written is no reason to end. */
export const CONSOLE: Output = {
  result(text) {
    const error = write(Deno.stdout, text);
    if (error && !(error instanceof Deno.errors.BrokenPipe)) lost ??= describeFileError(error);
  },
  notice: (text) => void write(Deno.stderr, printableLines(text)),
  report: (error) =>
    void write(Deno.stderr, printableLines(`deskhand: internal error: ${Deno.inspect(error)}`)),
};

/** Why results did not get to where they were sent, such as a full disk; a reader that has enough is no reason. */
export function lostResults(): string | undefined {
  return lost;
}

/** Gives what went wrong, if anything did. */
function write(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): unknown {
  try {
    const bytes = encoder.encode(text + "\n");
    for (let at = 0; at < bytes.length;) at += writeSome(stream, bytes.subarray(at));
  } catch (error) {
    return error;
  }
}

/** A stream that does not block, as a parent may have made it, is waited for as the others are. */
function writeSome(stream: typeof Deno.stdout, bytes: Uint8Array): number {
  try {
    return stream.writeSync(bytes);
  } catch (error) {
    if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    Atomics.wait(CLOCK, 0, 0, FULL_MS);
    return 0;
  }
}
