/** The prompt on a terminal that belongs to another user, as after su and sudo. */

import { assertEquals } from "@std/assert";
import { Terminal } from "./terminal.ts";
import { until } from "./until.ts";

/** Commands that start a shell of the user nobody on root's terminal. */
export const FOREIGN_SHELLS = [
  "su -s /bin/sh nobody",
  "su - -s /bin/sh nobody",
  "sudo -u nobody sh",
];

/**
 * Starts deskhand there, types a line, asks the server, and edits, completes, repeats and pastes lines. deskhand leaves
 * the terminal's modes as they were, and ends with the terminal.
 * @param shell A command of {@linkcode FOREIGN_SHELLS}.
 * @param command Starts deskhand with a control API on any port. The user may run it.
 */
export async function usePromptOn(shell: string, command: string): Promise<void> {
  await using terminal = await Terminal.open(shell);
  await terminal.shows(/[$#] *$/m);
  await terminal.line(`stty sane; PS1=shell:; clear`);
  await terminal.shows(/^shell:$/m);
  await terminal.line(command);
  const healthy = healthOf(await terminal.shows(/port \d+$[^]*^>$/m));
  await terminal.line("g");
  await terminal.shows(/^> g\n640 360\n>$/m);
  await healthy();
  await terminal.keys("m10-2", "Left", "Left", "BSpace", "5", "End", "0", "Enter"); // m15-20
  await terminal.keys("Up", "Up", "Enter"); // g
  await terminal.shows(/^> m15-20\n> g\n15 20\n>$/m);
  await terminal.keys("hist", "Tab");
  await terminal.shows(/^> history$/m);
  await healthy(); // in the middle of a line
  await terminal.keys("C-c");
  await terminal.paste("m1-2\ng\nm3-4\ng\n");
  await terminal.shows(/^> m1-2\n> g\n1 2\n> m3-4\n> g\n3 4\n>$/m);
  await healthy();
  await terminal.keys("C-d");
  await terminal.shows(/^shell:(?:$|sh: turning off NDELAY)/m); // Deno 2.7.11 makes the terminal non-blocking
  await terminal.line("stty -a | tr ' ' '\\n' | grep -x -e echo -e icanon -e isig | sort | xargs");
  await terminal.shows(/^echo icanon isig$/m);
  await terminal.line(`clear; ${command}`);
  const alive = healthOf(await terminal.shows(/port \d+$[^]*^>$/m));
  await terminal.hangUp();
  await until(() => alive().then(() => false, (error) => error instanceof TypeError));
}

/** Asks the server that a screen names whether it answers; rejects where nothing listens. */
function healthOf(screen: string): () => Promise<void> {
  const [, port] = /port (\d+)/.exec(screen)!;
  return async () => {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(60_000) });
    assertEquals([response.status, await response.json()], [200, { ok: true }]);
  };
}
