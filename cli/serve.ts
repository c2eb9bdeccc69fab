/** Opens the servers that the command line asks for, and prints where they are. */

import { checkedHostName, createControlGuard } from "../control/http/access/guard.ts";
import { readToken } from "../control/http/access/token.ts";
import { ENDPOINTS, LISTED_ENDPOINTS } from "../control/http/endpoints.ts";
import { createControlHandler } from "../control/http/handler.ts";
import { startingHandler, stoppingHandler } from "../control/http/starting.ts";
import { invitation, startMessage } from "../control/http/start_message.ts";
import { UsageError } from "../core/errors.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import { stateFolder } from "../core/state_dir.ts";
import type { SecretPaths } from "../files/secrets.ts";
import { suppressAbortWarning } from "../http/abort_warning.ts";
import { isBoundBeyondLoopback, ownHosts, phoneUrlOf, urlsOf } from "../http/addresses.ts";
import type { Handler } from "../http/handler.ts";
import { AttemptLimiter } from "../http/limiter.ts";
import { listen, type Listener } from "../http/listener.ts";
import { loggedAsJson } from "../http/json_log.ts";
import { type Log, logged, logTls, openLog } from "../http/log.ts";
import { readTls, type Tls } from "../http/tls.ts";
import { counted, OTHER, ServerTraffic } from "../http/traffic.ts";
import type { Settings } from "./option_table.ts";
import { pendingHandler } from "./pending_handler.ts";
import type { DesktopServices } from "./services.ts";

/** How requests are logged, by `--log-format`. */
const LOGGED = { text: logged, json: loggedAsJson } as const;

/** A server whose port is bound and whose settings are right. Requests wait until it starts. */
export interface BoundServer {
  /**
   * Prints where the server is and answers requests.
   * @param services Returns what endpoints work with.
   * @throws What `services` throws, if the server needs them.
   */
  start(services: () => DesktopServices): Promise<void>;
  /** Takes no new requests; resolves when those that are under way have been answered. */
  drain(): Promise<void>;
}

/** What both servers are opened with. */
interface Context {
  settings: Settings;
  output: Output;
  tls: Tls | undefined;
  log: Log | undefined;
  /** Requests of every server that is opened. */
  traffic: ServerTraffic[];
}

/**
 * Binds the ports of the servers that are asked for.
 * @param lifetime Waits for the log at the end.
 * @throws UsageError if a setting is wrong or a port is not available.
 */
export async function bindServers(
  settings: Settings,
  output: Output,
  lifetime: Lifetime,
): Promise<BoundServer[]> {
  suppressAbortWarning();
  const tls = readTls(settings.cert, settings.key);
  const log = settings.log === undefined ? undefined : openLog(settings.log);
  if (log) lifetime.beforeEnd(() => log.flushed());
  const context = { settings, output, tls, log, traffic: [] };
  return [
    ...settings.http === undefined ? [] : [bindControl(settings.http, context)],
    ...settings.files === undefined ? [] : [await bindFiles(settings.files, context)],
  ];
}

function bindControl(port: number, context: Context): BoundServer {
  const { settings, output, tls } = context;
  const { allowOrigin, allowHost } = settings;
  const token = readToken(settings);
  const guard = createControlGuard({
    token: token.value,
    requireToken: settings.requireToken || token.given,
    allowOrigins: allowOrigin,
    allowHosts: allowHost,
    tls: tls !== undefined,
  });
  const { handler, complete } = pendingHandler((waiting) => startingHandler(guard, waiting));
  const requests = new ServerTraffic("control"), paths = new Set(ENDPOINTS.map(({ path }) => path));
  context.traffic.push(requests);
  const routed = counted(handler, requests, (path) => paths.has(path) ? path : OTHER);
  const listener = listenFor("HTTP server", "control", port, routed, context);
  let opened: DesktopServices | undefined;
  return {
    async start(services) {
      opened = services();
      const { runner } = opened, { report } = output;
      const all = { ...opened, traffic: context.traffic };
      complete(createControlHandler({ endpoints: ENDPOINTS, services: all, guard, report }));
      output.result(startMessage(listener.port, LISTED_ENDPOINTS.filter((row) => runner.isOpen(row))));
      if (token.notice) output.notice(token.notice);
      // The token is a secret: it is printed only on a terminal, and where every caller from outside needs it.
      if (Deno.stdout.isTerminal() || isBoundBeyondLoopback(listener)) {
        output.result(invitation(urlsOf(listener), token.value));
      }
      await printQr(listener, `/#token=${token.value}`, output);
    },
    async drain() {
      const closed = listener.close();
      complete(stoppingHandler); // for requests that still wait for the desktop
      opened?.live.close();
      opened?.events.close();
      await closed;
    },
  };
}

