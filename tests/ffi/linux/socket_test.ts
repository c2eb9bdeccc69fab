/** Waits at a Unix socket. */

import { assert, assertEquals, assertThrows } from "@std/assert";
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
      const args = ["eval", "--config", fromFileUrl(new URL("../../../deno.json", import.meta.url)), PROGRAM];
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

// Memory that is shared with another process.

/** Counts this process's mappings of shared memory. */
function mapped(): number {
  return Deno.readTextFileSync("/proc/self/maps").split("memfd:deskhand").length - 1;
}

Deno.test({
  name: "shared memory is mapped until it is freed, and never if the other process is gone",
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

// The other end of a connection: whether it has closed.

/** The address that is bound, and the one that is connected to. */
const ADDRESSES = [["127.0.0.1", "127.0.0.1"], ["::1", "::1"], ["::", "127.0.0.1"]] as const;

for (const [bound, hostname] of ADDRESSES) {
  Deno.test(`a peer at ${hostname} of a listener at ${bound} is seen to close its half, and to leave`, async () => {
    using listener = Deno.listen({ hostname: bound, port: 0 });
    const { port } = listener.addr, peers = new Peers(port);
    for (const end of ["closeWrite", "close"] as const) {
      const client = await Deno.connect({ hostname, port });
      using served = await listener.accept();
      await client.write(new Uint8Array(10));
      assertEquals(await peers.hasClosed(served.remoteAddr), false);
      const other = new Peers(port + 1);
      assertEquals(await other.hasClosed(served.remoteAddr), undefined, "another port of this process");
      assertEquals(await peers.hasClosed({ ...served.remoteAddr, hostname: "127.0.0.2" }), undefined);
      await client[end]();
      await until(() => peers.hasClosed(served.remoteAddr));
      if (end === "closeWrite") client.close();
    }
  });
}

Deno.test("many clients that are asked for share a pass, and a descriptor that becomes another's is noticed", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr, peers = new Peers(port);
  const pairs: { client: Deno.TcpConn; served: Deno.TcpConn }[] = [];
  for (let i = 0; i < 200; i++) {
    const client = await Deno.connect({ port });
    pairs.push({ client, served: await listener.accept() });
  }
  const asked = () => Promise.all(pairs.map(({ served }) => peers.hasClosed(served.remoteAddr)));
  const begun = performance.now();
  assertEquals(new Set(await asked()), new Set([false]));
  const first = performance.now();
  assertEquals(new Set(await asked()), new Set([false]));
  assert(performance.now() - first < Math.max(200, first - begun), "descriptors are remembered");
  const [{ client, served }, ...others] = pairs, gone = served.remoteAddr;
  client.close();
  await until(() => peers.hasClosed(gone));
  served.close();
  using _again = await Deno.connect({ port });
  using next = await listener.accept();
  assertEquals([await peers.hasClosed(gone), await peers.hasClosed(next.remoteAddr)], [undefined, false]);
  for (const { client, served } of others) for (const end of [client, served]) end.close();
});

// Threads of another program that have nothing to do.

/** A program that works for 0.3 s when it gets a line, and then answers. */
const THREAD_REST_PROGRAM = `import sys, time
print("ready", flush=True)
for line in sys.stdin:
    end = time.monotonic() + 0.3
    while time.monotonic() < end: pass
    print("done", flush=True)
`;

Deno.test(
  { name: "a program rests when it has handled what it got", ...need("/usr/bin/python3") },
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

// The record of deskhand's changes of a person's settings.

const CHANGED = { config: "/home/a/.config", before: null };

Deno.test({
  name: "a record has one owner, keeps what is to be put back, and is closed though its folder was removed",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (state) => {
      Deno.env.set("XDG_STATE_HOME", state);
      const record = LockedRecord.open("test.json");
      assertThrows(() => LockedRecord.open("test.json"), BusyError, "another deskhand");
      record.write(CHANGED);
      assertEquals(record.read(), CHANGED);
      assertThrows(() => LockedRecord.open("test.json"), BusyError); // reading and writing keep the lock
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
