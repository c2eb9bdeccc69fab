/** The process group of this program: what a shell knows as a job (credentials(7)). */

import { readProc } from "./proc.ts";

/** The number of SIGTSTP on Linux (signal(7)). */
const SIGTSTP = 20;
/** The process group, as kill(2) names it. */
const GROUP = 0;

/** The fields of /proc/PID/stat behind the name: state, parent, group (proc_pid_stat(5)). */
function statOf(pid: number | "self"): { parent: number; group: number } {
  const [, parent = "0", group = "0"] = readProc(`${pid}/stat`).split(")").at(-1)!.trim().split(" ");
  return { parent: Number(parent), group: Number(group) };
}

/** Whether a process has a handler for SIGTSTP (SigCgt of proc_pid_status(5)), so that the signal does not stop it. */
function catchesStop(pid: number): boolean {
  const [, mask = "0"] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readProc(`${pid}/status`)) ?? [];
  return (BigInt(`0x${mask}`) >> BigInt(SIGTSTP - 1) & 1n) === 1n;
}

/**
 * Stops all processes of the group. Programs that started this one and catch SIGTSTP, such as `deno task`, which hands
 * signals on, are stopped by SIGSTOP. Where no shell could wake the group, the system ignores the stop of this process
 * (POSIX, orphaned process groups), which then calls {@linkcode wakeGroup}.
 */
export function stopGroup(): void {
  const own = statOf("self");
  for (let pid = own.parent; pid > 1; pid = statOf(pid).parent) {
    if (statOf(pid).group !== own.group) break;
    if (catchesStop(pid)) Deno.kill(pid, "SIGSTOP");
  }
  Deno.kill(GROUP, "SIGTSTP");
}

/** Lets all processes of the group go on; those that run are left as they are. */
export function wakeGroup(): void {
  Deno.kill(GROUP, "SIGCONT");
}
