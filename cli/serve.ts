/** Opens the doors that the command line asks for, and tells where they are. */

import type { Settings } from "./option_table.ts";
import { invitation, startMessage } from "../control/http/start_message.ts";
import { checkedHostName, createControlGuard } from "../control/http/access/guard.ts";
import { readToken } from "../control/http/access/token.ts";
import type { Services } from "../control/http/endpoint.ts";
import { ENDPOINTS } from "../control/http/endpoints.ts";
import { createControlHandler } from "../control/http/handler.ts";
import { isBoundBeyondLoopback, ownHosts, urlsOf } from "../http/addresses.ts";
import { createFilesGuard } from "../files/guard.ts";
import type { SecretPaths } from "../files/secrets.ts";
import type { Handler } from "../http/handler.ts";
import { listen, type Listener, type Tls } from "../http/listener.ts";
import { AttemptLimiter } from "../http/limiter.ts";
import { type Log, logged, openLog } from "../http/log.ts";
import { printable } from "../core/printable.ts";
import { readTls } from "../http/tls.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import { stateFolder } from "../core/state_dir.ts";

/**
 * Opens the doors.
 * @param services What the control door works with; asked for only if it is opened.
 * @param lifetime Gets what is to be done at the end.
 * @returns Whether any was opened.
 * @throws UsageError if a setting is wrong or a port cannot be had.
 */
export async function openDoors(
  settings: Settings,
  services: () => Services,
  output: Output,
  lifetime: Lifetime,
): Promise<boolean> {
  const doors = new Doors(settings, output, lifetime);
  if (settings.http !== undefined) doors.openControl(settings.http, services());
  if (settings.files !== undefined) await doors.openFiles(settings.files);
  return settings.http !== undefined || settings.files !== undefined;
}

class Doors {
  readonly #tls: Tls | undefined;
  readonly #log: Log | undefined;

  constructor(readonly settings: Settings, readonly output: Output, lifetime: Lifetime) {
    this.#tls = readTls(settings.cert, settings.key);
    if (settings.log === undefined) return;
    const log = this.#log = openLog(settings.log);
    lifetime.beforeEnd(() => log.flushed());
  }

  openControl(port: number, services: Services): void {
    const { settings, output } = this;
    const token = readToken(settings);
    const guard = createControlGuard({
      token: token.value,
      requireToken: settings.requireToken || token.given,
      allowOrigins: settings.allowOrigin,
      allowHosts: settings.allowHost,
      tls: this.#tls !== undefined,
    });
    const { readOnly } = settings;
    const handler = createControlHandler({
      endpoints: ENDPOINTS,
      services,
      readOnly,
      guard,
      report: output.report,
    });
    const listener = this.#listen("HTTP server", "control", port, handler);
    output.result(startMessage(listener.port, ENDPOINTS, readOnly));
    if (token.notice) output.notice(token.notice);
    // The token is a secret: it is shown where a person reads it, or where nobody could go without it.
    if (Deno.stdout.isTerminal() || isBoundBeyondLoopback(listener)) {
      output.result(invitation(urlsOf(listener), token.value));
    }
  }

  async openFiles(root: string): Promise<void> {
    const { settings, output } = this;
    // Loaded here: a start without files is the faster for it.
    const { createFilesHandler } = await import("../files/handler.ts");
    const guard = createFilesGuard({
      basic: settings.filesAuth,
      hosts: new Set([
        ...settings.allowHost.map(checkedHostName),
        ...(settings.host === undefined ? [] : ownHosts()),
      ]),
      tls: this.#tls !== undefined,
      limiter: new AttemptLimiter(),
    });
    const { index, noHidden, trustHtml } = settings;
    const secrets = secretPaths(settings);
    const handler = createFilesHandler({
      root,
      index,
      secrets,
      noHidden,
      trustHtml,
      guard,
      report: output.report,
    });
    const listener = this.#listen("File server", "files", settings.filesPort, handler);
    output.result(`File server started on port ${listener.port}`);
    output.result(`  ${printable(Deno.realPathSync(root))}`);
    for (const url of urlsOf(listener)) output.result(`  ${url}/`);
  }

  #listen(name: string, door: string, port: number, handler: Handler): Listener {
    return listen({
      name,
      host: this.settings.host,
      port,
      tls: this.#tls,
      handler: this.#log ? logged(door, handler, this.#log) : handler,
      report: this.output.report,
      notice: this.output.notice,
    });
  }
}

/** Where deskhand's secrets are with these settings. */
function secretPaths({ tokenFile, key, log }: Settings): SecretPaths {
  const files = [tokenFile, key, log === "-" ? undefined : log].filter((path) => path !== undefined);
  try {
    return { folder: stateFolder(), files };
  } catch {
    return { files }; // without a home folder there is no state folder
  }
}
