/** Answers of the control API until its desktop is open. */

import type { Guard, Handler } from "../../http/handler.ts";
import { targetOf } from "../../http/target.ts";
import { OK_TEXT } from "./endpoint.ts";
import { HEALTH_ENDPOINT, READY_ENDPOINT } from "./health.ts";
import { jsonText, refusal } from "./responses.ts";

/**
 * Makes a handler for the time before the desktop is open: it reports a healthy process whose desktop is not ready.
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

/** Answers requests that no desktop will answer any more, since the program ends. */
export const stoppingHandler: Handler = () => Promise.resolve(refusal(503, "deskhand is stopping"));
