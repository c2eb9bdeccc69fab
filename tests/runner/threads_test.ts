/** The description of a process that does not answer. */

import { assertEquals } from "@std/assert";
import { need } from "../support/need.ts";
import { threadsOf } from "../support/threads.ts";
import { until } from "../support/until.ts";

Deno.test(
  { name: "a process's threads and children are told with their states", ...need("sh", "sleep") },
  async () => {
    const shell = new Deno.Command("sh", { args: ["-c", "sleep 1000; :"], stderr: "null" }).spawn();
    const both = /^thread \d+: sh, state S, in \S+, ticks \d+ and \d+\nchild (\d+): sleep, state S, /;
    const told = await until(() => threadsOf(shell.pid), (text) => both.test(text));
    Deno.kill(Number(both.exec(told)![1]));
    await shell.status;
    assertEquals(threadsOf(shell.pid), "");
  },
);
