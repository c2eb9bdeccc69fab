/** Parts of both servers: how they listen, where they log, and the QR code of their links. */

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
import { type Log, logged, loggedAsJson, logTls } from "../http/log.ts";
import type { ServerTraffic } from "../http/traffic.ts";
import type { Settings } from "./option_table.ts";
import type { Serving } from "./running.ts";
import type { DesktopServices } from "./services.ts";

/** The functions that log requests, by `--log-format`. */
const LOGGED = { text: logged, json: loggedAsJson } as const;

/** A server whose port is bound and whose settings are right. Requests wait until the server starts. */
export interface BoundServer extends ServerAbout {
  /**
   * Prints where the server is and answers requests.
   * @param services Returns the services that endpoints need.
   * @throws The errors of `services`, if the server needs them.
   */
  start(services: () => DesktopServices): Promise<void>;
  /** The address of the control API for this machine, without a final slash; undefined for other servers. */
  apiUrl?: string;
  /** The served folder, where it takes files. */
  folder?: ServedFolder;
  /** Takes no new requests; resolves when those that are under way have been answered. */
  drain(): Promise<void>;
}

/** Parts of the program that both servers use. */
export interface ServerContext {
  settings: Settings;
  output: Output;
  tls: Tls | undefined;
  log: Log | undefined;
  /** Requests of every server that is opened. */
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
  const logging = log ? LOGGED[settings.logFormat](label, handler, log) : handler;
  const listener = listen({
    name,
    host: settings.host,
    port,
    tls,
    handler: isTrusted ? withCallers(logging, isTrusted) : logging,
    report: output.report,
    notice: output.notice,
  });
  if (log && tls) logTls(label, listener.port, log);
  return listener;
}

/**
 * Warns if others on the network can read a secret that callers of a listener send.
 * @param secret Such as `the token`.
 */
export function warnOfPlaintext(listener: Listener, secret: string, { output, tls }: ServerContext): void {
  if (tls || !isBoundBeyondLoopback(listener)) return;
  output.notice(`without --cert and --key, others on the network can read ${secret}`);
}

/** The address of a listener, as records of running servers have it. */
export function servingOf(listener: Listener, { cert }: Pick<Settings, "cert">): Serving {
  const [url] = urlsOf(listener);
  return cert === undefined ? { url } : { url, cert: Deno.realPathSync(cert) };
}

/**
 * Reads an address behind a proxy.
 * @param option The option's name, for the error.
 * @returns The address without a final slash; undefined if the option is not given.
 * @throws UsageError if it is no URL of HTTP, or has more than a host, a port and a path.
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
 * Makes the function that asks the system whether a client has closed its connection to a port; the function returns
 * undefined where the system does not tell.
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
      peers = Promise.resolve(undefined); // no C library that deskhand knows
    }
  };
}

/**
 * The QR code of a link for a phone. It is shown on a terminal of sufficient width, if other machines reach the
 * listener or there is an address behind a proxy.
 * @param path The part of the link behind the address.
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
  /** Lets requests wait until {@linkcode complete} is called, and then passes them to the real handler. */
  handler: Handler;
  /** @param handler Answers the requests that wait and all that follow; a second call has no effect. */
  complete(handler: Handler): void;
}

/**
 * Makes a handler that is completed later.
 * @param early Makes the handler that answers before the completion, out of a handler that waits; all requests wait if
 * left out.
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
