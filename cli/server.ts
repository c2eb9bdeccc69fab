/** Shared parts of the servers: listening, logging, and QR codes for links. */

import type { ServerAbout } from "../control/prompt/command.ts";
import type { ServedFolder } from "../control/http/endpoint.ts";
import type { HasLeft } from "../control/http/request.ts";
import { NoDesktopError, UsageError } from "../core/errors.ts";
import { type Output, terminalColumns } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import { type Handler, trustedProxies, withCallers } from "../http/request.ts";
import {
  isBoundBeyondLoopback,
  listen,
  type Listener,
  phoneUrlOf,
  type Tls,
  urlsOf,
} from "../http/listener.ts";
import type { Peers } from "../ffi/linux/peer.ts";
import { type Log, logged as loggedAsText, loggedAsJson, logTls } from "../http/log.ts";
import type { ServerTraffic } from "../http/traffic.ts";
import type { Settings } from "./option_table.ts";
import type { Serving } from "./running.ts";
import type { DesktopServices } from "./services.ts";

/** The request loggers, by `--log-format`. */
const LOGGED = { text: loggedAsText, json: loggedAsJson } as const;

/** A server with a bound port and valid settings. Requests wait until the server starts. */
export interface BoundServer extends ServerAbout {
  /**
   * Prints where the server is and answers requests.
   * @param services Returns the services that endpoints need.
   * @throws The errors of `services`, if the server needs them.
   */
  start(services: () => DesktopServices): Promise<void>;
  /** The control API's address on this machine, without a final slash; undefined for other servers. */
  apiUrl?: string;
  /** The served folder, if it accepts uploads. */
  folder?: ServedFolder;
  /** Accepts no new requests; resolves once those in flight have been answered. */
  drain(): Promise<void>;
}

/** Parts of the program shared by the servers. */
export interface ServerContext {
  settings: Settings;
  output: Output;
  tls: Tls | undefined;
  log: Log | undefined;
  /** The requests of each open server. */
  traffic: ServerTraffic[];
}

/**
 * Binds a server's port.
 * @param name The server's name in messages.
 * @param label The server's name in the log.
 * @throws UsageError if the address or port is not available.
 */
export function listenFor(
  name: string,
  label: string,
  port: number,
  handler: Handler,
  { settings, output, tls, log }: ServerContext,
): Listener {
  const isTrusted = settings.trustProxy.length ? trustedProxies(settings.trustProxy) : undefined;
  const logged = (handler: Handler) => {
    const logging = log ? LOGGED[settings.logFormat](label, handler, log) : handler;
    return isTrusted ? withCallers(logging, isTrusted) : logging;
  };
  const listener = listen({
    name,
    host: settings.host,
    port,
    tls,
    handler: logged(handler),
    report: output.report,
    notice: output.notice,
  });
  if (log && tls) logTls(label, listener.port, log);
  return { ...listener, close: (stopping) => listener.close(stopping && logged(stopping)) };
}

/**
 * Warns if others on the network can read a secret that a listener's callers send.
 * @param secret Such as `the token`.
 */
export function warnOfPlaintext(listener: Listener, secret: string, { output, tls }: ServerContext): void {
  if (tls || !isBoundBeyondLoopback(listener)) return;
  output.notice(`without --cert and --key, others on the network can read ${secret}`);
}

/** A listener's address, for the records of running servers. */
export function servingOf(listener: Listener, { cert }: Pick<Settings, "cert">): Serving {
  const [url] = urlsOf(listener);
  return cert === undefined ? { url } : { url, cert: Deno.realPathSync(cert) };
}

/**
 * Parses an address behind a proxy.
 * @param option The option's name, for the error.
 * @returns The address without a final slash; undefined if the option is not given.
 * @throws UsageError if it is not an HTTP URL, or contains more than a host, a port and a path.
 */
export function publicUrlOf(option: "public-url" | "files-public-url", text?: string): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  if (isPlain) return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  throw new UsageError(
    `--${option} takes an address such as https://example.org/desk/, not ${
      JSON.stringify(printable(text, 80))
    }`,
  );
}

/**
 * Returns a function that asks the system whether a client has closed its connection to a port; its result is
 * undefined where the system does not report this.
 */
export function leavingOf(port: number): HasLeft | undefined {
  if (Deno.build.os !== "linux") return undefined;
  let peers: Promise<Peers | undefined> | undefined;
  return async (client) => {
    peers ??= import("../ffi/linux/peer.ts").then(({ Peers }) => new Peers(port));
    try {
      return await (await peers)?.hasClosed(client);
    } catch (error) {
      if (!(error instanceof NoDesktopError)) throw error;
      peers = Promise.resolve(undefined); // an unsupported C library
    }
  };
}

/**
 * The QR code of a link for a phone. Shown on a sufficiently wide terminal if other machines can reach the
 * listener or there is an address behind a proxy.
 * @param path The part of the link after the address.
 * @param publicUrl The address behind a proxy.
 * @returns Lines to print; an empty list otherwise.
 */
export async function qrLines(listener: Listener, path: string, publicUrl?: string): Promise<string[]> {
  const url = publicUrl ?? phoneUrlOf(listener), columns = terminalColumns();
  if (url === undefined || columns === undefined) return [];
  const { qrTerminal } = await import("../http/qr.ts");
  const code = await qrTerminal(`${url}${path}`, { color: !Deno.noColor, columns });
  return code === undefined ? [] : [`For a phone's camera, ${url}/`, code];
}

// Keeps requests waiting while a server's port is bound but its services are still being opened.

interface PendingHandler {
  /** Makes requests wait until {@linkcode complete} is called, and then passes them to the real handler. */
  handler: Handler;
  /** @param handler Answers the waiting requests and all later ones; a second call has no effect. */
  complete(handler: Handler): void;
}

/**
 * Creates a handler that is completed later.
 * @param early Given a handler that waits, returns the handler used before the completion; by default all
 * requests wait.
 */
export function pendingHandler(early = (waiting: Handler): Handler => waiting): PendingHandler {
  const { promise, resolve } = Promise.withResolvers<Handler>();
  let isComplete = false;
  let current = early(async (request, peer) => (await promise)(request, peer));
  return {
    handler: (request, peer) => current(request, peer),
    complete(handler) {
      if (isComplete) return;
      isComplete = true;
      current = handler;
      resolve(handler);
    },
  };
}
