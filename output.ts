/** Where the program's words go: results to standard output, notices to standard error. */

/** See the module's comment. */
export interface Output {
  result(text: string): void;
  notice(text: string): void;
  /** Tells of an error that is a bug. */
  report(error: unknown): void;
}

const encoder = new TextEncoder();

/** The program's own output. A closed pipe is no reason to end. */
export const CONSOLE: Output = {
  result: (text) => write(Deno.stdout, text),
  notice: (text) => write(Deno.stderr, text),
  report: (error) => write(Deno.stderr, `deskhand: internal error: ${Deno.inspect(error)}`),
};

function write(stream: typeof Deno.stdout | typeof Deno.stderr, text: string) {
  try {
    const bytes = encoder.encode(text + "\n");
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch {
    // Nobody is left to read it.
  }
}
