/**
 * Feeds generated cases to every part that accepts untrusted input.
 *
 * `deno task fuzz [CASES] [SEED]`; the seed is printed, and the same seed generates the same cases.
 */

import { delay } from "@std/async/delay";
import { linksTarget, liveTarget, mcpTarget, picturesTarget, sharesTarget, stepsTarget } from "./doors.ts";
import { controlTarget, filesTarget, promptTarget, recordingTarget, type Target } from "./target.ts";
import { Random } from "./values.ts";
import { vncServersTarget, vncViewersTarget } from "./vnc_doors.ts";
import { temporary } from "../support/shell.ts";

/** Maximum time for one case, in milliseconds. */
const CASE_MS = 80_000;

/**
 * Fuzzes every target in turn.
 * @param cases Total number of cases.
 * @throws Error with the case, its number and the seed.
 */
export async function fuzz(cases: number, seed: number): Promise<void> {
  await temporary(async (base) => {
    const root = `${base}/root`;
    await Deno.mkdir(`${root}/sub`, { recursive: true });
    await Deno.writeTextFile(`${base}/secret.txt`, "the secret");
    await Deno.writeTextFile(`${root}/a.txt`, "hello, fuzzer");
    await Deno.writeFile(`${root}/big.bin`, new Uint8Array(1_500_000));
    const targets: Record<string, Target> = {
      control: controlTarget(),
      files: filesTarget(root),
      prompt: promptTarget(),
      recording: recordingTarget(),
      mcp: mcpTarget(),
      live: liveTarget(),
      links: linksTarget(),
      shares: sharesTarget(root),
      steps: stepsTarget(),
      pictures: picturesTarget(),
      "VNC servers": vncServersTarget(),
      "VNC viewers": vncViewersTarget(),
    };
    const each = Math.ceil(cases / Object.keys(targets).length);
    for (const [name, target] of Object.entries(targets)) {
      const random = new Random(seed);
      for (let i = 0; i < each; i++) await runCase(name, target, random, i, seed);
      target.end?.();
    }
  });
}

async function runCase(name: string, target: Target, random: Random, index: number, seed: number) {
  let sent = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${CASE_MS} ms`)), CASE_MS);
  });
  try {
    await Promise.race([target.run(random, (what) => sent = what), late]);
  } catch (error) {
    throw new Error(`${name}, case ${index} of seed ${seed}: ${(error as Error).message}\n${sent}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Number of parts of a long run; memory and open files are checked after each. */
const PARTS = 5;
/** Maximum growth of memory after the first part, as a factor: garbage is not collected immediately. */
const GROWTH_LIMIT = 1.5;
/** Number of initial cases, which open what is opened once. */
const WARM_UP = 400;
/** Time after which an idle thread has ended, in milliseconds. */
const IDLE_MS = 90_000;
/** Minimum number of cases for the memory check: with fewer, the first part ends before the warm-up. */
const JUDGED = 10_000;

function openFiles(): number {
  return Deno.build.os === "linux" ? [...Deno.readDirSync("/proc/self/fd")].length : 0;
}

async function longRun(cases: number, seed: number): Promise<void> {
  console.log(`${cases} cases, seed ${seed}\n\n| cases | resident | open files |\n| --- | --- | --- |`);
  await fuzz(WARM_UP, seed);
  const looks: { memory: number; files: number }[] = [];
  for (let part = 1; part <= PARTS; part++) {
    await fuzz(cases / PARTS, seed + part);
    const memory = Math.round(Deno.memoryUsage().rss / 2 ** 20);
    const files = openFiles();
    console.log(`| ${cases / PARTS * part} | ${memory} MB | ${files} |`);
    looks.push({ memory, files });
  }
  const first = looks[0], last = looks.at(-1)!;
  // Idle threads, such as those that recognize text, end after a minute.
  for (const end = performance.now() + IDLE_MS; last.files > first.files && performance.now() < end;) {
    await delay(1000);
    last.files = openFiles();
  }
  if (last.files > first.files) throw new Error("files were left open");
  if (cases >= JUDGED && last.memory > first.memory * GROWTH_LIMIT) throw new Error("memory grows");
  console.log("\nnothing found");
}

if (import.meta.main) {
  await longRun(Number(Deno.args[0] ?? 100_000), Number(Deno.args[1] ?? Date.now() % 2 ** 32));
}
