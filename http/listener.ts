/** Opens the ports of the servers. */

import { UsageError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { ReopeningServer, type ServerOptions } from "./reopening_server.ts";

/** The address and the options of a listener. */
export interface ListenOptions extends ServerOptions {
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

/** Tells whether binding failed because this machine lacks the address, such as ::1 without IPv6. */
export function isMissingAddress(error: unknown): boolean {
  return error instanceof Deno.errors.AddrNotAvailable ||
    error instanceof Error && /address family not supported/i.test(error.message);
}

/**
 * Tells whether an error means that the host's name is unknown. Windows words the error in the user's language; the
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
    return `port ${port} may not be bound by this user; choose one above 1023`;
  }
  if (isMissingAddress(error) || isUnknownName(error)) {
    const name = printable(host ?? "", 80);
    return `${name} is no address of this machine; use one of its own, 0.0.0.0 or :: for all`;
  }
  return error instanceof Error ? error.message : String(error);
}
