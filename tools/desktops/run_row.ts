/** Runs cells of a row in a sandbox, with a time limit. */

import type { Task } from "./inside.ts";
import { Results } from "./results.ts";
import { sandboxed } from "./sandbox.ts";

/** Maximum time for a session to start, and for each cell, in seconds. */
const START_SECONDS = 120, CELL_SECONDS = 40;

/**
 * Runs a task to its end, or to its time limit; cells that it did not reach count as not run.
 * @param end When the root's time is up, in milliseconds since 1970.
 */
export async function runRow(task: Task, end: number): Promise<void> {
  const seconds = START_SECONDS + CELL_SECONDS * task.cells.length;
  const bound = Math.min(seconds * 1000, Math.max(0, end - Date.now()));
  const started = new Date().toISOString();
  const [command, ...args] = sandboxed("inside.ts", [JSON.stringify(task)]);
  const child = new Deno.Command(command, { args, stdin: "piped" }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), bound); // ends everything in the sandbox
  await child.status;
  clearTimeout(timer);
  const results = new Results(task.results);
  for (const cell of task.cells) {
    if ((results.read(cell)?.date ?? "") >= started) continue;
    const part = {
      name: "session",
      outcome: "not run",
      why: `its session ended or took more than ${Math.round(bound / 1000)} s`,
    } as const;
    const { version, desktop } = task;
    if (!results.read(cell)) {
      results.write({ ...cell, outcome: "not run", parts: [part], date: started, version, desktop });
    }
  }
}
