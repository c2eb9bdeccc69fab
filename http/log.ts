/** The log: one line per request, to a file or to standard output. */

import { describeFileError, UsageError } from "../core/errors.ts";
import type { Handler } from "./handler.ts";
import { writeApart } from "../core/output.ts";
import { LineQueue } from "./line_queue.ts";
import { printable } from "../core/printable.ts";
import { withoutToken } from "./share_path.ts";
import { targetOf } from "./target.ts";

/** Takes lines. */
export interface Log {
  /** Writes a line, at once or soon. Never throws, and never waits for the reader. */
  add(line: string): void;
  /** Resolves when no line waits to be written. */
  flushed(): Promise<void>;
}

/**
 * Opens a log.
 * @param file A path, appended to and made with mode 0600; `-` for standard output.
 * @param option The option that names it, for messages.
 * @throws UsageError if it cannot be written.
 */
export function openLog(file: string, option = "--log"): Log {
  if (file === "-") return new LineQueue(writeApart);
  const sink = openForAppend(file, option);
  const info = statOrNull(sink);
  // Windows can open folders as files, too.
  if (info?.isDirectory) throw new UsageError(`${option} ${printable(file)} is a folder`);
  // A pipe or a device may keep a writer waiting, a file does not.
  return info?.isFile ? logFile(sink) : new LineQueue((bytes) => sink.write(bytes));
}

/** Asks the system about a file; gives null for Windows' devices, such as NUL, about which the system says nothing. */
function statOrNull(file: Deno.FsFile): Deno.FileInfo | null {
  try {
    return file.statSync();
  } catch {
    return null;
  }
}

function logFile(sink: Deno.FsFile): Log {
  return {
    add(line) {
      try {
        sink.writeSync(new TextEncoder().encode(line + "\n"));
      } catch {
        // A full disk must not end the service.
      }
    },
    flushed: () => Promise.resolve(),
  };
}

/**
 * Adds a line to the log for each request: time, peer, method, path, status and duration. The query and the headers are
 * left out, because they may hold secrets.
 * @param server The server's name, which tells two servers apart in one log.
 * @returns A handler that answers like the given one.
 */
export function logged(server: string, handler: Handler, log: Log): Handler {
  return async (request, peer) => {
    const start = performance.now();
    // Reads the address before the handler runs: a WebSocket's upgrade closes the request, and later reading throws.
    const { hostname } = peer.remoteAddr;
    const asked = printable(`${request.method} ${withoutToken(targetOf(request.url).path)}`, 500);
    const response = await handler(request, peer);
    const took = (performance.now() - start).toFixed(1);
    log.add(`${new Date().toISOString()} ${server} ${hostname} ${asked} ${response.status} ${took}ms`);
    return response;
  };
}

/**
 * Adds a line that says why plain HTTP to a TLS port is not in the log: Deno.serve (2.9.6) ends such a connection in the
 * handshake and reports it neither to the handler nor by an error.
 * @param server The server's name, as in {@linkcode logged}.
 */
export function logTls(server: string, port: number, log: Log): void {
  const why = `plain HTTP ends in the TLS handshake, without an answer and without a line here`;
  log.add(`${new Date().toISOString()} ${server} port ${port} speaks TLS: use https://; ${why}`);
}

function openForAppend(file: string, option: string): Deno.FsFile {
  try {
    return Deno.openSync(file, { append: true, create: true, mode: 0o600 });
  } catch (error) {
    throw new UsageError(`${option} ${printable(file)}: ${describeFileError(error)}`, { cause: error });
  }
}
