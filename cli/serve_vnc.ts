/** Opens the VNC server. Loaded only on demand. */

import type { Links } from "../control/http/access/links.ts";
import type { Token } from "../control/http/access/token.ts";
import type { Door } from "../control/rfb/handshake.ts";
import { type RfbConnection, RfbServer } from "../control/rfb/server.ts";
import { UsageError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { isLoopbackAddress, urlHost } from "../http/host.ts";
import { LOOPBACK } from "../http/listener.ts";
import { AttemptLimiter, secretComparer } from "../http/secret.ts";
import type { Settings } from "./option_table.ts";
import type { BoundServer, ServerContext } from "./server.ts";
import { readPasswordFile } from "./vnc_desktop.ts";

/** Characters that all VNC viewers send alike, and the number of characters that VncAuth uses. */
const VNC_PASSWORD = /^[\x21-\x7e]{6,8}$/;

/**
 * Binds the VNC server's port.
 * @param links The control API's guest links, whose tokens admit viewers.
 * @throws UsageError if a setting is invalid or the port is not available.
 */
export async function bindVnc(
  port: number,
  token: Token,
  { settings, output, tls, log }: ServerContext,
  links: Links,
): Promise<BoundServer> {
  const isBeyond = settings.host !== undefined && !isLocal(settings.host);
  if (isBeyond && !tls) {
    throw new UsageError(
      "--vnc needs --cert and --key to accept connections from other machines; without --host, they can connect through " +
        "ssh -L 5900:localhost:5900",
    );
  }
  const password = vncPassword(settings), limiter = new AttemptLimiter();
  const needsSecret = isBeyond || settings.requireToken || token.given || password !== undefined;
  const isToken = secretComparer(token.value),
    isPassword = password === undefined || isBeyond ? () => false : secretComparer(password);
  const door: Door = {
    isOpen: !needsSecret,
    ...isBeyond ? {} : { password },
    ...needsSecret ? { tls } : {},
    // A password may be guessed, a token may not: a correct token is accepted even after too many wrong ones.
    check(secret, mayGuess) {
      if (isToken(secret) || mayGuess && isPassword(secret)) return "owner";
      return links.byToken(secret);
    },
    wait: (address) => limiter.wait(address),
    failed: (address) => limiter.failed(address),
    forgive: (address) => limiter.forgive(address),
  };
  const server = new RfbServer({
    door,
    report: output.report,
    ended: (one) => log?.add(logLine(one, settings)),
  });
  const bound = await listenOn(server, settings.host, port);
  const lines = [
    `VNC server started on port ${bound.port}`,
    ...bound.hosts.map((host) => `  vnc://${urlHost(host)}:${bound.port}`),
  ];
  const about = () => Promise.resolve(lines.join("\n"));
  return {
    about,
    async start(services) {
      server.start(services().runner);
      output.result(await about());
      if (isBeyond && password !== undefined) {
        output.notice(
          "the VNC password works on this machine only; other machines use the token, over TLS",
        );
      }
    },
    drain() {
      server.close();
      return Promise.resolve();
    },
  };
}

function isLocal(host: string): boolean {
  return host === "localhost" || isLoopbackAddress(host);
}

/**
 * Reads VncAuth's password.
 * @throws UsageError if it is unreadable, or viewers could not send it.
 */
function vncPassword({ vncPasswordFile: file }: Settings): string | undefined {
  const text = file === undefined
    ? Deno.env.get("DESKHAND_VNC_PASSWORD")
    : readPasswordFile("--vnc-password-file", file);
  if (text === undefined) return undefined;
  if (!VNC_PASSWORD.test(text)) {
    throw new UsageError(
      "a VNC password must have 6 to 8 ASCII characters and no spaces: viewers send at most 8",
    );
  }
  return text;
}

/** Binds the address of `--host`, or loopback over IPv4 and, if available, IPv6. */
async function listenOn(server: RfbServer, host: string | undefined, port: number) {
  const hosts: string[] = [];
  for (const address of host === undefined ? LOOPBACK : [host]) {
    try {
      port = await server.listen(address, port);
      hosts.push(address);
    } catch (error) {
      const { code = "", message } = error as Error & { code?: string };
      if (hosts.length && MISSING.includes(code)) continue; // a machine without IPv6
      server.close();
      throw new UsageError(`VNC server: ${CAUSES[code]?.(port) ?? message}`, { cause: error });
    }
  }
  return { port, hosts };
}

/** Errors for an address that this machine does not have. */
const MISSING = ["EADDRNOTAVAIL", "EAFNOSUPPORT"];
/** Messages for system errors. */
const CAUSES: Readonly<Record<string, (port: number) => string>> = {
  EADDRINUSE: (port) => `port ${port} is taken by another program; choose another, or 0 for any free one`,
  EACCES: (port) => `this user may not bind port ${port}; choose one above 1023`,
};

/** The log line of a connection; it contains no secrets. */
function logLine(
  { peer, name, way, end, pictures, ms }: RfbConnection,
  { logFormat }: Pick<Settings, "logFormat">,
): string {
  const time = new Date().toISOString(), why = printable(end, 200), who = printable(name, 80);
  if (logFormat === "json") {
    return JSON.stringify({
      time,
      server: "vnc",
      peer,
      name: who,
      way,
      end: why,
      pictures,
      ms: Math.round(ms),
    });
  }
  const seconds = (ms / 1000).toFixed(1),
    what = way === undefined ? "refused" : `${way} ${who || "-"} ${pictures} pictures`;
  return `${time} vnc ${peer} ${what} ${seconds}s: ${why}`;
}
