/** HEAD: the answer to GET without its content (RFC 9110 section 9.3.2). */

import type { Handler } from "./handler.ts";

/**
 * Makes a handler that answers HEAD without content. Deno.serve removes the content over HTTP/1.1; over HTTP/2 it sends
 * the content, which makes the answer malformed (RFC 9113 section 8.1.1).
 * @param handler Answers HEAD as it answers GET.
 */
export function withoutContent(handler: Handler): Handler {
  return (request, peer) => {
    const answer = handler(request, peer);
    return request.method === "HEAD" ? Promise.resolve(answer).then(emptied) : answer;
  };
}

/** The same answer without its content, with the content's length. */
async function emptied(answer: Response): Promise<Response> {
  if (!answer.body) return answer;
  const headers = new Headers(answer.headers);
  const endless = headers.get("content-type")?.startsWith("text/event-stream");
  if (headers.has("content-length") || endless) await answer.body.cancel();
  else headers.set("content-length", String((await answer.bytes()).length));
  return new Response(null, { status: answer.status, headers });
}
