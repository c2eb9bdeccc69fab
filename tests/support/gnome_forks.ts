/** Ends forks of gnome-shell that do not become the program that they are for. */

import { endProcess } from "./user_session.ts";

/** The time that a fork may take, at least, in milliseconds; one that goes on takes a few. */
const STUCK_MS = 1000;

/**
 * Watches the forks of a shell. gnome-shell 43 runs JavaScript between fork(2) and exec (`_spawn` in
 * js/ui/misc/ibusManager.js). Where another of its threads has a lock of GLib's types at that moment, the fork waits for
 * that lock without end, and the shell waits for the fork. Once the fork is ended, the shell goes on without its program.
 */
export class ForkWatch {
  readonly #timer: ReturnType<typeof setInterval>;
  #before: number[] = [];

  /** @param shell Gives the process of the shell, which may be another one after a restart. */
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

/** The processes that a process has made and that still run its program; none if it has ended. */
function forksOf(pid: number): number[] {
  const program = programOf(pid);
  return program === undefined ? [] : childrenOf(pid).filter((child) => programOf(child) === program);
}

function childrenOf(pid: number): number[] {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it has ended
  }
}

/** The file of a process's program; undefined if it has ended, also while its parent has not taken its end. */
function programOf(pid: number): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}
