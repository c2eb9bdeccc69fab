/** Opens the servers' ports, with a certificate and key for TLS, which are checked before a port is bound. */

import { describeFileError, ExpectedError, UsageError } from "../core/errors.ts";
import { leaveRemovedFolder, nodeModule } from "../core/path.ts";
import { printable } from "../core/printable.ts";
import { isLoopbackAddress, urlHost } from "./host.ts";
import { until } from "../core/until.ts";
import { ARRIVING, type Handler, hurryBodies, type Peer } from "./request.ts";
import { SENDING } from "./stream.ts";

// A server on one address that reopens when it ends unexpectedly.

/** A server's handler, and the receivers of its messages. */
interface ServerOptions {
  /** The server's name for messages: `HTTP server`. */
  name: string;
  /** Certificate and key; plain HTTP if omitted. */
  tls?: Tls;
  handler: Handler;
  /** Receives errors thrown by the handler, which are bugs. */
  report: (error: unknown) => void;
  /**
   * Receives a line for the user: a response was cut off, which its client can only tell from the closed
   * connection; or the server is unreachable, or reachable again.
   */
  notice: (text: string) => void;
}

/** Delay between the end of a server and its replacement, in milliseconds. */
const REOPEN_MS = 1000;
/**
 * Maximum time for which a stop waits for responses that make no progress, and between two checks, in
 * milliseconds.
 */
const STALL_MS = 1200, CHECK_MS = 20;
/**
 * A server on one address that reopens if Deno ends it.
 *
 * Deno's server (2.9.6) ends for good in two cases. If the process runs out of file descriptors (EMFILE),
 * accept(2) fails and `finished` rejects: a client that opens many connections could thus close the server
 * for all others. And if a handler upgrades a request but does not return the upgrade's response, `finished`
 * resolves.
 */
class ReopeningServer {
  /** The bound address, as a number. */
  readonly address: string;
  /** The bound port. */
  readonly port: number;
  #server: Deno.HttpServer<Deno.NetAddr>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** The number of requests that have no response yet, and of those among them with a long body. */
  #unanswered = 0;
  #receiving = 0;
  /** When the last response was ready, by `performance.now()`. */
  #answeredAt = 0;
  /** Answers new requests while the last long bodies arrive; undefined until the server stops. */
  #stopping: Handler | undefined;

