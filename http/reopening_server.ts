/** A server on one address that goes on when it cannot take a connection. */

import { DesktopUnavailableError, FileChangedError } from "../core/errors.ts";
import { withoutContent } from "./head.ts";
import type { ListenOptions } from "./listener.ts";

/** How long after a server has ended by itself another is opened in its place, in milliseconds. */
const REOPEN_MS = 1000;
/** What may happen to an answer that has begun, and is no bug. */
const BREAKS_OFF = [FileChangedError, DesktopUnavailableError];

/**
 * See the module's comment. Deno's server (2.9.6) ends for good when accept(2) fails, which it does when the process has
 * no descriptor left (EMFILE): whoever may connect could shut the door on everybody.
 */
export class ReopeningServer {
  readonly address: string;
  readonly port: number;
  #server: Deno.HttpServer<Deno.NetAddr>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /**
   * Opens it.
   * @param hostname An address or a name.
   * @param port 0 for any free one.
   * @throws What Deno.serve throws.
   */
  constructor(readonly options: ListenOptions, hostname: string, port: number) {
    suppressAbortWarning();
    this.#server = this.#open(hostname, port);
    ({ hostname: this.address, port: this.port } = this.#server.addr);
  }

  /** Takes no new requests and ends the ones there are; resolves when all is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#server.shutdown();
  }

  #open(hostname: string, port: number): Deno.HttpServer<Deno.NetAddr> {
    const { tls, handler, report, notice } = this.options;
    const server = Deno.serve({
      hostname,
      port,
      ...tls,
      onListen: () => {},
      onError: (error) => { // a body's errors too, when its answer has begun
        if (BREAKS_OFF.some((kind) => error instanceof kind)) {
          notice(`an answer was broken off: ${(error as Error).message}`);
        } else report(error);
        return new Response(null, { status: 500 });
      },
    }, withoutContent(handler));
    server.finished.catch((error) => this.#ended(server, error));
    return server;
  }

  #ended(server: Deno.HttpServer<Deno.NetAddr>, error: Error) {
    if (this.#isClosed) return;
    this.options.notice(`${this.options.name}: no connection can be taken for now: ${error.message}`);
    server.shutdown().catch(() => {}); // else it keeps its connections, whose requests nobody would answer
    this.#reopenSoon();
  }

  #reopenSoon() {
    this.#timer = setTimeout(() => {
      try {
        this.#server = this.#open(this.address, this.port);
      } catch {
        this.#reopenSoon(); // there is no descriptor for it either
      }
    }, REOPEN_MS);
  }
}

let hushed = false;

/**
 * Keeps one warning of Deno 2.9 from the terminal: that a request's signal is aborted when its answer was sent, too.
 * Nothing here minds, and the way out that it names is closed to executables, whose base ignores the option.
 */
function suppressAbortWarning() {
  if (hushed) return;
  hushed = true;
  const { warn } = console;
  console.warn = (...data: unknown[]) => {
    if (!`${data[0]}`.startsWith("Deno.serve: request.signal aborts")) warn(...data);
  };
}
