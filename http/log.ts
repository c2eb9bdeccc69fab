/** The log: one line per request, to a file or to standard output. */

import { concat } from "../core/bytes.ts";
import { describeFileError, UsageError } from "../core/errors.ts";
import { writeApart } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import { callerOf, type Handler, targetOf } from "./request.ts";
import { withoutToken } from "./secret.ts";

// Lines for a reader that may be slow or not read at all, and must not block the program.

/** Maximum number of bytes queued; further lines are dropped. */
const WAITING_LIMIT = 1024 * 1024;
/** Bytes per write: a Linux pipe takes up to this many atomically (pipe(7), PIPE_BUF); lines stay whole. */
const BATCH = 4096;

const encoder = new TextEncoder();

/** Writes lines in batches, in order, one write at a time. */
export class LineQueue {
  #lines: Uint8Array[] = [];
  #bytes = 0;
  #leftOut = 0;
  #writing: Promise<void> | undefined;

  /**
   * @param write Writes some of the bytes without blocking this thread, and returns their number.
   * @param limit Maximum number of bytes queued.
   * @param note Returns the line that reports the number of dropped lines.
   */
  constructor(
    readonly write: (bytes: Uint8Array) => Promise<number>,
    readonly limit = WAITING_LIMIT,
    readonly note = (count: number) =>
      `${new Date().toISOString()} log left out ${count} lines that were not read in time`,
  ) {}

  /** Adds a line, or drops it if the queue is full. Another line then reports the number of dropped lines. */
  add(line: string): void {
    this.addText(`${line}\n`);
  }

  /**
   * Adds a text like {@linkcode add}, without a line end: texts of up to {@linkcode BATCH} bytes stay whole.
   */
  addText(text: string): void {
    if (this.#bytes >= this.limit) {
      this.#leftOut++;
      return;
    }
    this.#noteLeftOut();
    this.#put(text);
    this.#writing ??= this.#writeAll();
  }

  /** Whether all lines have been written. */
  get isEmpty(): boolean {
    return this.#writing === undefined;
  }

