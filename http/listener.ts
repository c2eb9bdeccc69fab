/** Opens the ports that doors listen on. */

import { ChangedError, DesktopGoneError, UsageError } from "../errors.ts";
import type { Handler } from "./handler.ts";
import { withoutContent } from "./head.ts";
import { printable } from "./printable.ts";

/** Certificate chain and private key in PEM, for TLS. */
export interface Tls {
  cert: string;
  key: string;
}

/** Where and how to listen. */
export interface ListenOptions {
  /** What it is, for messages: `HTTP server`. */
  name: string;
  /** Address or host name to bind; undefined binds loopback, both IPv4 and, where there is one, IPv6. */
  host?: string;
  /** 0 for any free one. */
  port: number;
  tls?: Tls;
  handler: Handler;
  /** Gets what a handler let through, which is a bug. */
  report: (error: unknown) => void;
  /** Gets why an answer was broken off, which its client sees by the end of the connection alone. */
  notice: (text: string) => void;
}

/** A door that is open. */
export interface Listener {
  /** The port really bound. */
  port: number;
  /** The addresses bound, as numbers. */
  addresses: string[];
  /** `http` or `https`. */
  scheme: string;
  /** Takes no new requests and ends the ones there are; resolves when all is closed. */
  close(): Promise<void>;
}

/** What may happen to an answer that has begun, and is no bug. */
const BREAKS_OFF = [ChangedError, DesktopGoneError];
/** The addresses that are bound where none is named. */
export const LOOPBACK = ["127.0.0.1", "::1"];
/** How often a port that is free on the first address may turn out to be taken on the second. */
const FREE_PORT_TRIES = 10;

/**
 * Opens a door.
 * @throws UsageError if the port is taken, may not be bound, or the address is none of this machine's.
 */
export function listen(options: ListenOptions): Listener {
  hushAbortWarning();
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
  const servers: Deno.HttpServer<Deno.NetAddr>[] = [];
  let port = options.port;
  try {
    for (const hostname of options.host === undefined ? LOOPBACK : [options.host]) {
      try {
        servers.push(serve(options, hostname, port));
        port = servers[0].addr.port;
      } catch (error) {
        if (servers.length && isMissingAddress(error)) continue; // a machine without IPv6
        throw error;
      }
    }
  } catch (error) {
    servers.forEach((server) => server.shutdown());
    throw error;
  }
  return {
    port,
    addresses: servers.map((server) => server.addr.hostname),
    scheme: options.tls ? "https" : "http",
    async close() {
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };
}

function serve(options: ListenOptions, hostname: string, port: number): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({
    hostname,
    port,
    ...options.tls,
    onListen: () => {},
    onError: (error) => { // a body's errors too, when its answer has begun
      if (BREAKS_OFF.some((kind) => error instanceof kind)) {
        options.notice(`an answer was broken off: ${(error as Error).message}`);
      } else options.report(error);
      return new Response(null, { status: 500 });
    },
  }, withoutContent(options.handler));
}

let hushed = false;

/**
 * Keeps one warning of Deno 2.9 from the terminal: that a request's signal is aborted when its answer was sent, too.
 * Nothing here minds, and the way out that it names is closed to executables, whose base ignores the option.
 */
function hushAbortWarning() {
  if (hushed) return;
  hushed = true;
  const { warn } = console;
  console.warn = (...data: unknown[]) => {
    if (!`${data[0]}`.startsWith("Deno.serve: request.signal aborts")) warn(...data);
  };
}

/** Whether an address could not be bound because this machine has none such, as one without IPv6. */
export function isMissingAddress(error: unknown): boolean {
  return error instanceof Deno.errors.AddrNotAvailable ||
    error instanceof Error && /address family not supported/i.test(error.message);
}

/** Windows says it in its person's language, with the number of winsock2.h: WSAHOST_NOT_FOUND to WSANO_DATA. */
function isUnknownName(error: unknown): boolean {
  return /lookup|resolve|name or service|invalid host|os error 1100[1-4]\b/i.test(String(error));
}

function cause(error: unknown, { port, host }: ListenOptions): string {
  if (error instanceof Deno.errors.AddrInUse) {
    return `port ${port} is taken by another program; choose another, or 0 for any free one`;
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return `port ${port} may not be bound by this user; choose one above 1023`;
  }
  if (isMissingAddress(error) || isUnknownName(error)) {
    const name = printable(host ?? "", 80);
    return `${name} is no address of this machine; use one of its own, 0.0.0.0 or :: for all`;
  }
  return error instanceof Error ? error.message : String(error);
}
