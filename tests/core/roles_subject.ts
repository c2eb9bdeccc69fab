/** A Worker with two roles. */

import { delay } from "@std/async/delay";
import { answerCalls, serveRoles, serveWorker } from "../../core/worker_entry.ts";

serveRoles({
  async lengths() {
    await Promise.resolve();
    answerCalls<string, number>((text) => text.length);
  },
  async capitals() {
    await delay(0); // the start message has arrived by then
    serveWorker<string, never, string>((text) => text.toUpperCase());
  },
  broken: () => Promise.reject(new Error("a module is missing")),
});
