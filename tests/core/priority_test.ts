/** Nice values of threads, as the kernel shows them. */

import { assertEquals } from "@std/assert";
import { until } from "../support/until.ts";

/** The Workers with long work in bulk. */
const BACKGROUND = [
  "control/recording/loading_worker.ts",
  "files/archive/plan_worker.ts",
  "files/archive/read_worker.ts",
  "files/compress/worker.ts",
  "files/listing/describe_worker.ts",
  "files/listing/worker.ts",
];

/** The nice values of this process's threads: field 19 of proc_pid_stat(5), the 17th behind the program's name. */
function niceValues(): Set<number> {
  const tasks = `/proc/${Deno.pid}/task`, values = new Set<number>();
  for (const { name } of Deno.readDirSync(tasks)) {
    try {
      const stat = Deno.readTextFileSync(`${tasks}/${name}/stat`);
      values.add(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]));
    } catch {
      // It has ended.
    }
  }
  return values;
}

const isLinux = Deno.build.os === "linux";
/** The priority that the tests were started with; no thread goes behind one of 19. */
const [own, ...others] = isLinux ? niceValues() : [];

for (const file of BACKGROUND) {
  Deno.test({
    name: `the Worker of ${file} goes behind the thread that serves, which stays as it is`,
    ignore: !isLinux || own === 19,
  }, async () => {
    assertEquals(others, []);
    const worker = new Worker(new URL(`../../${file}`, import.meta.url), { type: "module" });
    try {
      const values = await until(niceValues, ({ size }) => size > 1);
      assertEquals(values, new Set([own, Math.min(own + 5, 19)]));
    } finally {
      worker.terminate();
    }
    await until(niceValues, ({ size }) => size === 1);
  });
}
