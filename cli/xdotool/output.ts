/** The output of a run: bytes are written unchanged and at once. */

/** The streams that a run prints to. */
export interface Printer {
  /** Prints results: lines without their last line feed. */
  out(text: string | Uint8Array): void;
  /** Prints messages, likewise. */
  err(text: string): void;
}

const encoder = new TextEncoder();
/** The exit code that a shell sees of a program that wrote to a closed pipe: 128 and SIGPIPE. */
const BROKEN_PIPE = 141;

/** Standard output and standard error. */
export const STREAMS: Printer = {
  out: (text) => write(Deno.stdout, text),
  err: (text) => write(Deno.stderr, text),
};

function write(stream: typeof Deno.stdout, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? encoder.encode(`${text}\n`) : new Uint8Array([...text, 10]);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) Deno.exit(BROKEN_PIPE);
    // Output that cannot be written is lost, as in xdotool.
  }
}
