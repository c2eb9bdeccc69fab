/** Work on a separate thread. */

import { assertEquals, assertRejects } from "@std/assert";
import { CallWorker, runWorker } from "../../core/worker.ts";
import { InputError } from "../../core/errors.ts";

const SUBJECT = new URL("./worker_subject.ts", import.meta.url);

Deno.test("a Worker's reports arrive in order, then its result", async () => {
  const reports: string[] = [];
  const { done } = runWorker<string, string, string>(SUBJECT, "work", (report) => reports.push(report));
  assertEquals(await done, "did work");
  assertEquals(reports, ["ready", "working"]);
});

Deno.test("a Worker that is asked to stop finishes on its own", async () => {
  const reports: string[] = [];
  const run = runWorker<string, string, string>(SUBJECT, "wait", (report) => {
    reports.push(report);
    if (report === "ready") run.stop();
  });
  assertEquals(await run.done, "did wait");
  assertEquals(reports, ["ready", "stopped"]);
});

Deno.test("an expected error crosses threads with its class, any other with its name", async () => {
  await assertRejects(() => runWorker(SUBJECT, "refuse").done, InputError, "the input is wrong");
  const error = await assertRejects(() => runWorker(SUBJECT, "missing").done, Error, "it is gone");
  assertEquals([error.name, error.constructor], ["NotFound", Error]);
});

Deno.test("a crash of a Worker rejects and does not end the program", async () => {
  await assertRejects(() => runWorker(SUBJECT, "crash").done, Error, "a bug in a timer");
});

Deno.test("rejects if the Worker's module cannot be loaded", async () => {
  await assertRejects(() => runWorker(new URL("./no_such_worker.ts", import.meta.url), "").done, Error);
});

Deno.test("a Worker takes the named role, and keeps messages that arrive while it loads", async () => {
  const url = new URL("./roles_subject.ts", import.meta.url);
  const lengths = new CallWorker<string, number>({ url: { url, role: "lengths" }, idleMs: 10_000 });
  try {
    assertEquals(await Promise.all(["a", "", "abc"].map((text) => lengths.call(text))), [1, 0, 3]);
  } finally {
    lengths.close();
  }
  assertEquals(await runWorker<string, never, string>({ url, role: "capitals" }, "ab").done, "AB");
  await assertRejects(() => runWorker({ url, role: "broken" }, "").done, Error, "a module is missing");
});
