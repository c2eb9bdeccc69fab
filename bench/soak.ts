/**
 * Sends many requests, some from clients that disconnect midway, and measures memory and open files. Prints a
 * table for docs/maintainers/reliability.md.
 *
 *     deno run -A bench/soak.ts [REQUESTS]
 */

import { delay } from "@std/async/delay";
import { Program } from "../tests/support/program.ts";
import { residentMb } from "./measure.ts";

const TOTAL = Number(Deno.args[0] ?? 1_000_000);
/** Number of measurements of memory and open files. */
const PARTS = 5;
/** Maximum number of requests in flight. */
const LANES = 16;

const root = await Deno.makeTempDir();
await Deno.writeFile(`${root}/big.bin`, new Uint8Array(4_000_000));
await Deno.writeFile(`${root}/small.bin`, new Uint8Array(4000));
await using program = new Program(
  ["--desktop", "virtual", "--http", "0", "--files", root, "--files-port", "0"],
);
const control = await program.controlUrl(), files = await program.filesUrl();

const openFiles = () => [...Deno.readDirSync(`/proc/${program.pid}/fd`)].length;

async function one(index: number, client: Deno.HttpClient): Promise<void> {
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
    await (await fetch(url, { ...init, signal: abort, client })).arrayBuffer();
  } catch (error) {
    if (!abort) throw error;
  }
}

/** Sends requests in parallel, then closes every connection. */
async function send(count: number): Promise<void> {
  using client = Deno.createHttpClient({});
  let sent = 0;
  const lane = async () => {
    while (sent < count) await one(sent++, client);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function row(requests: number): Promise<void> {
  await delay(3000);
  console.log(`| ${requests.toLocaleString("en")} | ${await residentMb(program.pid)} MB | ${openFiles()} |`);
}

console.log("| requests | resident | open files |\n| --- | --- | --- |");
const WARM_UP = 20_000;
await send(WARM_UP);
await row(WARM_UP);
const start = performance.now();
for (let part = 1; part <= PARTS; part++) {
  await send(TOTAL / PARTS);
  await row(WARM_UP + TOTAL / PARTS * part);
}
console.log(`\n${Math.round((performance.now() - start) / 1000)} s; one request in 50 was left midway`);
await Deno.remove(root, { recursive: true });