async function bindFiles(root: string, context: Context): Promise<BoundServer> {
  const { settings, output, tls } = context;
  // A start without files need not load them.
  const [{ createFilesHandler }, { createFilesGuard }, { exposureNotice }] = await Promise.all([
    import("../files/handler.ts"),
    import("../files/guard.ts"),
    import("../files/exposure.ts"),
  ]);
  const guard = createFilesGuard({
    basic: settings.filesAuth,
    hosts: new Set([
      ...settings.allowHost.map(checkedHostName),
      ...(settings.host === undefined ? [] : ownHosts()),
    ]),
    tls: tls !== undefined,
    cors: settings.filesCors,
    limiter: new AttemptLimiter(),
  });
  const { index, noHidden, filesCors, trustHtml, filesPort } = settings;
  const uploads = settings.allowUpload ? await uploadOptions(settings) : undefined;
  const requests = new ServerTraffic("files");
  context.traffic.push(requests);
  const handler = createFilesHandler({
    root,
    index,
    secrets: secretPaths(settings),
    noHidden,
    cors: filesCors,
    trustHtml,
    uploads,
    guard,
    sent: (bytes) => requests.sentBytes += bytes,
    report: output.report,
  });
  // What is served has no routes: every path is a file of the user's.
  const routed = counted(handler, requests, () => "files");
  const listener = listenFor("File server", "files", filesPort, routed, context);
  const real = Deno.realPathSync(root);
  const home = Deno.env.get(Deno.build.os === "windows" ? "USERPROFILE" : "HOME");
  const exposure = noHidden ? undefined : exposureNotice(real, home);
  return {
    async start() {
      output.result(`File server started on port ${listener.port}`);
      output.result(`  ${printable(real)}`);
      for (const url of urlsOf(listener)) output.result(`  ${url}/`);
      if (exposure !== undefined) output.notice(exposure);
      if (uploads && !uploads.hasPassword && isBoundBeyondLoopback(listener)) {
        output.notice(
          "files are taken from this machine alone: --files-auth USER:PASSWORD lets others upload",
        );
      }
      await printQr(listener, "/", output);
    },
    drain: () => listener.close(),
  };
}

/** @throws UsageError if the options contradict each other or the limit is no size. */
async function uploadOptions({ readOnly, allowOverwrite, uploadLimit, filesAuth }: Settings) {
  if (readOnly) throw new UsageError("--read-only and --allow-upload contradict each other");
  const { parseSize } = await import("../files/upload/size.ts");
  return {
    overwrite: allowOverwrite,
    limit: parseSize(uploadLimit, "--upload-limit"),
    hasPassword: filesAuth !== undefined,
  };
}

/**
 * Prints the QR code of a link for a phone: on a terminal that is wide enough, if other machines reach the listener.
 * @param path What stands behind the address in the link.
 */
async function printQr(listener: Listener, path: string, output: Output): Promise<void> {
  const url = phoneUrlOf(listener);
  if (url === undefined || !Deno.stdout.isTerminal()) return;
  const { qrTerminal } = await import("../http/qr.ts");
  const { columns } = Deno.consoleSize();
  const code = await qrTerminal(`${url}${path}`, { color: !Deno.noColor, columns });
  if (code !== undefined) output.result(`For a phone's camera, ${url}/\n${code}`);
}

/**
 * @param name What messages call the server.
 * @param label What the log calls it.
 */
function listenFor(
  name: string,
  label: string,
  port: number,
  handler: Handler,
  { settings, output, tls, log }: Context,
): Listener {
  const listener = listen({
    name,
    host: settings.host,
    port,
    tls,
    handler: log ? LOGGED[settings.logFormat](label, handler, log) : handler,
    report: output.report,
    notice: output.notice,
  });
  if (log && tls) logTls(label, listener.port, log);
  return listener;
}

/** The paths of deskhand's secrets with these settings. */
function secretPaths({ tokenFile, key, log }: Settings): SecretPaths {
  const files = [tokenFile, key, log === "-" ? undefined : log].filter((path) => path !== undefined);
  try {
    return { folder: stateFolder(), files };
  } catch {
    return { files }; // without a home folder there is no state folder
  }
}
