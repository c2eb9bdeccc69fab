/** A Worker with two roles. */

import { answerCalls, serveRoles, serveWorker } from "../../core/worker_entry.ts";

serveRoles({
  async lengths() {
    await Promise.resolve();
    answerCalls<string, number>((text) => text.length);
  },
  async capitals() {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve); // the start message is there by then
    await promise;
    serveWorker<string, never, string>((text) => text.toUpperCase());
  },
  broken: () => Promise.reject(new Error("a module is missing")),
});
