/** xdotool's commands by the executable, beside xdotool: one command as a process, and a script of 1,000. */

import { join } from "@std/path";
import { Xvfb } from "../tests/support/xvfb.ts";
import { percentile } from "./measure.ts";
import { executablePath } from "./start.ts";
import type { Row } from "./table.ts";

const RUNS = 21, SCRIPT_RUNS = 3, COMMANDS = 1000;

/** Milliseconds that a process takes. */
async function timed(command: string, args: string[], env: Record<string, string>): Promise<number> {
  const began = performance.now();
  const { success } = await new Deno.Command(command, { args, env, stdin: "null", stdout: "null" }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
  return performance.now() - began;
}

/** Moves, questions and keys in turn. */
function script(kinds: readonly string[]): string {
  return Array.from({ length: COMMANDS }, (_, i) => {
    const place = `${(i * 7) % 1200} ${(i * 3) % 700}`;
    return kinds[i % kinds.length].replace("PLACE", place);
  }).join("\n") + "\n";
}

const SCRIPTS: Record<string, readonly string[]> = {
  "moves, clicks and keys": ["mousemove PLACE", "click --delay 1 1", "key a", "getmouselocation"],
  "moves alone": ["mousemove PLACE"],
};

/** Measures it. */
export async function xdotoolRows(): Promise<Row[]> {
  const executable = await executablePath(), folder = await Deno.makeTempDir();
  await using server = await Xvfb.start();
  const env = { ...server.env, HOME: folder };
  const contestants: [name: "ours" | "theirs", command: string, first: string[]][] = [
    ["ours", executable, ["xdotool"]],
    ["theirs", "xdotool", []],
  ];
  const compare = async (runs: number, words: string[]) => {
    const times: Record<"ours" | "theirs", number[]> = { ours: [], theirs: [] };
    for (let run = -1; run < runs; run++) { // the first fills the system's file cache and is left out
      for (const [name, command, first] of contestants) {
        const ms = await timed(command, [...first, ...words], env);
        if (run >= 0) times[name].push(ms);
      }
    }
    return { ours: percentile(times.ours, 0.5), theirs: percentile(times.theirs, 0.5) };
  };
  const row = (what: string, { ours, theirs }: { ours: number; theirs: number }, aim: string): Row => ({
    what,
    ours: `${ours.toFixed(0)} ms`,
    against: "xdotool",
    theirs: `${theirs.toFixed(0)} ms`,
    ratio: ours / theirs,
    aim,
  });
  try {
    const rows = [
      row("a command of xdotool, as a process", await compare(RUNS, ["mousemove", "10", "20"]), "70 ms"),
    ];
    for (const [name, kinds] of Object.entries(SCRIPTS)) {
      const path = join(folder, "script");
      await Deno.writeTextFile(path, script(kinds));
      rows.push(row(`a script of 1,000 commands: ${name}`, await compare(SCRIPT_RUNS, [path]), "at most 1"));
    }
    return rows;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
