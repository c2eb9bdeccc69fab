/** Waits at a Unix socket. */

import { assertEquals } from "@std/assert";
import { temporary } from "../../support/temporary.ts";

const FFI = new URL("../../../ffi/linux/", import.meta.url).href;

/** Waits for bytes that never come, while a signal arrives. Prints whether it waited to the end. */
const PROGRAM = `
import { openLibc, POLLIN } from "${FFI}libc.ts";
import { Socket } from "${FFI}socket.ts";
const listener = Deno.listen({ transport: "unix", path: "socket" });
const socket = Socket.connect(openLibc(), "socket", "the test");
Deno.addSignalListener("SIGUSR1", () => {});
new Deno.Command("sh", { args: ["-c", "sleep 0.1; kill -USR1 " + Deno.pid] }).spawn();
const start = performance.now(), isReady = socket.wait(POLLIN, 1000);
console.log(isReady, performance.now() - start >= 999);
Deno.exit();
`;

Deno.test({
  name: "a signal does not end a wait for the other side",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (cwd) => {
      // In a process of its own: tests do not run on the thread that gets signals.
      const args = ["eval", PROGRAM];
      const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd }).output();
      assertEquals(new TextDecoder().decode(stdout), "false true\n");
    }),
});
