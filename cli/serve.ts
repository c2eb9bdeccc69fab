/**
 * Opens the requested servers: the control API here, WebDriver in `serve_webdriver.ts`, VNC in
 * `serve_vnc.ts`, the file server in `serve_files.ts`.
 */

import { Links } from "../control/http/access/links.ts";
import { createControlGuard } from "../control/http/access/rules.ts";
import { readToken, type Token } from "../control/http/access/token.ts";
import type { Endpoint, ServedFolder } from "../control/http/endpoint.ts";
import {
  endpointList,
  ENDPOINTS,
  invitation,
  LISTED_ENDPOINTS,
  startMessage,
} from "../control/http/endpoints.ts";
import { createControlHandler, startingHandler, stoppingHandler } from "../control/http/handler.ts";
import type { Lifetime } from "../core/lifetime.ts";
import { type Output, queueOutput, terminalColumns } from "../core/output.ts";
import { notifyServiceManager } from "../core/service_manager.ts";
import { isBoundBeyondLoopback, type Listener, readTls, urlsOf } from "../http/listener.ts";
import { LineQueue, openLog } from "../http/log.ts";
import { counted, OTHER, ServerTraffic } from "../http/traffic.ts";
import type { Settings } from "./option_table.ts";
import { noteRunning, sessionOf } from "./running.ts";
import {
  type BoundServer,
  leavingOf,
  listenFor,
  pendingHandler,
  publicUrlOf,
  qrLines,
  type ServerContext,
  servingOf,
  warnOfPlaintext,
} from "./server.ts";
import type { PageServices } from "./page.ts";
import type { DesktopServices } from "./services.ts";

/**
 * Binds the ports of the requested servers.
 * @param lifetime Waits for the log before the exit.
 * @throws UsageError if a setting is invalid or a port is not available.
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
  const context = { settings, output: startOutput(settings, output), tls, log, traffic: [] };
  const folder: { taking?: ServedFolder } = {}; // bound after the control API, whose port comes first
  const { http, webdriver, vnc, files } = settings, servers: BoundServer[] = [], links = new Links();
  const needsToken = [http, webdriver, vnc].some((port) => port !== undefined);
  if (!needsToken && files === undefined) return servers;
  const token = needsToken ? readToken(settings) : undefined;
  if (http !== undefined) servers.push(bindControl(http, token!, context, folder, lifetime, links));
  if (webdriver !== undefined) {
    const { bindWebDriver } = await import("./serve_webdriver.ts");
    servers.push(bindWebDriver(webdriver, token!, context, lifetime));
  }
  if (vnc !== undefined) {
    servers.push(await (await import("./serve_vnc.ts")).bindVnc(vnc, token!, context, links));
  }
  if (files !== undefined) {
    const server = (await import("./serve_files.ts")).bindFiles(files, context, lifetime);
    if (server.folder) folder.taking = server.folder;
    servers.push(server);
  }
  return servers;
}

/**
 * @param folder Receives the served folder, if it accepts uploads, before the server starts.
 * @param links The guest links created by callers.
 */
