/** Describes the state of a process that does not answer, for the message of the test that fails. */

import { join } from "@std/path";

/**
 * Describes the threads and children of a process: names, states (proc(5)), the call of the kernel in which each thread
 * waits as far as this user may see it, and the ticks of processor time, in programs and in the kernel.
 * @param pid The process.
 * @returns A line for each.
 */
export function threadsOf(pid: number): string {
  const tasks = `/proc/${pid}/task`;
  const threads = namesIn(tasks).map((tid) => `thread ${tid}: ${describe(join(tasks, tid))}`);
  const children = textOf(`${tasks}/${pid}/children`).split(" ").filter(Boolean);
  return [...threads, ...children.map((child) => `child ${child}: ${describe(`/proc/${child}`)}`)].join("\n");
}

function describe(folder: string): string {
  // The name stands in brackets and may have brackets and spaces in it.
  const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(textOf(`${folder}/stat`)) ?? ["", "ended", ""];
  const [state, ...fields] = rest.split(" ");
  return `${name}, state ${state}, in ${textOf(`${folder}/wchan`)}, ticks ${fields[10]} and ${fields[11]}`;
}

function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch {
    return []; // it has ended
  }
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch {
    return "";
  }
}
