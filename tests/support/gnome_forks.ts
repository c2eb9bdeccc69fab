/** Ends forks of gnome-shell that do not become the intended program. */

import { endProcess } from "./user_session.ts";

/** Minimum time for a fork to count as stuck, in milliseconds; others take a few. */
const STUCK_MS = 1000;

/**
 * Watches a shell's forks. gnome-shell 43 runs JavaScript between fork(2) and exec (`_spawn` in
 * js/ui/misc/ibusManager.js). If another of its threads holds the lock of GLib's types at that moment, the
 * fork waits for the lock forever, and the shell waits for the fork. Once the fork is killed, the shell
 * continues without that program.
 */
export class ForkWatch {
  readonly #timer: ReturnType<typeof setInterval>;
  #before: number[] = [];

  /** @param shell Returns the shell's process, which may change after a restart. */
  constructor(shell: () => number) {
    this.#timer = setInterval(() => this.#look(shell()), STUCK_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(shell: number): void {
    const forks = forksOf(shell);
    for (const pid of forks) if (this.#before.includes(pid)) endProcess(pid);
    this.#before = forks;
  }
}

/** The child processes of a process that still run its program; none if it has exited. */
function forksOf(pid: number): number[] {
  const program = programOf(pid);
  return program === undefined ? [] : childrenOf(pid).filter((child) => programOf(child) === program);
}

function childrenOf(pid: number): number[] {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it has exited
  }
}

/** The file of a process's program; undefined if it has exited, even if its parent has not reaped it yet. */
function programOf(pid: number): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}