  /**
   * Opens the server.
   * @param hostname An address or a name.
   * @param port 0 for any free port.
   * @throws The errors of Deno.serve.
   */
  constructor(readonly options: ServerOptions, hostname: string, port: number) {
    this.#server = this.#open(hostname, port);
    ({ hostname: this.address, port: this.port } = this.#server.addr);
  }

  /**
   * Accepts no new requests and lets those in flight finish; resolves once everything is closed, or what is not
   * makes no progress: a client may neither send the rest of its request nor read its response.
   *
   * Deno's shutdown (2.9.6) aborts request bodies that are still arriving, so the long ones come first.
   * @param stopping As for {@linkcode Listener}.
   */
  async close(stopping?: Handler): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#stopping = stopping;
    if (!stopping) return await this.#server.shutdown();
    hurryBodies();
    const forever = { ms: Infinity, every: CHECK_MS }; // the exit has a limit of its own
    await until(() => !this.#receiving && !ARRIVING.count, forever);
    const closed = new AbortController(), { signal } = closed;
    const shutdown = this.#server.shutdown().finally(() => closed.abort());
    const stalled = until(() => this.#isStalled, { ...forever, signal });
    await Promise.race([shutdown, stalled]).catch(() => {});
  }

  /** Whether all requests have been answered, and no client has taken a part of a response for a while. */
  get #isStalled(): boolean {
    const since = performance.now() - Math.max(SENDING.takenAt, this.#answeredAt);
    return !this.#unanswered && !SENDING.making && since > STALL_MS;
  }

  /** Answers a request, and counts it if its body is long. */
  #answer(request: Request, peer: Peer): Promise<Response> {
    leaveRemovedFolder(this.options.notice);
    if (this.#stopping) return this.#stopping(request, peer).then(asLast);
    this.#unanswered++;
    if (!hasLongBody(request)) return this.options.handler(request, peer).then(this.#answered);
    this.#receiving++;
    return this.options.handler(request, peer).then(this.#answered).finally(() => this.#receiving--);
  }

  readonly #answered = (answer: Response): Response => {
    this.#unanswered--;
    this.#answeredAt = performance.now();
    return answer;
  };

  #open(hostname: string, port: number): Deno.HttpServer<Deno.NetAddr> {
    const { tls, report, notice } = this.options;
    const server = Deno.serve({
      hostname,
      port,
      ...tls,
      onListen: () => {},
      // Deno also calls onError when a body fails after its response has begun.
      onError: (error) => {
        if (error instanceof ExpectedError) notice(`an answer was broken off: ${error.message}`);
        else report(error);
        return new Response(null, { status: 500 });
      },
    }, withoutContent((request, peer) => this.#answer(request, peer)));
    server.finished.then(() => this.#ended(server), (error) => this.#ended(server, error));
    return server;
  }

  /** @param error Why the server ended, if Deno reports it. */
  #ended(server: Deno.HttpServer<Deno.NetAddr>, error?: Error) {
    if (this.#isClosed) return;
    const { name, notice } = this.options;
    const reason = error ? `: ${error.message}` : " by itself";
    notice(`${name}: no connection can be taken for now: the listener on ${this.#place} ended${reason}`);
    // Without a shutdown, the old server's connections stay open, and their requests are never answered.
    server.shutdown().catch(() => {});
    this.#reopenSoon();
  }

  #reopenSoon() {
    this.#timer = setTimeout(() => {
      try {
        this.#server = this.#open(this.address, this.port);
      } catch {
        return this.#reopenSoon(); // still no file descriptor, for example
      }
      this.options.notice(`${this.options.name}: connections are taken again on ${this.#place}`);
    }, REOPEN_MS);
  }

  get #place(): string {
    return `${urlHost(this.address)}:${this.port}`;
  }
}

/** Maximum length in bytes of a body that is expected to arrive with its request's headers. */
const SHORT_BODY = 64 * 1024;

/** Whether a request's body may take long to arrive. */
function hasLongBody(request: Request): boolean {
  if (request.method === "GET" || request.method === "HEAD") return false;
  const length = request.headers.get("content-length");
  return length === null ? request.body !== null : Number(length) > SHORT_BODY;
}

/** The same response, after which the connection closes. */
function asLast(answer: Response): Response {
  answer.headers.set("connection", "close");
  return answer;
}

/**
 * Wraps a handler to answer HEAD without content. Deno.serve removes the content over HTTP/1.1, but sends it
 * over HTTP/2, which makes the response malformed (RFC 9113 section 8.1.1).
 * @param handler Answers HEAD as it answers GET.
 */
function withoutContent(handler: Handler): Handler {
  return (request, peer) => {
    const answer = handler(request, peer);
    return request.method === "HEAD" ? Promise.resolve(answer).then(emptied) : answer;
  };
}

/** The same response without its content, but with the content's length. */
async function emptied(answer: Response): Promise<Response> {
  if (!answer.body) return answer;
  const headers = new Headers(answer.headers);
  const endless = headers.get("content-type")?.startsWith("text/event-stream");
  if (headers.has("content-length") || endless) await answer.body.cancel();
  else headers.set("content-length", String((await answer.bytes()).length));
  return new Response(null, { status: answer.status, headers });
}

/** A listener's address and options. */
interface ListenOptions extends ServerOptions {
  /** Address or host name to bind; undefined binds loopback, over IPv4 and, if available, IPv6. */
  host?: string;
  /** The port; 0 for any free port. */
  port: number;
}

/** An open port, on one address or two. */
export interface Listener {
  /** The bound port. */
  port: number;
  /** The bound addresses, as numbers. */
  addresses: string[];
  /** `http` or `https`. */
  scheme: string;
  /**
   * Accepts no new requests and lets those in flight finish; resolves once everything is closed.
   * @param stopping Answers the requests that arrive while long bodies are still arriving; without it, those
   * bodies are aborted.
   */
  close(stopping?: Handler): Promise<void>;
}

/** The addresses bound if no host is given. */
export const LOOPBACK = ["127.0.0.1", "::1"];
/** Maximum number of attempts to find a port that is free on both addresses. */
const FREE_PORT_TRIES = 10;

/**
 * Opens a port for a server.
 * @returns The listener, already accepting connections.
 * @throws UsageError if the port is taken or cannot be bound, or the address does not belong to this machine.
 */
export function listen(options: ListenOptions): Listener {
  for (let tries = 1;; tries++) {
    try {
      return listenOnAll(options);
    } catch (error) {
      if (options.port === 0 && error instanceof Deno.errors.AddrInUse && tries < FREE_PORT_TRIES) continue;
      throw new UsageError(`${options.name}: ${cause(error, options)}`, { cause: error });
    }
  }
}

function listenOnAll(options: ListenOptions): Listener {
  const servers: ReopeningServer[] = [];
  let port = options.port;
  try {
    for (const hostname of options.host === undefined ? LOOPBACK : [options.host]) {
      try {
        servers.push(new ReopeningServer(options, hostname, port));
        port = servers[0].port;
      } catch (error) {
        if (servers.length && isMissingAddress(error)) continue; // a machine without IPv6
        throw error;
      }
    }
  } catch (error) {
    servers.forEach((server) => server.close());
    throw error;
  }
  return {
    port,
    addresses: servers.map(({ address }) => address),
    scheme: options.tls ? "https" : "http",
    async close(stopping) {
      await Promise.all(servers.map((server) => server.close(stopping)));
    },
  };
}

/** Whether binding failed because this machine does not have the address, such as ::1 without IPv6. */
export function isMissingAddress(error: unknown): boolean {
  return error instanceof Deno.errors.AddrNotAvailable ||
    error instanceof Error && /address family not supported/i.test(error.message);
}

/**
 * Whether an error means that the host name is unknown. Windows reports the error in the user's language; the
 * numbers are from winsock2.h, WSAHOST_NOT_FOUND to WSANO_DATA.
 */
function isUnknownName(error: unknown): boolean {
  return /lookup|resolve|name or service|invalid host|os error 1100[1-4]\b/i.test(String(error));
}

function cause(error: unknown, { port, host }: ListenOptions): string {
  if (error instanceof Deno.errors.AddrInUse) {
    return `port ${port} is taken by another program; choose another, or 0 for any free one`;
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return `this user may not bind port ${port}; choose one above 1023`;
  }
  if (isMissingAddress(error) || isUnknownName(error)) {
    const name = printable(host ?? "", 80);
    return `${name} is not an address of this machine; use one of its own, 0.0.0.0 or :: for all`;
  }
  return error instanceof Error ? error.message : String(error);
}

// The addresses at which a listener is reachable.

/** Whether a socket bound to `::` also accepts IPv4: on Windows it only accepts IPv6 (Win32, IPV6_V6ONLY). */
const TAKES_BOTH = Deno.build.os !== "windows";

/**
 * This machine's addresses that others can reach: neither loopback nor link-local IPv6, which needs a zone.
 */
export function ownAddresses(): string[] {
  return Deno.networkInterfaces()
    .map(({ address }) => address)
    .filter((address) => !isLoopbackAddress(address) && !/^fe80:/i.test(address));
}

/** Names and addresses under which other machines know this one, as in a Host header. */
function ownHosts(): string[] {
  const name = Deno.hostname().toLowerCase();
  return [...ownAddresses().map((address) => address.toLowerCase()), name, `${name}.local`];
}

/** Minimum interval between queries of the system's addresses, in milliseconds. */
const ASK_MS = 1000;

/** This machine's current names and addresses: networks come and go. */
export class OwnHosts {
  #known: Set<string>;
  #asked = performance.now();

