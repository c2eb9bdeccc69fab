/** Program output: results to standard output, notices to standard error. */

import { attempt, describeFileError } from "./errors.ts";
import { COLORS_END, printableLines, STYLES, terminalText } from "./printable.ts";

/** The streams for text to the user. */
export interface Output {
  result(text: string): void;
  notice(text: string): void;
  /** Prints an error that is a bug. */
  report(error: unknown): void;
}

/** A line being typed on the terminal while other output is printed. */
interface TypedLine {
  /** Number of terminal rows that the line takes above the cursor; undefined if no line is shown. */
  rowsAbove(): number | undefined;
  /** Redraws the line, at the cursor and in as many rows above it. */
  redraw(): void;
}

/** Functions that write text to standard output and standard error later, without blocking this thread. */
interface OutputQueues {
  stdout(text: string): void;
  stderr(text: string): void;
}

const DEFAULT_COLUMNS = 80;
const encoder = new TextEncoder();
/** Number of bytes that a pipe accepts atomically (PIPE_BUF on Linux, pipe(7)). */
const PIPE_BYTES = 4096;
/** Interval between attempts to write to a full stream, in milliseconds. */
const FULL_MS = 5;
const CLOCK = new Int32Array(new SharedArrayBuffer(4));
let lost: string | undefined;
let queues: OutputQueues | undefined;
let typed: TypedLine | undefined;

/**
 * The width of the terminal that results are printed on, in characters.
 * @returns undefined if results are not printed on a terminal; 80 if the terminal does not report its width,
 * as on some serial lines.
 */
export function terminalColumns(): number | undefined {
  if (!Deno.stdout.isTerminal()) return undefined;
  return attempt(() => Deno.consoleSize().columns) || DEFAULT_COLUMNS;
}

/**
 * Styles the words of a result if results are printed on a terminal that supports styles.
 * @param text One line. Surrounding blanks are not styled.
 */
export function styled(style: keyof typeof STYLES, text: string): string {
  const hasStyles = Deno.stdout.isTerminal() && !Deno.noColor && Deno.env.get("TERM") !== "dumb";
  return hasStyles ? text.replace(/\S(?:.*\S)?/, (words) => `${STYLES[style]}${words}${COLORS_END}`) : text;
}

/** The program's own output. If it cannot be written, the program continues. */
export const CONSOLE: Output = {
  result(text) {
    const error = write(Deno.stdout, Deno.stdout.isTerminal() ? terminalText(text) : text);
    if (error && !(error instanceof Deno.errors.BrokenPipe)) lost ??= describeFileError(error);
  },
  notice: (text) => void write(Deno.stderr, printableLines(text)),
  report: (error) =>
    void write(Deno.stderr, printableLines(`deskhand: internal error: ${Deno.inspect(error)}`)),
};

/** Writes all further output through queues: a server must not wait for a reader that may never read. */
export function queueOutput(by: OutputQueues): void {
  queues = by;
}

/** Why results could not be written, such as a full disk; undefined also if their reader closed the pipe. */
export function lostResults(): string | undefined {
  return lost;
}

/**
 * Keeps printed text apart from a line that the user is typing, until the result is disposed of: clears the
 * line, and redraws it below the text.
 */
export function keepClearOf(line: TypedLine): Disposable {
  typed = line;
  return { [Symbol.dispose]: () => typed = undefined };
}

/**
 * Writes to standard output without blocking this thread if its reader is slow.
 * @param bytes Whole lines.
 * @returns The number of bytes written.
 */
export async function writeApart(bytes: Uint8Array): Promise<number> {
  const around = aroundTypedLine(Deno.stdout);
  if (!around) return await Deno.stdout.write(bytes);
  const whole = new Uint8Array(
    await new Blob([around.before, bytes as BlobPart, around.after]).arrayBuffer(),
  );
  for (let at = 0; at < whole.length;) at += await Deno.stdout.write(whole.subarray(at));
  around.redraw();
  return bytes.length;
}

/** Writes part of the typed line itself to the terminal, which may be gone. */
export function writeTyped(text: string): void {
  // After a failure, there is no output left on which to report it.
  attempt(() => queues ? queues.stdout(text) : writeAll(Deno.stdout, encoder.encode(text)));
}

/**
 * The sequences that clear the typed line before other output and make room for it afterwards (ECMA-48: CUU,
 * ED).
 * @returns undefined if the stream is not the terminal on which a line is typed.
 */
function aroundTypedLine(stream: typeof Deno.stdout | typeof Deno.stderr) {
  const line = typed, rows = line?.rowsAbove();
  if (!line || rows === undefined || !stream.isTerminal()) return undefined;
  return {
    before: `${rows ? `\x1b[${rows}A` : ""}\r\x1b[J`,
    after: "\n".repeat(rows),
    redraw: () => line.redraw(),
  };
}

/** @returns The error, if any. */
function write(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): unknown {
  try {
    const around = aroundTypedLine(stream);
    const whole = around ? `${around.before}${text}\n${around.after}` : `${text}\n`;
    if (queues) queues[stream === Deno.stdout ? "stdout" : "stderr"](whole);
    else writeAll(stream, encoder.encode(whole));
    around?.redraw();
  } catch (error) {
    return error;
  }
}

/** A longer write to a non-blocking pipe may be partly done when Deno reports that the pipe is full. */
function writeAll(stream: typeof Deno.stdout | typeof Deno.stderr, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSome(stream, bytes.subarray(at, at + PIPE_BYTES));
}

/** Waits for a stream that the parent process made non-blocking; for other streams, the system waits. */
function writeSome(stream: typeof Deno.stdout, bytes: Uint8Array): number {
  try {
    return stream.writeSync(bytes);
  } catch (error) {
    if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    Atomics.wait(CLOCK, 0, 0, FULL_MS);
    return 0;
  }
}
