/** Waits at a Unix socket. */

import { assertEquals, assertThrows } from "@std/assert";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Libc } from "../../../ffi/linux/libc.ts";
import { Socket } from "../../../ffi/linux/socket.ts";
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

const POLLIN = 1, POLLHUP = 16;

/** A socket of a made-up C library. @param received What each recvmsg(2) returns. @param state What poll(2) reports. */
function socketOf(received: bigint[], state: number): Socket {
  const c = {
    socket: () => 3,
    connect: () => 0,
    recvmsg: () => received.shift(),
    poll: (polled: Int32Array) => (polled[1] |= state << 16, state ? 1 : 0),
  };
  return Socket.connect(c as unknown as Libc, "socket", "the test")!;
}

Deno.test("a call that fails is the end where poll(2) tells one, behind the bytes before it", () => {
  assertEquals(socketOf([-1n], 0).receive(), false);
  assertEquals(socketOf([-1n], POLLIN).receive(), false);
  assertEquals(socketOf([-1n, 5n], POLLIN | POLLHUP).receive(), true);
  for (const received of [[-1n, -1n], [-1n, 0n], [0n]]) {
    assertThrows(
      () => socketOf(received, POLLHUP).receive(),
      DesktopUnavailableError,
      "the test has closed the connection",
    );
  }
});
