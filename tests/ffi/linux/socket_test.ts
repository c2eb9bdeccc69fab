/** Unix sockets, shared memory, closed peers, idle threads, and locked records. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import { BusyError, DesktopUnavailableError } from "../../../core/errors.ts";
import { LockedRecord } from "../../../core/process_record.ts";
import { type Libc, openLibc, SharedMemory } from "../../../ffi/linux/libc.ts";
import { Peers } from "../../../ffi/linux/peer.ts";
import { Socket } from "../../../ffi/linux/socket.ts";
import { threadsRest } from "../../../ffi/linux/threads.ts";
import { need } from "../../support/need.ts";
import { temporary, until } from "../../support/shell.ts";

const FFI = new URL("../../../ffi/linux/", import.meta.url).href;

/** Waits for bytes that never arrive while a signal does. Prints whether it waited to the end. */
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
  name: "a signal does not interrupt a wait for the peer",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (cwd) => {
      // In a separate process: tests do not run on the thread that receives signals.
      const args = ["eval", "--config", fromFileUrl(new URL("../../../deno.json", import.meta.url)), PROGRAM];
      const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd }).output();
      assertEquals(new TextDecoder().decode(stdout), "false true\n");
    }),
});

const POLLIN = 1, POLLHUP = 16;

/** A socket of a fake C library. @param received Results of recvmsg(2). @param state Result of poll(2). */
function socketOf(received: bigint[], state: number): Socket {
  const c = {
    socket: () => 3,
    connect: () => 0,
    recvmsg: () => received.shift(),
    poll: (polled: Int32Array) => (polled[1] |= state << 16, state ? 1 : 0),
  };
  return Socket.connect(c as unknown as Libc, "socket", "the test")!;
}

Deno.test("a failed call means the end only if poll(2) reports it, after the remaining bytes", () => {
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

// Memory shared with another process.

/** Number of this process's shared memory mappings. */
function mapped(): number {
  return Deno.readTextFileSync("/proc/self/maps").split("memfd:deskhand").length - 1;
}

Deno.test({
  name: "shared memory is mapped until it is freed, and not if the other process is gone",
  ignore: Deno.build.os !== "linux",
  fn() {
    const c = openLibc();
    const memory = SharedMemory.make(c, 4096, () => {});
    assertEquals(mapped(), 1);
    memory.unmap();
    assertEquals(mapped(), 0);
    const gone = () => {
      throw new Error("gone");
    };
    assertThrows(() => SharedMemory.make(c, 4096, gone), Error, "gone");
    assertEquals(mapped(), 0);
  },
});

// Whether the other end of a connection has closed.

/** The bound address, and the one connected to. */
const ADDRESSES = [["127.0.0.1", "127.0.0.1"], ["::1", "::1"], ["::", "127.0.0.1"]] as const;

for (const [bound, hostname] of ADDRESSES) {
  Deno.test(`sees a peer at ${hostname} of a listener at ${bound} close its half, and leave`, async () => {
    using listener = Deno.listen({ hostname: bound, port: 0 });
    const { port } = listener.addr, peers = new Peers(port);
    for (const end of ["closeWrite", "close"] as const) {
      const client = await Deno.connect({ hostname, port });
      using served = await listener.accept();
      await client.write(new Uint8Array(10));
      assertEquals(await peers.hasClosed(served.remoteAddr), false);
      const other = new Peers(port + 1);
      assertEquals(await other.hasClosed(served.remoteAddr), undefined, "another port of this process");
      assertEquals(await peers.hasClosed({ ...served.remoteAddr, hostname: "127.0.0.2" }), true);
      await client[end]();
      await until(() => peers.hasClosed(served.remoteAddr));
      if (end === "closeWrite") client.close();
    }
  });
}

Deno.test("checks many clients in one pass, and notices a reused file descriptor", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr, peers = new Peers(port);
  const pairs: { client: Deno.TcpConn; served: Deno.TcpConn }[] = [];
  for (let i = 0; i < 200; i++) {
    const client = await Deno.connect({ port });
    pairs.push({ client, served: await listener.accept() });
  }
  const asked = () => Promise.all(pairs.map(({ served }) => peers.hasClosed(served.remoteAddr)));
  assertEquals(new Set(await asked()), new Set([false]));
  let isLate = false;
  const turn = delay(0).then(() => isLate = true); // a pass takes turns, and a remembered descriptor none
  assertEquals(new Set(await asked()), new Set([false]));
  assert(!isLate, "descriptors are remembered");
  await turn;
  const [{ client, served }, ...others] = pairs, gone = served.remoteAddr;
  client.close();
  await until(() => peers.hasClosed(gone));
  served.close();
  using _again = await Deno.connect({ port });
  using next = await listener.accept();
  assertEquals([await peers.hasClosed(gone), await peers.hasClosed(next.remoteAddr)], [true, false]);
  for (const { client, served } of others) for (const end of [client, served]) end.close();
});

// Another program's idle threads.

/** A program that works for 0.3 s on each line, and then answers. */
const THREAD_REST_PROGRAM = `import sys, time
print("ready", flush=True)
for line in sys.stdin:
    end = time.monotonic() + 0.3
    while time.monotonic() < end: pass
    print("done", flush=True)
`;

Deno.test(
  { name: "a program is idle when it has processed its input", ...need("/usr/bin/python3") },
  async () => {
    const args = ["-c", THREAD_REST_PROGRAM], options = { stdin: "piped", stdout: "piped" } as const;
    await using child = new Deno.Command("/usr/bin/python3", { args, ...options }).spawn();
    const writer = child.stdin.getWriter(),
      reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const line = async () => {
      let text = "";
      while (!text.endsWith("\n")) text += (await reader.read()).value;
      return text;
    };
    assertEquals(await line(), "ready\n");
    const from = performance.now();
    await writer.write(new TextEncoder().encode("go\n"));
    await threadsRest([`${child.pid}`, "none"], { quietMs: 20, mostMs: 60_000 });
    const worked = performance.now() - from;
    const printed = await line();
    assertEquals([printed, worked >= 300], ["done\n", true], `${worked} ms`);
    await writer.close();
    await reader.cancel();
  },
);

// The record of deskhand's changes to a user's settings.

const CHANGED = { config: "/home/a/.config", before: null };

Deno.test({
  name: "a record has one owner, stores what to restore, and closes even if its folder is gone",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (state) => {
      Deno.env.set("XDG_STATE_HOME", state);
      const record = LockedRecord.open("test.json");
      assertThrows(() => LockedRecord.open("test.json"), BusyError, "another deskhand");
      record.write(CHANGED);
      assertEquals(record.read(), CHANGED);
      assertThrows(() => LockedRecord.open("test.json"), BusyError); // reading and writing do not release the lock
      record[Symbol.dispose]();
      const second = LockedRecord.open("test.json");
      assertEquals(second.read(), CHANGED);
      second.clear();
      assertEquals(LockedRecord.isThere("test.json"), false);
      const third = LockedRecord.open("test.json");
      await Deno.remove(`${state}/deskhand`, { recursive: true });
      third.clear();
      Deno.env.delete("XDG_STATE_HOME");
    }),
});
