/** Opens WebDriver. Loaded only on demand. */

import { createControlGuard } from "../control/http/access/rules.ts";
import { Links } from "../control/http/access/links.ts";
import type { Token } from "../control/http/access/token.ts";
import { ANY_PROGRAM } from "../control/http/webdriver/program.ts";
import { WebDriver } from "../control/http/webdriver/webdriver.ts";
import { errorResponse } from "../control/http/webdriver/errors.ts";
import { STOPPING, UsageError } from "../core/errors.ts";
import type { Lifetime } from "../core/lifetime.ts";
import { isBoundBeyondLoopback, urlsOf } from "../http/listener.ts";
import { counted, ServerTraffic } from "../http/traffic.ts";
import {
  type BoundServer,
  leavingOf,
  listenFor,
  pendingHandler,
  type ServerContext,
  warnOfPlaintext,
} from "./server.ts";

const SECOND_MS = 1000;

/**
 * Binds WebDriver's port.
 * @param lifetime Ends the sessions, with their programs, on exit.
 * @throws UsageError if a setting is invalid or the port is not available.
 */
export function bindWebDriver(
  port: number,
  token: Token,
  context: ServerContext,
  lifetime: Lifetime,
): BoundServer {
  const { settings, output, tls } = context, requests = new ServerTraffic("webdriver");
  const programs = listOf(settings.webdriverOpen), needsToken = settings.requireToken || token.given;
  const guard = createControlGuard({
    token: token.value,
    requireToken: needsToken,
    allowOrigins: settings.allowOrigin,
    allowHosts: settings.allowHost,
    tls: tls !== undefined,
    links: new Links(), // a link only opens the control API
    takesBasic: true,
  });
  const { handler, complete } = pendingHandler();
  context.traffic.push(requests);
  const routed = counted(handler, requests, () => "webdriver");
  const listener = listenFor("WebDriver server", "webdriver", port, routed, context);
  const isOpen = isBoundBeyondLoopback(listener), isAny = programs.includes(ANY_PROGRAM);
  if (isAny && isOpen && !needsToken) {
    throw new UsageError('--webdriver-open "*" beyond this machine needs --require-token or a token');
  }
  let driver: WebDriver | undefined;
  const about = () =>
    Promise.resolve(
      [`WebDriver server started on port ${listener.port}`, ...urlsOf(listener).map((url) => `  ${url}`)]
        .join("\n"),
    );
  return {
    about,
    async start(services) {
      const { runner } = services(), { report } = output;
      driver = new WebDriver({
        runner,
        guard,
        programs,
        hasLeft: leavingOf(listener.port),
        report,
        implicitMs: SECOND_MS * settings.webdriverWait,
      });
      lifetime.atEnd(() => driver?.abort());
      lifetime.beforeEnd(() => driver!.close());
      complete(driver.handler);
      output.result(await about());
      warnOfPlaintext(listener, "the token", context);
      if (isAny) output.notice("WebDriver callers can start any of this user's programs");
    },
    async drain() {
      const stopping = () => Promise.resolve(errorResponse("unknown error", STOPPING, { status: 503 }));
      const closed = listener.close(stopping);
      complete(stopping);
      driver?.stop();
      await closed;
    },
  };
}

/** The entries of a comma-separated list. @throws UsageError if one is empty. */
function listOf(text: string | undefined): string[] {
  const names = text?.split(",").map((entry) => entry.trim()) ?? [];
  if (names.every(Boolean)) return names;
  throw new UsageError("--webdriver-open takes program names, such as kcalc,mousepad, or *");
}
