/**
 * From the start of the executable to its first answer, beside `deno run` of a server that does nothing, and the
 * memory of both then. Prints a table for docs/benchmarks.md.
 *
 *     deno run -A bench/start.ts [EXECUTABLE]
 *
 * Without EXECUTABLE it takes dist/deskhand-linux-x64, or else builds one as the tests do.
 */

import { fromFileUrl, join } from "@std/path";
import { Xvfb } from "../tests/support/xvfb.ts";
import { builtExecutable, standInDeno } from "../tests/compiled/stand_in.ts";

const RUNS = 21;
const EMPTY_SERVER = `Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log("started on port " + port) },
  () => Response.json({ x: 0, y: 0 }),
);`;

/** One start. */
interface Start {
  /** Milliseconds from the start of the process to the end of the first answer. */
  ms: number;
  /** Resident memory after it, in MB. */
  memory: number;
}

async function start(command: string, args: string[], env: Record<string, string>): Promise<Start> {
  const began = performance.now();
  const child = new Deno.Command(command, {
    args,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    let printed = "", port: string | undefined;
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      port = /port (\d+)\n/.exec(printed += text)?.[1];
      if (port) break;
    }
    if (!port) throw new Error(`${command} did not start`);
    await (await fetch(`http://127.0.0.1:${port}/api/position`)).text();
    const ms = performance.now() - began;
    const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
    return { ms, memory: Number(/VmRSS:\s*(\d+)/.exec(status)![1]) / 1024 };
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

function dist(): string | undefined {
  const path = fromFileUrl(new URL("../dist/deskhand-linux-x64", import.meta.url));
  try {
    return Deno.statSync(path).isFile ? path : undefined;
  } catch {
    return undefined;
  }
}

/** A server that does nothing is run by the Deno whose runtime the executable holds: others start at other speeds. */
const shipped = Deno.args[0] ?? dist();
const [executable, deno] = shipped
  ? [shipped, Deno.execPath()]
  : [await builtExecutable(), await standInDeno()];
const version =
  new TextDecoder().decode((await new Deno.Command(deno, { args: ["--version"] }).output()).stdout)
    .split(" ")[1];
await using server = await Xvfb.start();
const folder = await Deno.makeTempDir();
try {
  const empty = join(folder, "empty.ts");
  await Deno.writeTextFile(empty, EMPTY_SERVER);
  const lone = join(folder, "deskhand");
  await Deno.copyFile(executable, lone);
  const rows: { name: string; command: string; args: string[]; env?: Record<string, string> }[] = [
    {
      name: `\`deno run\` of an empty server (Deno ${version})`,
      command: deno,
      args: ["run", "-A", empty],
    },
    {
      name: "`deskhand --http`, virtual desktop",
      command: lone,
      args: ["--http", "0", "--desktop", "virtual"],
    },
    {
      name: "`deskhand --http`, X11 (Xvfb, 1280x720)",
      command: lone,
      args: ["--http", "0"],
      env: server.env,
    },
  ];
  const starts = new Map(rows.map(({ name }) => [name, [] as Start[]]));
  for (let run = -1; run < RUNS; run++) { // the first fills the system's file cache and is left out
    for (const { name, command, args, env } of rows) {
      const measured = await start(command, args, { HOME: folder, ...env });
      if (run >= 0) starts.get(name)!.push(measured);
    }
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
  const base = middle(starts.get(rows[0].name)!.map(({ ms }) => ms));
  console.log("| what | first answer, median (slowest) | against the first row | resident |");
  console.log("|---|---|---|---|");
  for (const { name } of rows) {
    const times = starts.get(name)!.map(({ ms }) => ms);
    const ms = middle(times), slowest = Math.max(...times);
    const memory = middle(starts.get(name)!.map((start) => start.memory));
    console.log(
      `| ${name} | ${ms.toFixed(0)} ms (${slowest.toFixed(0)}) | ${(ms / base).toFixed(2)} | ${
        memory.toFixed(0)
      } MB |`,
    );
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
