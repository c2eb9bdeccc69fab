/**
 * Measures starts: from starting the executable to its first response, compared with `deno run` of a server
 * that does nothing, and the memory of both at that point. Uses dist/deskhand-linux-x64, or otherwise builds
 * an executable as the tests do.
 */

import { attempt } from "../core/errors.ts";
import { fromFileUrl, join } from "@std/path";
import { percentile } from "./measure.ts";
import type { Row } from "./table.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { builtExecutable, standInDeno } from "../tests/compiled/stand_in.ts";

const RUNS = 21;
const EMPTY_SERVER = `Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log("started on port " + port) },
  () => Response.json({ x: 0, y: 0 }),
);`;

interface Start {
  /** Milliseconds from starting the process to the end of the first response. */
  ms: number;
  /** Resident memory after the start, in MB. */
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

/** The executable to measure: dist/deskhand-linux-x64, or otherwise one built here, as in the tests. */
export async function executablePath(): Promise<string> {
  return dist() ?? await builtExecutable();
}

function dist(): string | undefined {
  const path = fromFileUrl(new URL("../dist/deskhand-linux-x64", import.meta.url));
  return attempt(() => Deno.statSync(path).isFile) ? path : undefined;
}

/** Measures starts of the program. */
export async function startRows(): Promise<Row[]> {
  // The empty server runs on the same Deno as the executable's runtime, because others start at other speeds.
  const shipped = dist();
  const executable = await executablePath(), deno = shipped ? Deno.execPath() : await standInDeno();
  await using server = await Xvfb.start();
  const folder = await Deno.makeTempDir();
  try {
    const empty = join(folder, "empty.ts");
    await Deno.writeTextFile(empty, EMPTY_SERVER);
    const lone = join(folder, "deskhand");
    await Deno.copyFile(executable, lone);
    const env = { HOME: folder };
    const contestants: Record<string, () => Promise<Start>> = {
      empty: () => start(deno, ["run", "-A", empty], env),
      virtual: () => start(lone, ["--http", "0", "--desktop", "virtual"], env),
      X11: () => start(lone, ["--http", "0"], { ...env, ...server.env }),
    };
    const starts: Record<string, Start[]> = {};
    for (let run = -1; run < RUNS; run++) { // the first fills the system's file cache and is not counted
      for (const name in contestants) {
        const measured = await contestants[name]();
        if (run >= 0) (starts[name] ??= []).push(measured);
      }
    }
    const against = `\`deno run\` of an empty server, Deno ${await versionOf(deno)}`;
    return ["virtual", "X11"].map((name): Row => ({
      what: `start of the executable, ${name}: first answer`,
      ours: shown(starts[name]),
      against,
      theirs: shown(starts.empty),
      ratio: medianOf(starts[name], "ms") / medianOf(starts.empty, "ms"),
      aim: "at most 1.5",
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function shown(starts: Start[]): string {
  return `${medianOf(starts, "ms").toFixed(0)} ms, ${medianOf(starts, "memory").toFixed(0)} MB`;
}

function medianOf(starts: Start[], what: keyof Start): number {
  return percentile(starts.map((start) => start[what]), 0.5);
}

async function versionOf(deno: string): Promise<string> {
  const { stdout } = await new Deno.Command(deno, { args: ["--version"] }).output();
  return new TextDecoder().decode(stdout).split(" ")[1];
}
