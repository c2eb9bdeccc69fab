/** Keeps requests waiting while a server's port is bound but its services are still being opened. */

import type { Handler } from "../http/handler.ts";

/** A handler that is completed later. */
export interface PendingHandler {
  /** Lets requests wait until {@linkcode complete} is called, and then passes them to the real handler. */
  handler: Handler;
  /** @param handler Answers the requests that wait and all that follow; a second call has no effect. */
  complete(handler: Handler): void;
}

/**
 * Makes a handler that is completed later.
 * @param early Makes the handler that answers before the completion, out of a handler that waits; all requests wait if
 * left out.
 */
export function pendingHandler(early = (waiting: Handler): Handler => waiting): PendingHandler {
  const { promise, resolve } = Promise.withResolvers<Handler>();
  let isComplete = false;
  let current = early(async (request, peer) => (await promise)(request, peer));
  return {
    handler: (request, peer) => current(request, peer),
    complete(handler) {
      if (isComplete) return;
      isComplete = true;
      current = handler;
      resolve(handler);
    },
  };
}
