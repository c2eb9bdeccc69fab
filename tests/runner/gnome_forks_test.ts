import { assert } from "@std/assert";
import { ForkWatch } from "../support/gnome_forks.ts";
import { need } from "../support/need.ts";

Deno.test(
  { name: "a fork that does not become another program is ended, others go on", ...need("python3") },
  async () => {
    const code = `
import os, subprocess, time
program = subprocess.Popen(["sleep", "1000"])
if os.fork() == 0:
    os._exit(0) # its parent does not take its end
fork = os.fork()
if fork == 0:
    time.sleep(1000)
os.waitpid(fork, 0)
print(program.poll())
program.kill()
`;
    const child = new Deno.Command("python3", { args: ["-c", code], stdout: "piped" }).spawn();
    const watch = new ForkWatch(() => child.pid);
    const { stdout } = await child.output();
    watch.end();
    assert(new TextDecoder().decode(stdout) === "None\n");
  },
);
