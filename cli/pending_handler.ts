/** Keeps requests waiting while a server's port is bound and what answers them is still being opened. */

import type { Handler } from "../http/handler.ts";

/** A handler that is completed later. */
export interface PendingHandler {
  /** Lets requests wait until {@linkcode complete} is called, and then hands them on. */
  handler: Handler;
  /** @param handler Answers the requests that wait and all that follow. */
  complete(handler: Handler): void;
}

/** Makes a handler that is completed later. */
export function pendingHandler(): PendingHandler {
  const { promise, resolve } = Promise.withResolvers<Handler>();
  let current: Handler = async (request, peer) => (await promise)(request, peer);
  return {
    handler: (request, peer) => current(request, peer),
    complete(handler) {
      current = handler;
      resolve(handler);
    },
  };
}
