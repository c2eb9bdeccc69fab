/** Nice values and scheduling policies of threads, as the kernel shows them. */

import { assert, assertEquals } from "@std/assert";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";

/** The Workers with long work in bulk. */
const BACKGROUND: { file: string; role?: string }[] = [
  { file: "control/recording/loading_worker.ts" },
  ...["plan", "read", "compress", "list", "render"].map((role) => ({ file: "files/workers.ts", role })),
];

/** The place of the nice value and of the policy behind the program's name: fields 19 and 41 of proc_pid_stat(5). */
const NICE = 16, POLICY = 38;
/** A policy of <linux/sched.h>. */
const SCHED_IDLE = 5;

/** The values of a field for a process's threads: this process's, and all, if left out. */
function threadValues(field: number, pid = Deno.pid, isWanted = (_name: string) => true): Set<number> {
  const tasks = `/proc/${pid}/task`, values = new Set<number>();
  for (const { name } of Deno.readDirSync(tasks)) {
    try {
      const stat = Deno.readTextFileSync(`${tasks}/${name}/stat`), end = stat.lastIndexOf(")");
      if (isWanted(stat.slice(stat.indexOf("(") + 1, end))) {
        values.add(Number(stat.slice(end + 2).split(" ")[field]));
      }
    } catch {
      // It has ended.
    }
  }
  return values;
}

const niceValues = () => threadValues(NICE), policies = () => threadValues(POLICY);

const isLinux = Deno.build.os === "linux";
/** The priority that the tests were started with; no thread goes behind one of 19. */
const [own, ...others] = isLinux ? niceValues() : [];

for (const { file, role = "" } of BACKGROUND) {
  Deno.test({
    name: `the Worker of ${file} ${role} goes behind the thread that serves, which stays as it is`,
    ignore: !isLinux || own === 19,
  }, async () => {
    assertEquals(others, []);
    const worker = new Worker(new URL(`../../${file}`, import.meta.url), { type: "module", name: role });
    try {
      const values = await until(niceValues, ({ size }) => size > 1);
      assertEquals(values, new Set([own, Math.min(own + 5, 19)]));
    } finally {
      worker.terminate();
    }
    await until(niceValues, ({ size }) => size === 1);
  });
}

Deno.test({
  name: "the second thread that reads text runs where a processor has nothing else to do",
  ignore: !isLinux || policies().has(SCHED_IDLE),
}, async () => {
  const before = policies();
  const url = new URL("../../control/read/page_worker.ts", import.meta.url);
  const worker = new Worker(url, { type: "module", name: "spare" });
  try {
    assertEquals(await until(policies, ({ size }) => size > 1), new Set([...before, SCHED_IDLE]));
  } finally {
    worker.terminate();
  }
  await until(policies, ({ size }) => size === 1);
});

Deno.test({
  name: "V8's threads go behind the thread that serves once text is read, which stays as it is",
  ignore: !isLinux || own === 19,
}, async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = await program.controlUrl();
  const ofV8 = () => threadValues(NICE, program.pid, (name) => name.startsWith("V8"));
  assertEquals(ofV8(), new Set([own]));
  const { lines } = await (await fetch(`${url}/api/text?source=screen`)).json();
  assert(lines.length);
  assertEquals(ofV8(), new Set([Math.min(own + 5, 19)]));
  const others = threadValues(NICE, program.pid, (name) => name === "deno");
  assert(others.has(own), `${[...others]}`);
});
