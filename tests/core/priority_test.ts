/** Nice values and scheduling policies of threads, as reported by the kernel. */

import { assert, assertEquals } from "@std/assert";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";

/** Workers that do bulk work. */
const BACKGROUND: { file: string; role?: string }[] = [
  { file: "control/recording/loading_worker.ts" },
  ...["plan", "read", "compress", "list", "render"].map((role) => ({ file: "files/workers.ts", role })),
];

/** Indexes of nice value and policy after the program's name: fields 19 and 41 of proc_pid_stat(5). */
const NICE = 16, POLICY = 38;
/** Scheduling policy from <linux/sched.h>. */
const SCHED_IDLE = 5;

/** A thread's value of a field; undefined if the thread has ended or is not wanted. */
function valueOf(field: number, thread: string, isWanted = (_name: string) => true): number | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${thread}/stat`), end = stat.lastIndexOf(")");
    return isWanted(stat.slice(stat.indexOf("(") + 1, end))
      ? Number(stat.slice(end + 2).split(" ")[field])
      : undefined;
  } catch {
    return undefined;
  }
}

/** Values of a field by thread id: by default of all threads of this process. */
function threadValues(field: number, pid = Deno.pid, isWanted?: (name: string) => boolean) {
  const values = new Map<string, number>();
  for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
    const value = valueOf(field, `${pid}/task/${name}`, isWanted);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

const isLinux = Deno.build.os === "linux";
/** Nice value and policy of this thread, inherited by the tests; 19 is the lowest priority. */
const [own, ownPolicy] = [NICE, POLICY].map((field) => isLinux ? valueOf(field, "thread-self")! : 0);
const behind = Math.min(own + 5, 19);

/**
 * Runs a Worker until one of its threads has the wanted value of a field. Existing threads, such as those of other
 * tests' Workers, keep their values.
 */
async function startsThread(file: string, role: string, field: number, wanted: number): Promise<void> {
  const before = threadValues(field);
  const started = () =>
    new Set([...threadValues(field)].filter(([id]) => !before.has(id)).map(([, value]) => value));
  const worker = new Worker(new URL(`../../${file}`, import.meta.url), { type: "module", name: role });
  try {
    await until(started, (values) => values.has(wanted));
    for (const [id, value] of threadValues(field)) assertEquals(value, before.get(id) ?? value);
    assertEquals(valueOf(field, "thread-self"), field === NICE ? own : ownPolicy);
  } finally {
    worker.terminate();
  }
  await until(started, (values) => !values.has(wanted));
}

for (const { file, role = "" } of BACKGROUND) {
  Deno.test({
    name: `the Worker ${file} ${role} lowers its own priority, not that of the serving thread`,
    ignore: !isLinux || own === 19,
  }, () => startsThread(file, role, NICE, behind));
}

Deno.test({
  name: "the second text recognition thread runs only on idle processors",
  ignore: !isLinux || ownPolicy === SCHED_IDLE,
}, () => startsThread("control/read/page_worker.ts", "spare", POLICY, SCHED_IDLE));

Deno.test({
  name: "V8's threads lower their priority after text recognition, the serving thread does not",
  ignore: !isLinux || own === 19,
}, async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = await program.controlUrl();
  const nices = (isWanted: (name: string) => boolean) =>
    new Set(threadValues(NICE, program.pid, isWanted).values());
  const ofV8 = () => nices((name) => name.startsWith("V8"));
  assertEquals(ofV8(), new Set([own]));
  const { lines } = await (await fetch(`${url}/api/text?source=screen`)).json();
  assert(lines.length);
  assertEquals(ofV8(), new Set([behind]));
  const others = nices((name) => name === "deno");
  assert(others.has(own), `${[...others]}`);
});