  /** Resolves once no lines are queued. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    await undefined; // lines added in the same turn go into the same batch
    try {
      while (this.#lines.length) {
        const bytes = this.#nextBatch();
        for (let at = 0; at < bytes.length;) at += await this.write(bytes.subarray(at));
        if (!this.#lines.length) this.#noteLeftOut();
      }
    } catch {
      // A full disk or a closed pipe must not end the service.
      this.#lines = [];
      this.#bytes = 0;
    }
    this.#writing = undefined;
  }

  #nextBatch(): Uint8Array {
    let count = 1, length = this.#lines[0].length;
    while (count < this.#lines.length && length + this.#lines[count].length <= BATCH) {
      length += this.#lines[count++].length;
    }
    this.#bytes -= length;
    return concat(...this.#lines.splice(0, count));
  }

  #noteLeftOut(): void {
    if (!this.#leftOut) return;
    this.#put(`${this.note(this.#leftOut)}\n`);
    this.#leftOut = 0;
  }

  #put(text: string): void {
    const bytes = encoder.encode(text);
    this.#lines.push(bytes);
    this.#bytes += bytes.length;
  }
}

/** Receives lines. */
export interface Log {
  /** Writes a line, now or soon. Never throws, and never waits for the reader. */
  add(line: string): void;
  /** Resolves once no lines are queued. */
  flushed(): Promise<void>;
}

/**
 * Opens a log.
 * @param file A path, appended to and created with mode 0600; `-` for standard output.
 * @param option The option that sets it, for messages.
 * @throws UsageError if it cannot be written.
 */
export function openLog(file: string, option = "--log"): Log {
  if (file === "-") return new LineQueue(writeApart);
  const sink = openForAppend(file, option);
  const info = statOrNull(sink);
  // Windows can open folders as files too.
  if (info?.isDirectory) throw new UsageError(`${option} ${printable(file)} is a folder`);
  // A pipe or a device may block its writer; a file does not.
  return info?.isFile ? logFile(sink) : new LineQueue((bytes) => sink.write(bytes));
}

/** A file's metadata; null for Windows devices, such as NUL, for which the system reports none. */
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
 * Logs a line per request: time, peer, method, path, status and duration. The query and headers are omitted
 * because they may contain secrets.
 * @param server The server's name, which distinguishes two servers in one log.
 * @returns A handler that answers like the given one.
 */
export function logged(server: string, handler: Handler, log: Log): Handler {
  return async (request, peer) => {
    const start = performance.now();
    // Reads the address before the handler runs: a WebSocket upgrade closes the request, and reading it later
    // throws.
    const caller = callerOf(peer);
    const asked = printable(`${request.method} ${withoutToken(targetOf(request.url).path)}`, 500);
    const response = await handler(request, peer);
    const took = (performance.now() - start).toFixed(1);
    log.add(`${new Date().toISOString()} ${server} ${caller} ${asked} ${response.status} ${took}ms`);
    return response;
  };
}

/**
 * Logs a line that explains why plain HTTP requests to a TLS port are missing from the log: Deno.serve
 * (2.9.6) closes such a connection during the handshake without reporting it to the handler or as an error.
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

// The log as JSON, one object per request, for log collectors.

/** The header that carries a request's ID, from the client or a proxy, and back. */
const REQUEST_ID = "x-request-id";
/** An ID that is accepted; any other is replaced. */
const ID = /^[A-Za-z0-9._~+/=:@-]{1,128}$/;
/** Maximum length of a logged path or Range header, in characters. */
const LONGEST = 500;

/**
 * Logs an object per request once its response has been sent: `time`, `server`, `peer`, `id`, `method`,
 * `path`, `status`, `ms`; `range` if one was requested, `bytes` if the response's length was known in
 * advance, and `aborted` if the client left first. The query and other headers are omitted because they may
 * contain secrets.
 * @param server The server's name, which distinguishes two servers in one log.
 * @returns A handler that answers like the given one, with the request's ID in `X-Request-Id`.
 */
export function loggedAsJson(server: string, handler: Handler, log: Log): Handler {
  return async (request, peer) => {
    const start = performance.now();
    // Reads the fields before the handler runs: a WebSocket upgrade closes the request, and reading them
    // later throws.
    const { method, headers } = request, given = headers.get(REQUEST_ID) ?? "";
    const id = ID.test(given) ? given : crypto.randomUUID(), range = headers.get("range");
    const asked = {
      time: new Date().toISOString(),
      server,
      peer: callerOf(peer),
      id,
      method: printable(method, LONGEST),
      path: printable(withoutToken(targetOf(request.url).path), LONGEST),
      ...range === null ? {} : { range: printable(range, LONGEST) },
    };
    const answer = await handler(request, peer);
    const { status } = answer, bytes = method === "HEAD" ? 0 : await lengthOf(answer);
    const add = (aborted?: true) => {
      const ms = Number((performance.now() - start).toFixed(1));
      log.add(JSON.stringify({ ...asked, status, bytes, ms, aborted }));
    };
    if (status === 101) add(); // logged now: an upgraded connection sends no body, and its headers cannot change
    else {
      answer.headers.set(REQUEST_ID, id);
      peer.completed.then(() => add(), () => add(true));
    }
    return answer;
  };
}

/** The size of a response's content in bytes; undefined if unknown before it is read. */
async function lengthOf(answer: Response): Promise<number | undefined> {
  const length = answer.headers.get("content-length");
  if (length !== null) return Number(length);
  // JSON without a length is a text in memory (control/http/responses.ts); anything streamed may be endless.
  return answer.headers.get("content-type") === "application/json"
    ? (await answer.clone().bytes()).length
    : undefined;
}