function bindControl(
  port: number,
  token: Token,
  context: ServerContext,
  folder: { taking?: ServedFolder },
  lifetime: Lifetime,
  links: Links,
): BoundServer {
  const { settings, output, tls } = context;
  const { allowOrigin, allowHost } = settings;
  const publicUrl = publicUrlOf("public-url", settings.publicUrl);
  // A proxy that adds no header looks like a script on this machine.
  const needsToken = settings.requireToken || token.given || publicUrl !== undefined;
  const guard = createControlGuard({
    token: token.value,
    requireToken: needsToken,
    allowOrigins: allowOrigin,
    allowHosts: allowHost,
    tls: tls !== undefined,
    links,
  });
  const { handler, complete } = pendingHandler((waiting) => startingHandler(guard, waiting));
  const requests = new ServerTraffic("control");
  // All of the page's files count as one route.
  const routes = new Map(ENDPOINTS.map((row) => [`${row.method} ${row.path}`, row.part ? "page" : row.path]));
  context.traffic.push(requests);
  const routed = counted(handler, requests, (method, path) => routes.get(`${method} ${path}`) ?? OTHER);
  const listener = listenFor("HTTP server", "control", port, routed, context);
  let opened: DesktopServices & PageServices | undefined;
  const open = () => LISTED_ENDPOINTS.filter((row) => opened!.runner.isOpen(row));
  const about = () => describeControl({ listener, publicUrl }, open(), token.value, needsToken);
  return {
    about,
    apiUrl: urlsOf(listener)[0],
    calls: () => endpointList(open(), terminalColumns()),
    async start(services) {
      const desk = services();
      opened = { ...desk, ...desk.page! };
      const { report } = output;
      const hasLeft = leavingOf(listener.port);
      const urls = publicUrl === undefined ? urlsOf(listener) : [publicUrl],
        all = { ...opened, traffic: context.traffic, hasLeft, links, urls, folder: folder.taking };
      complete(createControlHandler({ endpoints: ENDPOINTS, services: all, guard, report }));
      output.result(await about());
      warnOfPlaintext(listener, "the token, and all that the desktop shows", context);
      if (token.notice) output.notice(token.notice);
      const { kind } = opened.runner.operator.desktop, { readOnly } = settings;
      const running = { ...servingOf(listener, settings), hasKeptToken: !token.given, kind, readOnly };
      lifetime.atEnd(noteRunning({ ...running, session: sessionOf() }));
    },
    async drain() {
      const closed = listener.close(stoppingHandler);
      complete(stoppingHandler); // answers requests still waiting for the desktop
      opened?.runner.endWaits();
      opened?.live.close();
      opened?.events.close();
      await closed;
    },
  };
}

/**
 * The output that start messages go to: standard error if standard output is a log in JSON, since the programs
 * that collect it expect one object per line.
 */
function startOutput({ log, logFormat }: Settings, output: Output): Output {
  const isJson = log === "-" && logFormat === "json" && !Deno.stdout.isTerminal();
  return isJson ? { ...output, result: output.notice } : output;
}

/** Describes a control API for the user: its endpoints, how to call it, and its QR code. */
async function describeControl(
  { listener, publicUrl }: { listener: Listener; publicUrl?: string },
  endpoints: readonly Endpoint[],
  token: string,
  needsToken: boolean,
): Promise<string> {
  const lines = [startMessage(listener.port, endpoints, terminalColumns())];
  const isOpen = isBoundBeyondLoopback(listener),
    urls = publicUrl === undefined ? urlsOf(listener) : [publicUrl];
  // The token is a secret: it is printed only on a terminal, or if all outside callers need it.
  if (Deno.stdout.isTerminal() || isOpen) {
    lines.push(invitation({ urls, token, needsToken, isOpen }));
  }
  return [...lines, ...await qrLines(listener, `/#token=${token}`, publicUrl)].join("\n");
}

/**
 * Suppresses a warning of Deno 2.9 that a request's signal is also aborted after its response was sent. No
 * handler depends on that. The flag named in the warning (`--unstable-no-legacy-abort`) has no effect in
 * executables, whose runtime sets it to false (cli/rt/run.rs), and Deno.serve has no option for it. Called
 * once, at startup.
 */
function suppressAbortWarning(): void {
  const { warn } = console;
  console.warn = (...data: unknown[]) => {
    if (!`${data[0]}`.startsWith("Deno.serve: request.signal aborts")) warn(...data);
  };
}

/**
 * Queues the output, because from now on the program serves. On a terminal, results and notices share a queue
 * to preserve their order.
 */
export function queueOutputOf(lifetime: Lifetime): void {
  const queueOf = (stream: typeof Deno.stdout | typeof Deno.stderr) =>
    new LineQueue(
      (bytes) => stream.write(bytes),
      undefined,
      (count) => `deskhand: ${count} lines were left out: nothing read them`,
    );
  const stdout = queueOf(Deno.stdout);
  const isShared = Deno.stdout.isTerminal() && Deno.stderr.isTerminal();
  const stderr = isShared ? stdout : queueOf(Deno.stderr);
  queueOutput({ stdout: (text) => stdout.addText(text), stderr: (text) => stderr.addText(text) });
  for (const queue of new Set([stdout, stderr])) {
    lifetime.lastly(() => queue.isEmpty ? undefined : queue.flushed());
  }
}

/** Tells a service manager that the servers are ready, and later that they are stopping. */
export function announce(lifetime: Lifetime): void {
  notifyServiceManager("READY=1");
  lifetime.atTerm(() => {
    notifyServiceManager("STOPPING=1");
    return Promise.resolve();
  });
}
