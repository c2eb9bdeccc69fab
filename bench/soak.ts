/**
 * Many requests with clients that leave midway mixed in; memory and open files before and after.
 *
 *     deno run -A bench/soak.ts [REQUESTS]
 */

import { Program } from "../tests/support/program.ts";
import { residentMb } from "./measure.ts";

const TOTAL = Number(Deno.args[0] ?? 1_000_000);
/** Requests under way at once. */
const LANES = 16;

const root = await Deno.makeTempDir();
await Deno.writeFile(`${root}/big.bin`, new Uint8Array(4_000_000));
await Deno.writeFile(`${root}/small.bin`, new Uint8Array(4000));
await using program = new Program(
  ["--desktop", "virtual", "--http", "0", "--files", root, "--files-port", "0"],
);
const control = await program.controlUrl(), files = await program.filesUrl();

const openFiles = () => [...Deno.readDirSync(`/proc/${program.pid}/fd`)].length;
let sent = 0;

async function one(index: number): Promise<void> {
  const abort = index % 50 === 0 ? AbortSignal.timeout(1 + index % 7) : undefined;
  const [url, init] = ([
    [`${control}/api/position`, {}],
    [`${control}/api/move`, { method: "POST", body: JSON.stringify({ x: index % 1280, y: index % 720 }) }],
    [`${files}/small.bin`, {}],
    [`${files}/${index % 500 === 3 ? "big.bin" : "small.bin"}`, { headers: { range: "bytes=5-900000" } }],
    [`${control}/api/${index % 500 === 4 ? "screenshot" : "screen"}`, {}],
    [`${control}/nowhere`, {}],
  ] as [string, RequestInit][])[index % 6];
  try {
    await (await fetch(url, { ...init, signal: abort })).arrayBuffer();
  } catch (error) {
    if (!abort) throw error;
  }
}

async function lane(): Promise<void> {
  while (sent < TOTAL) await one(sent++);
}

async function settled(): Promise<[memory: number, files: number]> {
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return [await residentMb(program.pid), openFiles()];
}

for (let i = 0; i < 20_000; i++) await one(i);
const before = await settled();
const start = performance.now();
await Promise.all(Array.from({ length: LANES }, lane));
const seconds = Math.round((performance.now() - start) / 1000);
const after = await settled();
console.log(`${TOTAL} requests in ${seconds} s, one in 50 left midway`);
console.log(
  `memory ${before[0]} MB before, ${after[0]} MB after; open files ${before[1]} before, ${after[1]} after`,
);
await Deno.remove(root, { recursive: true });
