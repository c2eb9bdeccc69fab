/**
 * Throws cases of a grammar at everything that takes input from outside.
 *
 * `deno task fuzz [CASES] [SEED]`; the seed is printed, and the same seed makes the same cases.
 */

import { Random } from "./random.ts";
import { controlTarget, filesTarget, promptTarget, recordingTarget, type Target } from "./targets.ts";

/** How long one case may take, in milliseconds. */
const CASE_MS = 20_000;

/**
 * Fuzzes every target in turn.
 * @param cases How many cases in all.
 * @throws Error with the case, its number and the seed.
 */
export async function fuzz(cases: number, seed: number): Promise<void> {
  const base = await Deno.makeTempDir();
  try {
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
    };
    for (const [name, target] of Object.entries(targets)) {
      const random = new Random(seed);
      for (let i = 0; i < Math.ceil(cases / 4); i++) await runCase(name, target, random, i, seed);
      target.end?.();
    }
  } finally {
    await Deno.remove(base, { recursive: true });
  }
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

if (import.meta.main) {
  const cases = Number(Deno.args[0] ?? 100_000), seed = Number(Deno.args[1] ?? Date.now() % 2 ** 32);
  console.log(`${cases} cases, seed ${seed}`);
  await fuzz(cases, seed);
  console.log("nothing found");
}
