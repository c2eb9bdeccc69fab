/** The control door: a request comes in, the table says who answers it, and every answer has the same headers. */

import type { Guard, Handler } from "../../http/handler.ts";
import { targetOf } from "../../http/target.ts";
import { RequestError } from "../../http/request_error.ts";
import { errorAnswer, headersOf, json, ok, refusal } from "./responses.ts";
import { readJson } from "./request_body.ts";
import type { Answer, Endpoint, Services } from "./endpoint.ts";
import { parseFields, parseQuery } from "../schema.ts";
import { Router } from "./router.ts";

/** What the control door is made of. */
export interface ControlOptions {
  endpoints: readonly Endpoint[];
  services: Services;
  /** Whether only looking is allowed. */
  readOnly: boolean;
  /** Turns requests away before anything is looked at; see its module for the rules. */
  guard: Guard;
  /** Gets errors that are bugs, and that no client is told of. */
  report: (error: unknown) => void;
}

/** The longest target (path and query) that is looked at, in characters. */
const TARGET_LIMIT = 8192;

/**
 * Makes the handler of the control API.
 * @returns A handler that never throws.
 */
export function createControlHandler(
  { endpoints, services, readOnly, guard, report }: ControlOptions,
): Handler {
  const router = new Router(endpoints);
  const failed = (error: unknown) => errorAnswer(error, report);

  async function answerWithBody(
    row: Endpoint,
    query: string,
    request: Request,
    peer: Parameters<Handler>[1],
  ) {
    try {
      const body = parseFields(row.body!, await readJson(request));
      return answer(
        await row.handle({ query: parseQuery(row.query ?? {}, query), body, request, peer, services }),
      );
    } catch (error) {
      return failed(error);
    }
  }

  // HEAD is answered like GET: the listener takes the content off.
  return (request, peer) => {
    try {
      const { path, query } = targetOf(request.url);
      const refused = guard(request, peer);
      if (refused && !(refused.waivable && router.isPublic(request.method, path))) {
        return refusal(refused.status, refused.message, refused.headers);
      }
      if (request.method === "OPTIONS") return preflight(router.allowed(path));
      if (path.length + query.length > TARGET_LIMIT) {
        throw new RequestError(
          414,
          `the path and query are longer than the ${TARGET_LIMIT} characters allowed`,
        );
      }
      const row = router.find(request.method, path);
      if (readOnly && !row.readOnly) {
        throw new RequestError(403, "deskhand was started with --read-only: only looking is allowed");
      }
      if (row.body) return answerWithBody(row, query, request, peer);
      const answered = row.handle({
        query: parseQuery(row.query ?? {}, query),
        body: {},
        request,
        peer,
        services,
      });
      return answered instanceof Promise ? answered.then(answer).catch(failed) : answer(answered);
    } catch (error) {
      return failed(error);
    }
  };
}

/** RFC 9110 section 9.3.7, and the Fetch standard's CORS preflight. */
function preflight(allow: string): Response {
  const headers = headersOf("text/plain", {
    allow,
    "access-control-allow-methods": allow,
    "access-control-allow-headers": "Authorization, Content-Type",
    "access-control-max-age": "600",
  }).filter(([name]) => name !== "content-type");
  return new Response(null, { status: 204, headers });
}

function answer(answered: Answer): Response {
  if (answered === undefined) return ok();
  return answered instanceof Response ? answered : json(answered);
}
