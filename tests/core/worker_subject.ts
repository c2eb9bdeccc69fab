/** The Worker that worker_test.ts starts. */

import { InputError } from "../../core/errors.ts";
import { serveWorker } from "../../core/worker_entry.ts";

serveWorker<string, string, string>(async (start, { report, stopped }) => {
  if (start === "refuse") throw new InputError("the input is wrong");
  if (start === "missing") throw new Deno.errors.NotFound("it is gone");
  if (start === "crash") {
    setTimeout(() => {
      throw new Error("a bug in a timer");
    });
    await new Promise(() => {});
  }
  report("ready");
  if (start === "wait") await new Promise((resolve) => stopped.addEventListener("abort", resolve));
  report(stopped.aborted ? "stopped" : "working");
  return `did ${start}`;
});
