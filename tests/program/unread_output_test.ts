/** Unread output delays neither requests nor the end. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
const COMMAND = [Deno.execPath(), "run", "-q", "-A", MAIN, "--desktop", "virtual", "--http", "0"];

/** Starts deskhand with a 4 KiB standard error pipe that another process keeps open without reading. */
const UNREAD_STDERR = `
import fcntl, os, sys, time
r, w = os.pipe()
fcntl.fcntl(w, 1031, 4096)  # F_SETPIPE_SZ
parent = os.getpid()
if os.fork() == 0:
    for fd in (0, 1, 2, w): os.close(fd)
    while os.getppid() == parent: time.sleep(0.1)
    os._exit(0)
os.close(r)
os.dup2(w, 2)
os.execv(sys.argv[1], sys.argv[1:])
`;

/**
 * Starts deskhand on a terminal, prints its start message, types lines, and then stops reading the terminal.
 */
const UNREAD_TERMINAL = `
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b"quit stops." not in said: said += os.read(terminal, 65536)
for _ in range(100): os.write(terminal, b"help\\r")
print(said.decode().replace("\\r", ""), flush=True)
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
`;

const health = async (url: string) =>
  (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(60_000) })).json();

Deno.test({
  ...need("python3"),
  name: "an unread standard error delays neither requests nor the end",
}, async () => {
  await using program = new Program(["-c", UNREAD_STDERR, ...COMMAND], {
    executable: "python3",
    stdin: "null",
  });
  const url = await program.controlUrl(), folder = `${program.stateFolder}/deskhand`;
  await Deno.remove(folder, { recursive: true });
  await Deno.writeTextFile(folder, ""); // prevents the journal: a warning for each recording
  for (let i = 0; i < 100; i++) {
    for (const [method, path] of [["POST", "/start"], ["POST", "/stop"], ["DELETE", ""]]) {
      await (await fetch(`${url}/api/recording${path}`, { method, body: method === "POST" ? "{}" : null }))
        .bytes();
    }
  }
  assertEquals(await health(url), { ok: true });
  program.kill();
  assertEquals((await program.ended()).code, 0);
});

Deno.test(
  { ...need("python3"), name: "an unread terminal delays neither requests nor the end" },
  async () => {
    await using program = new Program(["-c", UNREAD_TERMINAL, ...COMMAND], {
      executable: "python3",
      stdin: "null",
    });
    const url = await program.controlUrl();
    // The lines were typed before the message was printed; each answer of /metrics comes after some of them.
    const metrics = async () =>
      await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(60_000) })).text();
    for (let i = 0; i < 50; i++) await until(metrics, (text) => text.includes("deskhand_"));
    assertEquals(await health(url), { ok: true });
    program.kill();
    assertEquals((await program.ended()).code, 0);
  },
);
