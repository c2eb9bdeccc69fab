/** Folders as one file, beside `tar c`, and the delay of other requests beside an archive. */

import { delay } from "@std/async/delay";
import { Program } from "../tests/support/program.ts";
import { command, contest, download, percentile } from "./measure.ts";
import { type Row, rowsOf } from "./table.ts";

const FILES = 100_000;
/** The time of the measurement of requests beside an archive, in milliseconds. */
const BESIDE_MS = 5000;

/** Measures archives of folders. */
export async function archiveRows(): Promise<Row[]> {
  const root = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${root}/many`);
    for (let i = 0; i < FILES; i++) Deno.writeFileSync(`${root}/many/${i}`, new Uint8Array(i % 3000));
    await Deno.mkdir(`${root}/large`);
    await command("truncate", ["-s", "1G", `${root}/large/1g.bin`]);
    return await measured(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function measured(root: string): Promise<Row[]> {
  const options = ["--files", root, "--files-port", "0", "--http", "0", "--desktop", "virtual"];
  await using program = new Program(options);
  const url = await program.filesUrl(), rows: Row[] = [];
  for (const [what, folder] of [["100,000 small files", "many"], ["1 GB", "large"]]) {
    const best = await contest({
      "tar c, to a pipe": () => perSecond("sh", ["-c", 'tar c -C "$0" "$1" | cat', root, folder]),
      deskhand: async () => 1 / await download(`${url}/${folder}/?archive=tar`),
      "deskhand, zip": async () => 1 / await download(`${url}/${folder}/?archive=zip`),
    });
    rows.push(...rowsOf(`${what} as a tar`, best, () => "none", (speed) => `${(1 / speed).toFixed(2)} s`));
  }
  const position = `${await program.controlUrl()}/api/position`;
  const alone = await slowest(position);
  const done = Promise.all(["many", "large"].map((folder) => download(`${url}/${folder}/?archive=zip`)));
  const beside = await slowest(position);
  await done;
  rows.push({
    what: "position beside two archives, p99",
    ours: `${beside.toFixed(1)} ms`,
    against: "alone",
    theirs: `${alone.toFixed(1)} ms`,
    aim: "below 5 ms",
  });
  return rows;
}

async function perSecond(name: string, args: string[]): Promise<number> {
  const start = performance.now();
  await command(name, args);
  return 1000 / (performance.now() - start);
}

/** The 99th percentile of the time that a request takes, in milliseconds. */
async function slowest(url: string): Promise<number> {
  const times: number[] = [];
  for (const end = performance.now() + BESIDE_MS; performance.now() < end; await delay(2)) {
    const start = performance.now();
    await (await fetch(url)).text();
    times.push(performance.now() - start);
  }
  return percentile(times, 0.99);
}
