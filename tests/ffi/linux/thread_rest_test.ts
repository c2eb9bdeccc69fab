/** Threads of another program that have nothing to do. */

import { assertEquals } from "@std/assert";
import { threadsRest } from "../../../ffi/linux/thread_rest.ts";
import { need } from "../../support/need.ts";

/** A program that works for 0.3 s when it gets a line, and then answers. */
const PROGRAM = `import sys, time
print("ready", flush=True)
for line in sys.stdin:
    end = time.monotonic() + 0.3
    while time.monotonic() < end: pass
    print("done", flush=True)
`;

Deno.test(
  { name: "a program rests when it has handled what it got", ...need("/usr/bin/python3") },
  async () => {
    const args = ["-c", PROGRAM], options = { stdin: "piped", stdout: "piped" } as const;
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