  /** @param ask Queries the system. */
  constructor(readonly ask: () => string[] = ownHosts) {
    this.#known = new Set(ask());
  }

  /** Whether other machines know this one under a name or address, as in a Host header. */
  has(host: string): boolean {
    if (this.#known.has(host)) return true;
    const now = performance.now();
    if (now - this.#asked < ASK_MS) return false;
    this.#asked = now;
    this.#known = new Set(this.ask());
    return this.#known.has(host);
  }
}

/** Whether anything but loopback is bound. */
export function isBoundBeyondLoopback({ addresses }: Pick<Listener, "addresses">): boolean {
  return addresses.some((address) => !isLoopbackAddress(address));
}

/** The addresses at which a bound address is reachable, this machine's own first. */
function reachableAt(bound: string): string[] {
  const isIPv6 = (address: string) => address.includes(":");
  if (bound === "0.0.0.0") return ["127.0.0.1", ...ownAddresses().filter((address) => !isIPv6(address))];
  if (bound !== "::") return [bound];
  return TAKES_BOTH ? ["127.0.0.1", ...ownAddresses()] : ["::1", ...ownAddresses().filter(isIPv6)];
}

/**
 * A listener's URLs, the one for this machine first.
 * @returns Without a final slash, such as `http://127.0.0.1:4000`.
 */
export function urlsOf({ scheme, addresses, port }: Listener): string[] {
  return reachableAt(addresses[0]).map((address) => `${scheme}://${urlHost(address)}:${port}`);
}

/**
 * The URL at which a phone on the same network can reach a listener.
 * @returns Without a final slash; undefined if only this machine can reach the listener. Prefers the first
 * IPv4 address: the system lists networks before container bridges, and phones have IPv4 almost everywhere.
 */
export function phoneUrlOf({ scheme, addresses, port }: Pick<Listener, "scheme" | "addresses" | "port">) {
  const beyond = reachableAt(addresses[0]).filter((address) => !isLoopbackAddress(address));
  const address = beyond.find((address) => !address.includes(":")) ?? beyond[0];
  return address === undefined ? undefined : `${scheme}://${urlHost(address)}:${port}`;
}

/** Certificate chain and private key, in PEM format. */
export interface Tls {
  cert: string;
  key: string;
}

/**
 * Reads a certificate chain and its private key.
 * @param certFile
 * @param keyFile PEM files; both or neither.
 * @returns undefined if neither file is given.
 * @throws UsageError naming the file that cannot be read, is not PEM, or does not match the other file.
 */
export function readTls(certFile: string | undefined, keyFile: string | undefined): Tls | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new UsageError(
      `--cert and --key go together; ${certFile === undefined ? "--cert" : "--key"} is missing`,
    );
  }
  const { createPrivateKey, X509Certificate } = nodeModule("node:crypto");
  const cert = readFile("--cert", certFile), key = readFile("--key", keyFile);
  const certificate = parsed("--cert", certFile, "a PEM certificate", () => new X509Certificate(cert));
  const privateKey = parsed(
    "--key",
    keyFile,
    "a PEM private key without a passphrase",
    () => createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new UsageError(`--key ${keyFile} is not the key of the certificate in --cert ${certFile}`);
  }
  return { cert, key };
}

function readFile(option: string, file: string): string {
  try {
    return Deno.readTextFileSync(file);
  } catch (error) {
    throw new UsageError(`${option} ${file} cannot be read: ${describeFileError(error)}`, { cause: error });
  }
}

function parsed<T>(option: string, file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(`${option} ${file} does not contain ${what}`, { cause: error });
  }
}
