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

/** The value of a field for a thread; undefined if the thread has ended. */
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

/** The values of a field for a process's threads, by their numbers: this process's, and all, if left out. */
function threadValues(field: number, pid = Deno.pid, isWanted?: (name: string) => boolean) {
  const values = new Map<string, number>();
  for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
    const value = valueOf(field, `${pid}/task/${name}`, isWanted);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

const isLinux = Deno.build.os === "linux";
/** The priority and the policy of this thread, with which the tests were started; no thread goes behind one of 19. */
const [own, ownPolicy] = [NICE, POLICY].map((field) => isLinux ? valueOf(field, "thread-self")! : 0);
const behind = Math.min(own + 5, 19);

/**
 * Starts a Worker until one of its threads has a wanted value of a field. Threads that were there before, such as those of
 * other tests' Workers, keep theirs.
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
    name: `the Worker of ${file} ${role} goes behind the thread that serves, which stays as it is`,
    ignore: !isLinux || own === 19,
  }, () => startsThread(file, role, NICE, behind));
}

Deno.test({
  name: "the second thread that reads text runs where a processor has nothing else to do",
  ignore: !isLinux || ownPolicy === SCHED_IDLE,
}, () => startsThread("control/read/page_worker.ts", "spare", POLICY, SCHED_IDLE));

Deno.test({
  name: "V8's threads go behind the thread that serves once text is read, which stays as it is",
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
