/** Opens the ports of the servers, with certificate and key for TLS, which are checked before a port is bound. */

import { describeFileError, ExpectedError, UsageError } from "../core/errors.ts";
import { nodeModule } from "../core/path.ts";
import { printable } from "../core/printable.ts";
import { isLoopbackAddress, urlHost } from "./host.ts";
import type { Handler } from "./request.ts";

// A server on one address that opens again when it has ended by itself.

/** The handler of a server, and the receivers of its messages. */
interface ServerOptions {
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
/**
 * A server on one address that opens again if Deno ends it.
 *
 * Deno's server (2.9.6) ends for good in two cases. accept(2) fails when the process has no descriptor left (EMFILE):
 * then `finished` rejects, and a client that opens many connections could close the server to all others. And a
 * handler upgrades a request but does not return the upgrade's answer: then `finished` resolves.
 */
class ReopeningServer {
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
        if (error instanceof ExpectedError) notice(`an answer was broken off: ${error.message}`);
        else report(error);
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

/** The address and the options of a listener. */
interface ListenOptions extends ServerOptions {
  /** Address or host name to bind; undefined binds loopback, both IPv4 and, where there is one, IPv6. */
  host?: string;
  /** The port; 0 takes any that is free. */
  port: number;
}

/** An open port, on one address or two. */
export interface Listener {
  /** The port bound. */
  port: number;
  /** The addresses bound, as numbers. */
  addresses: string[];
  /** `http` or `https`. */
  scheme: string;
  /** Takes no new requests and lets those finish that are under way; resolves when all is closed. */
  close(): Promise<void>;
}

/** The addresses that are bound if no host is given. */
export const LOOPBACK = ["127.0.0.1", "::1"];
/** The number of tries of another free port, if the port that is free on the first address is taken on the second. */
const FREE_PORT_TRIES = 10;

/**
 * Opens a port for a server.
 * @returns The listener, which takes connections already.
 * @throws UsageError if the port is taken or may not be bound, or the address is not one of this machine.
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
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Whether binding failed because this machine lacks the address, such as ::1 without IPv6. */
export function isMissingAddress(error: unknown): boolean {
  return error instanceof Deno.errors.AddrNotAvailable ||
    error instanceof Error && /address family not supported/i.test(error.message);
}

/**
 * Whether an error means that the host's name is unknown. Windows words the error in the user's language; the
 * numbers are of winsock2.h, WSAHOST_NOT_FOUND to WSANO_DATA.
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

// Addresses by which a listener can be reached.

/**
 * Whether a socket bound to `::` takes IPv4 too: on Windows such a socket takes only IPv6 (Win32, IPV6_V6ONLY).
 */
const TAKES_BOTH = Deno.build.os !== "windows";

/** This machine's addresses that others can reach: no loopback, and no link-local IPv6, which needs a zone. */
export function ownAddresses(): string[] {
  return Deno.networkInterfaces()
    .map(({ address }) => address)
    .filter((address) => !isLoopbackAddress(address) && !/^fe80:/i.test(address));
}

/** Names and addresses by which other machines know this one, as a Host header has them. */
function ownHosts(): string[] {
  const name = Deno.hostname().toLowerCase();
  return [...ownAddresses().map((address) => address.toLowerCase()), name, `${name}.local`];
}

/** The time between two questions to the system for its addresses, in milliseconds. */
const ASK_MS = 1000;

/** The names and addresses of this machine at the time of the question: networks come and go. */
export class OwnHosts {
  #known: Set<string>;
  #asked = performance.now();

  /** @param ask Asks the system. */
  constructor(readonly ask: () => string[] = ownHosts) {
    this.#known = new Set(ask());
  }

  /** Whether other machines know this one by a name or an address, as a Host header has it. */
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

/** The addresses by which a bound address can be reached, this machine's own first. */
function reachableAt(bound: string): string[] {
  const isIPv6 = (address: string) => address.includes(":");
  if (bound === "0.0.0.0") return ["127.0.0.1", ...ownAddresses().filter((address) => !isIPv6(address))];
  if (bound !== "::") return [bound];
  return TAKES_BOTH ? ["127.0.0.1", ...ownAddresses()] : ["::1", ...ownAddresses().filter(isIPv6)];
}

/**
 * The URLs of a listener, the URL for this machine first.
 * @returns Without a final slash, such as `http://127.0.0.1:4000`.
 */
export function urlsOf({ scheme, addresses, port }: Listener): string[] {
  return reachableAt(addresses[0]).map((address) => `${scheme}://${urlHost(address)}:${port}`);
}

/**
 * The URL of a listener to open on a phone in the same network.
 * @returns Without a final slash; undefined if only this machine can reach the listener. Of several addresses it is the
 *   first IPv4 one: the system lists networks before the bridges of containers, and phones have IPv4 nearly everywhere.
 */
export function phoneUrlOf({ scheme, addresses, port }: Pick<Listener, "scheme" | "addresses" | "port">) {
  const beyond = reachableAt(addresses[0]).filter((address) => !isLoopbackAddress(address));
  const address = beyond.find((address) => !address.includes(":")) ?? beyond[0];
  return address === undefined ? undefined : `${scheme}://${urlHost(address)}:${port}`;
}

/** Certificate chain and private key in PEM. */
export interface Tls {
  cert: string;
  key: string;
}

/**
 * Reads a certificate chain and its private key.
 * @param certFile
 * @param keyFile PEM files; both or neither.
 * @returns undefined if neither file is given.
 * @throws UsageError naming the file that cannot be read, is not PEM, or does not fit the other file.
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
