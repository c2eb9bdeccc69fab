/**
 * The executable's xdotool commands, compared with xdotool: single commands as processes, and scripts of
 * 1,000 commands; also with a running deskhand, which then performs the actions.
 */

import { join } from "@std/path";
import { Program } from "../tests/support/program.ts";
import { until } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { percentile } from "./measure.ts";
import { executablePath } from "./start.ts";
import type { Row } from "./table.ts";

export const RUNS = 31;
const SCRIPT_RUNS = 7, COMMANDS = 1000;

/** A process's wall-clock and processor time, in milliseconds. */
export interface Took {
  wall: number;
  processor: number;
}

/**
 * A bash command that runs another command and prints its wall-clock, user and system time, in seconds.
 */
const TIMED = `TIMEFORMAT="%R %U %S"; time "$@" >/dev/null`;
/**
 * The start of a command line that runs a program with real-time priority (sched(7)), so that its times are
 * those of an idle machine.
 */
const FIRST = ["chrt", "--fifo", "10"];

/** The words that give a command real-time priority; empty if the user lacks permission. */
export async function first(): Promise<string[]> {
  const tried = new Deno.Command(FIRST[0], { args: [...FIRST.slice(1), "true"], stderr: "null" }).output();
  return await tried.then(({ success }) => success ? FIRST : [], () => []);
}

/** Gives a running program real-time priority. */
export async function raise(pid: number): Promise<void> {
  const args = ["--all-tasks", "--fifo", "--pid", "10", String(pid)];
  await new Deno.Command(FIRST[0], { args, stdout: "null" }).output();
}

export async function timed(command: readonly string[], env: Record<string, string>): Promise<Took> {
  const { success, stderr } = await new Deno.Command("bash", {
    args: ["-c", TIMED, "bash", ...command],
    env: { ...env, LC_ALL: "C" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  const text = new TextDecoder().decode(stderr).trim(), measured = /^([\d.]+) ([\d.]+) ([\d.]+)$/.exec(text);
  if (!success || !measured) throw new Error(`${command.join(" ")} failed: ${text}`);
  const [wall, user, system] = measured.slice(1).map((seconds) => Number(seconds) * 1000);
  return { wall, processor: user + system };
}

/** A script whose lines cycle through the kinds, at changing positions. */
function script(kinds: readonly string[]): string {
  return Array.from({ length: COMMANDS }, (_, i) => {
    const place = `${(i * 7) % 1200} ${(i * 3) % 700}`;
    return kinds[i % kinds.length].replace("PLACE", place);
  }).join("\n") + "\n";
}

const SCRIPTS: Record<string, readonly string[]> = {
  "moves, clicks and keys": ["mousemove PLACE", "click --delay 1 1", "key a", "getmouselocation"],
  "moves alone": ["mousemove PLACE"],
  "questions alone": ["getmouselocation"],
};

/** Commands measured as one process each. */
const WORDS: Record<string, string[]> = {
  move: ["mousemove", "10", "20"],
  click: ["click", "1"],
  key: ["key", "a"],
};

/** The programs that run the commands: the executable alone, with a running deskhand, and xdotool. */
type Contestant = "ours" | "shared" | "theirs";
const SHOWN: Record<Exclude<Contestant, "theirs">, string> = {
  ours: "",
  shared: ", beside a running deskhand",
};

/** Measures `deskhand xdotool` and xdotool. */
export async function xdotoolRows(): Promise<Row[]> {
  const executable = await executablePath(), folder = await Deno.makeTempDir();
  await using server = await Xvfb.start();
  const env = { ...server.env, HOME: folder, XDG_STATE_HOME: join(folder, "none"), DESKHAND_URL: "" };
  const shared = { ...env, XDG_STATE_HOME: join(folder, "shared") };
  await using program = new Program(["--http", "0"], { executable, env: shared });
  await program.controlUrl();
  const isNoted = ({ name }: Deno.DirEntry) => name.startsWith("running-");
  await until(() => [...Deno.readDirSync(join(folder, "shared", "deskhand"))].some(isNoted));
  const before = await first();
  if (before.length) { for (const { pid } of [server, program]) await raise(pid); }
  const contestants: [Contestant, command: string[], env: Record<string, string>][] = [
    ["ours", [executable, "xdotool"], env],
    ["shared", [executable, "xdotool"], shared],
    ["theirs", ["xdotool"], env],
  ];
  /** Runs all contestants in turn, so that other load on the machine affects them equally. */
  const compare = async (runs: number, words: string[]): Promise<Record<Contestant, Took>> => {
    const all: Record<Contestant, Took[]> = { ours: [], shared: [], theirs: [] };
    for (let run = -1; run < runs; run++) { // the first fills the file cache and does not count
      for (const [name, command, env] of contestants) {
        const took = await timed([...before, ...command, ...words], env);
        if (run >= 0) all[name].push(took);
      }
    }
    const median = (name: Contestant) => ({
      wall: percentile(all[name].map(({ wall }) => wall), 0.5),
      processor: percentile(all[name].map(({ processor }) => processor), 0.5),
    });
    return { ours: median("ours"), shared: median("shared"), theirs: median("theirs") };
  };
  const rows = (what: string, took: Record<Contestant, Took>, aim: string): Row[] =>
    (["ours", "shared"] as const).map((name) => ({
      what: `${what}${SHOWN[name]}`,
      ours: shown(took[name]),
      against: "xdotool",
      theirs: shown(took.theirs),
      ratio: took.theirs.wall / took[name].wall,
      aim,
    }));
  try {
    const all: Row[] = [];
    for (const [name, words] of Object.entries(WORDS)) {
      all.push(...rows(`xdotool: a ${name} as a process`, await compare(RUNS, words), "70 ms"));
    }
    for (const [name, kinds] of Object.entries(SCRIPTS)) {
      const path = join(folder, "script");
      await Deno.writeTextFile(path, script(kinds));
      all.push(
        ...rows(`xdotool: a script of 1,000 commands, ${name}`, await compare(SCRIPT_RUNS, [path]), "1"),
      );
    }
    return all;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export function shown({ wall, processor }: Took): string {
  return `${wall.toFixed(0)} ms, processor ${processor.toFixed(0)} ms`;
}
