/** A server on one address that opens again when it has ended by itself. */

import { DesktopUnavailableError, FileChangedError } from "../core/errors.ts";
import type { Handler } from "./handler.ts";
import { urlHost } from "./host.ts";
import type { Tls } from "./tls.ts";

/** The handler of a server, and the receivers of its messages. */
export interface ServerOptions {
  /** The name for messages: `HTTP server`. */
  name: string;
  /** Certificate and key; plain HTTP if left out. */
  tls?: Tls;
  handler: Handler;
  /** Receives errors that a handler threw, which are bugs. */
  report: (error: unknown) => void;
  /**
   * Receives a line for the user: an answer was broken off, which its client sees by the end of the connection alone;
   * the server cannot be reached, or can be reached again.
   */
  notice: (text: string) => void;
}

/** The time between the end of a server and the start of its replacement, in milliseconds. */
const REOPEN_MS = 1000;
/** Errors that end an answer which has begun, and are no bugs. */
const EXPECTED = [FileChangedError, DesktopUnavailableError];

/**
 * A server on one address that opens again if Deno ends it.
 *
 * Deno's server (2.9.6) ends for good in two cases. accept(2) fails when the process has no descriptor left (EMFILE):
 * then `finished` rejects, and a client that opens many connections could close the server to all others. And a
 * handler upgrades a request but does not return the upgrade's answer: then `finished` resolves.
 */
export class ReopeningServer {
  /** The address bound, as a number. */
  readonly address: string;
  /** The port bound. */
  readonly port: number;
  #server: Deno.HttpServer<Deno.NetAddr>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /**
   * Opens the server.
   * @param hostname An address or a name.
   * @param port 0 for any free one.
   * @throws The errors of Deno.serve.
   */
  constructor(readonly options: ServerOptions, hostname: string, port: number) {
    this.#server = this.#open(hostname, port);
    ({ hostname: this.address, port: this.port } = this.#server.addr);
  }

  /** Takes no new requests and lets those finish that are under way; resolves when all is closed. */
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
      // Deno also calls onError when a body fails after its answer has begun.
      onError: (error) => {
        if (EXPECTED.some((kind) => error instanceof kind)) {
          notice(`an answer was broken off: ${(error as Error).message}`);
        } else report(error);
        return new Response(null, { status: 500 });
      },
    }, withoutContent(handler));
    server.finished.then(() => this.#ended(server), (error) => this.#ended(server, error));
    return server;
  }

  /** @param error The reason why the server ended, if Deno gives one. */
  #ended(server: Deno.HttpServer<Deno.NetAddr>, error?: Error) {
    if (this.#isClosed) return;
    const { name, notice } = this.options;
    const reason = error ? `: ${error.message}` : " by itself";
    notice(`${name}: no connection can be taken for now: the listener on ${this.#place} ended${reason}`);
    // Without a shutdown the old server's connections stay open, and their requests are never answered.
    server.shutdown().catch(() => {});
    this.#reopenSoon();
  }

  #reopenSoon() {
    this.#timer = setTimeout(() => {
      try {
        this.#server = this.#open(this.address, this.port);
      } catch {
        return this.#reopenSoon(); // still no descriptor, for example
      }
      this.options.notice(`${this.options.name}: connections are taken again on ${this.#place}`);
    }, REOPEN_MS);
  }

  get #place(): string {
    return `${urlHost(this.address)}:${this.port}`;
  }
}

/**
 * Makes a handler that answers HEAD without content. Deno.serve removes the content over HTTP/1.1; over HTTP/2 it sends
 * the content, which makes the answer malformed (RFC 9113 section 8.1.1).
 * @param handler Answers HEAD as it answers GET.
 */
function withoutContent(handler: Handler): Handler {
  return (request, peer) => {
    const answer = handler(request, peer);
    return request.method === "HEAD" ? Promise.resolve(answer).then(emptied) : answer;
  };
}

/** Makes the same answer without its content, with the content's length. */
async function emptied(answer: Response): Promise<Response> {
  if (!answer.body) return answer;
  const headers = new Headers(answer.headers);
  const endless = headers.get("content-type")?.startsWith("text/event-stream");
  if (headers.has("content-length") || endless) await answer.body.cancel();
  else headers.set("content-length", String((await answer.bytes()).length));
  return new Response(null, { status: answer.status, headers });
}
