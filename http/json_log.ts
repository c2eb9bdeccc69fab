/** The log as JSON, with one object for each request, for programs that collect logs. */

import type { Handler } from "./handler.ts";
import type { Log } from "./log.ts";
import { printable } from "../core/printable.ts";
import { withoutToken } from "./share_path.ts";
import { targetOf } from "./target.ts";

/** The header that carries a request's id, from the client or a proxy, and back. */
const REQUEST_ID = "x-request-id";
/** An id that is taken over; any other is replaced. */
const ID = /^[A-Za-z0-9._~+/=:@-]{1,128}$/;
/** The longest path and Range header that are logged, in characters. */
const LONGEST = 500;

/**
 * Adds an object to the log for each request, when its answer has left: `time`, `server`, `peer`, `id`, `method`,
 * `path`, `status`, `ms`; `range` if one was asked for, `bytes` if the length of the answer was known before, and
 * `aborted` if the client left first. The query and other headers are left out, because they may hold secrets.
 * @param server The server's name, which tells two servers apart in one log.
 * @returns A handler that answers like the given one, with the request's id in `X-Request-Id`.
 */
export function loggedAsJson(server: string, handler: Handler, log: Log): Handler {
  return async (request, peer) => {
    const start = performance.now();
    // Reads the fields before the handler runs: a WebSocket's upgrade closes the request, and later reading throws.
    const { method, headers } = request, given = headers.get(REQUEST_ID) ?? "";
    const id = ID.test(given) ? given : crypto.randomUUID(), range = headers.get("range");
    const asked = {
      time: new Date().toISOString(),
      server,
      peer: peer.remoteAddr.hostname,
      id,
      method: printable(method, LONGEST),
      path: printable(withoutToken(targetOf(request.url).path), LONGEST),
      ...range === null ? {} : { range: printable(range, LONGEST) },
    };
    const answer = await handler(request, peer);
    const { status } = answer, bytes = method === "HEAD" ? 0 : await lengthOf(answer);
    const add = (aborted?: true) => {
      const ms = Number((performance.now() - start).toFixed(1));
      log.add(JSON.stringify({ ...asked, status, bytes, ms, aborted }));
    };
    if (status === 101) add(); // logged now: an upgraded connection sends no body, and its headers cannot change
    else {
      answer.headers.set(REQUEST_ID, id);
      peer.completed.then(() => add(), () => add(true));
    }
    return answer;
  };
}

/** The bytes of an answer's content; undefined if they are not known before it is read. */
async function lengthOf(answer: Response): Promise<number | undefined> {
  const length = answer.headers.get("content-length");
  if (length !== null) return Number(length);
  // JSON without a length is a text in memory (control/http/responses.ts); whatever comes in pieces may be endless.
  return answer.headers.get("content-type") === "application/json"
    ? (await answer.clone().bytes()).length
    : undefined;
}
