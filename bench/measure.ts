/** Measurements: load with wrk, commands, memory, CPU time, and contests of several rounds. */

import { delay } from "@std/async/delay";

const ROUNDS = 5;

/** Measurements by name; higher is better. */
export type Contest<K extends string> = Record<K, () => Promise<number>>;

/**
 * Measures several things in turn, several times, so that a slow moment of the machine affects all of them.
 * @returns The best result of each, because noise only slows things down.
 */
export async function contest<K extends string>(contestants: Contest<K>): Promise<Record<K, number>> {
  const best = {} as Record<K, number>;
  for (let round = 0; round < ROUNDS; round++) {
    for (const name in contestants) best[name] = Math.max(best[name] ?? 0, await contestants[name]());
  }
  return best;
}

/** The load that wrk generates. */
interface Load {
  connections: number;
  headers?: string[];
  /** JSON to send with POST; if omitted, a GET. */
  body?: unknown;
  /** The method that sends the JSON; POST if omitted. */
  method?: "POST" | "PUT";
}

/** Measures requests per second to a URL under load from one thread of wrk. */
export async function wrk(
  url: string,
  { connections, headers = [], body, method = "POST" }: Load,
): Promise<number> {
  const script = body === undefined ? undefined : await Deno.makeTempFile({ suffix: ".lua" });
  const args = ["-t1", `-c${connections}`, "-d1s", ...headers.flatMap((header) => ["-H", header])];
  if (script) {
    const json = JSON.stringify(body);
    await Deno.writeTextFile(script, `wrk.method = "${method}"\nwrk.body = ${JSON.stringify(json)}\n`);
    args.push("-s", script);
  }
  const { stdout } = await new Deno.Command("wrk", { args: [...args, url] }).output();
  if (script) await Deno.remove(script);
  const text = new TextDecoder().decode(stdout);
  const match = /Requests\/sec:\s+([\d.]+)/.exec(text);
  if (!match || /Non-2xx/.test(text)) throw new Error(`wrk ${args.join(" ")} ${url}: ${text}`);
  return Number(match[1]);
}

/** Measures how often per second a command can be run, in about a second. */
export async function commandsPerSecond(
  name: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<number> {
  await command(name, args, env);
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < 1000 || count < 3) {
    await command(name, args, env);
    count++;
  }
  return count / ((performance.now() - start) / 1000);
}

/** Runs a command until it exits, discarding its output. */
export async function command(name: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const { success } = await new Deno.Command(name, { args, env, stdout: "null", stderr: "null" }).output();
  if (!success) throw new Error(`${name} failed`);
}

/** Measures how many seconds a download takes. */
export async function download(url: string): Promise<number> {
  const start = performance.now();
  await command("curl", ["-sf", "-o", "/dev/null", url]);
  return (performance.now() - start) / 1000;
}

/** Whether a program is on the PATH. */
export async function has(program: string): Promise<boolean> {
  return (await new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).output())
    .success;
}

/** The resident memory of a process, in MB. */
export function residentMb(pid: number): Promise<number> {
  return statusMb(pid, "VmRSS");
}

/** The peak resident memory of a process, in MB. */
export function peakMb(pid: number): Promise<number> {
  return statusMb(pid, "VmHWM");
}

/** Length of a clock tick in proc(5), in milliseconds: USER_HZ is 100 on every Linux. */
const TICK_MS = 10;

/** The CPU time of a process so far, in milliseconds; 0 if it has exited. */
export function processorMs(pid: number): number {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS; // utime and stime
  } catch {
    return 0;
  }
}

/**
 * Returns a percentile of numbers.
 * @param share From 0 to 1: 0.5 is the median, 1 the maximum.
 */
export function percentile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
}

async function statusMb(pid: number, field: string): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 1024);
}

/**
 * Queries the pointer position repeatedly, like another client during a measurement.
 * @param waits Receives the milliseconds to each response.
 */
export function askPosition(url: string, waits: number[]): { end(): Promise<void> } {
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const start = performance.now();
      await (await fetch(`${url}/api/position`)).text();
      waits.push(performance.now() - start);
      await delay(1);
    }
  })();
  return {
    end: () => {
      isOver = true;
      return asking;
    },
  };
}
