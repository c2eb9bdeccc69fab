/** The handler of the control API: finds a request's endpoint in the table and converts errors to answers. */

import { ForbiddenError, STOPPING } from "../../core/errors.ts";
import { type Guard, type Handler, RequestError, targetOf } from "../../http/request.ts";
import { MCP_PATH } from "./access/rules.ts";
import { type Endpoint, linkRefusal, OK_TEXT, Router, type Services } from "./endpoint.ts";
import { HEALTH_ENDPOINT, READY_ENDPOINT } from "./endpoints.ts";
import { BODIES } from "./request.ts";
import { errorAnswer, headersOf, jsonText, refusal } from "./responses.ts";

/** The parts of the handler. */
interface ControlOptions {
  endpoints: readonly Endpoint[];
  services: Services;
  /** Rejects requests before anything else sees them; see `access/rules.ts`. */
  guard: Guard;
  /** Receives errors that are bugs, which clients do not see. */
  report: (error: unknown) => void;
}

/** Maximum length of the request target (path and query), in characters. */
const TARGET_LIMIT = 8192;

/**
 * Makes the handler of the control API.
 * @returns A handler that never throws.
 */
export function createControlHandler({ endpoints, services, guard, report }: ControlOptions): Handler {
  const router = new Router(endpoints);
  // HEAD is handled like GET: the listener removes the content.
  const handle: Handler = async (request, peer) => {
    let handled = request;
    try {
      const { path, query } = targetOf(request.url);
      const refused = guard(request, peer);
      if (refused && !(refused.waivable && router.isPublic(request.method, path))) {
        return refusal(refused.status, refused.message, refused.headers);
      }
      if (request.method === "OPTIONS") return preflight(path, router.allowed(path));
      if (path.length + query.length > TARGET_LIMIT) {
        const allowed = `the ${TARGET_LIMIT} characters allowed`;
        throw new RequestError(414, `the path and query are longer than ${allowed}`);
      }
      const row = router.find(request.method, path);
      services.runner.checkOpen(row);
      const link = services.links.of(request), reason = linkRefusal(link, row);
      if (reason !== undefined) throw new ForbiddenError(reason);
      if (!link) return await row.handle({ request, query, peer, services });
      // Answers that wait or stream end with the link. A handshake needs the original request object.
      if (!isHandshake(row)) {
        handled = new Request(request, { signal: AbortSignal.any([request.signal, link.signal]) });
      }
      return await row.handle({ request: handled, query, peer, services, link });
    } catch (error) {
      return errorAnswer(error, report);
    } finally {
      BODIES.release(handled);
    }
  };
  return (request, peer) => {
    const answer = handle(request, peer);
    return isPrinting(request) ? answer.then(endLine) : answer;
  };
}

/** Whether an endpoint answers with a WebSocket. */
function isHandshake({ answer }: Endpoint): boolean {
  return !Object.keys(answer).length;
}

/** Headers that pages may send. */
const ALLOWED_HEADERS = "Authorization, Content-Type";
const MCP_HEADERS = "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id";

/** Answers OPTIONS (RFC 9110 section 9.3.7), including the Fetch standard's CORS preflight. */
function preflight(path: string, allow: string): Response {
  const headers = headersOf("text/plain", {
    allow,
    "access-control-allow-methods": allow,
    "access-control-allow-headers": path === MCP_PATH
      ? `${ALLOWED_HEADERS}, ${MCP_HEADERS}`
      : ALLOWED_HEADERS,
    "access-control-max-age": "600",
  }).filter(([name]) => name !== "content-type");
  return new Response(null, { status: 204, headers });
}

/** User-Agent prefixes of programs that print an answer as it arrives. */
const PRINTING = /^(?:curl|Wget|HTTPie|xh)\//;

/** Whether the client is a program that prints answers, usually on a terminal. */
function isPrinting(request: Request): boolean {
  return PRINTING.test(request.headers.get("user-agent") ?? "");
}

/**
 * Ends a JSON answer with a line feed, so that the next shell prompt starts on its own line. To parsers the
 * line feed is white space (RFC 8259 section 2).
 * @param response Its content is in memory. An answer with a Content-Length, an encoding or a file name is
 * left unchanged.
 */
async function endLine(response: Response): Promise<Response> {
  const { headers, status } = response;
  const isJson = headers.get("content-type") === "application/json" && response.body !== null;
  const isFixed = ["content-length", "content-encoding", "content-disposition"].some((name) =>
    headers.has(name)
  );
  return isJson && !isFixed ? new Response(`${await response.text()}\n`, { status, headers }) : response;
}

// The control API's answers before its desktop is open.

/**
 * Makes a handler for the time before the desktop is open: it reports a healthy process that is not ready.
 * @param guard The control API's guard.
 * @param others Answers all other requests.
 */
export function startingHandler(guard: Guard, others: Handler): Handler {
  return (request, peer) => {
    const { path } = targetOf(request.url), isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || path !== HEALTH_ENDPOINT.path && path !== READY_ENDPOINT.path) {
      return others(request, peer);
    }
    const refused = guard(request, peer);
    const answer = () => {
      if (refused && !refused.waivable) return refusal(refused.status, refused.message, refused.headers);
      return path === HEALTH_ENDPOINT.path ? jsonText(OK_TEXT) : refusal(503, "the desktop is not open yet");
    };
    return Promise.resolve(answer());
  };
}

/** Answers requests that arrive while the program is stopping. */
export const stoppingHandler: Handler = () => Promise.resolve(refusal(503, STOPPING));
