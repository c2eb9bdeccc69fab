/** The handler of the control API: it finds a request's endpoint in the table and turns errors into answers. */

import type { Guard, Handler } from "../../http/handler.ts";
import { RequestError } from "../../http/request_error.ts";
import { targetOf } from "../../http/target.ts";
import { MCP_PATH } from "./access/rules.ts";
import { BODIES } from "./body_budget.ts";
import type { Endpoint, Services } from "./endpoint.ts";
import { endLine, isPrinting } from "./line_end.ts";
import { errorAnswer, headersOf, refusal } from "./responses.ts";
import { Router } from "./router.ts";

/** Parts of the handler. */
export interface ControlOptions {
  endpoints: readonly Endpoint[];
  services: Services;
  /** Refuses requests before anything else looks at them; see `access/rules.ts`. */
  guard: Guard;
  /** Gets errors that are bugs, which clients do not see. */
  report: (error: unknown) => void;
}

/** The longest target (path and query) that is read, in characters. */
const TARGET_LIMIT = 8192;

/**
 * Makes the handler of the control API.
 * @returns A handler that never throws.
 */
export function createControlHandler({ endpoints, services, guard, report }: ControlOptions): Handler {
  const router = new Router(endpoints);
  // HEAD is answered like GET: the listener removes the content.
  const handle: Handler = async (request, peer) => {
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
      return await row.handle({ request, query, peer, services });
    } catch (error) {
      return errorAnswer(error, report);
    } finally {
      BODIES.release(request);
    }
  };
  return (request, peer) => {
    const answer = handle(request, peer);
    return isPrinting(request) ? Promise.resolve(answer).then(endLine) : answer;
  };
}

/** Headers that pages may send. */
const ALLOWED_HEADERS = "Authorization, Content-Type";
/** The headers of MCP's transport. */
const MCP_HEADERS = "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id";

/** RFC 9110 section 9.3.7, and the Fetch standard's CORS preflight. */
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
