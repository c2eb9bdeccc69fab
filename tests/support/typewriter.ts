/** A program on an X server that notes the received text. */

import { until } from "./until.ts";
import type { Xvfb } from "./xvfb.ts";

/** An xterm on the whole screen that writes the received text to a file. */
export async function typewriter(server: Xvfb) {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/received`;
  const xterm = server.spawn(
    "xterm",
    "-u8",
    "-geometry",
    "200x50+0+0",
    "-e",
    "sh",
    "-c",
    `stty raw -echo; echo ready >${folder}/ready; exec dd bs=1 of=${file} 2>/dev/null`,
  );
  await until(() => Deno.stat(`${folder}/ready`).then(({ isFile }) => isFile, () => false));
  await server.window("--class", "xterm");
  await server.run("xdotool", "mousemove", "200", "200");
  return {
    pid: xterm.pid,
    received: () => Deno.readTextFile(file).catch(() => ""),
    async [Symbol.asyncDispose]() {
      await xterm[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Waits until a typewriter has received exactly a text. */
export async function receives(received: () => Promise<string>, text: string) {
  // By the whole text: its last character may be half written.
  await until(received, (all) => all === text);
}
