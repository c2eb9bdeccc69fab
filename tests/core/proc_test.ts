/** Values of the system in /proc. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loadPerProcessor, numbersIn, readProc } from "../../core/proc.ts";

Deno.test("files of /proc are read whole, and one that is not there is empty", () => {
  assertStringIncludes(readProc(`${Deno.pid}/status`), `Pid:\t${Deno.pid}\n`);
  assertEquals(readProc(`${2 ** 30}/status`), "");
});

Deno.test("the load is the system's, for each processor", () => {
  const load = () => Deno.loadavg()[0] / navigator.hardwareConcurrency, before = load();
  const own = loadPerProcessor(), after = load(), rounding = 0.02;
  assert(own >= Math.min(before, after) - rounding && own <= Math.max(before, after) + rounding, `${own}`);
});

Deno.test("processes and threads are listed by their numbers", () => {
  assertEquals(numbersIn("").includes(Deno.pid), true);
  assertEquals(numbersIn("self/task").includes(Deno.pid), true);
  assertEquals(numbersIn("none"), []);
});
