/** Folder archives, compared with `tar c`. */

import { delay } from "@std/async/delay";
import { Program } from "../tests/support/program.ts";
import { command, contest, download, processorMs, residentMb } from "./measure.ts";
import { type Row, rowsOf } from "./table.ts";

const FILES = 100_000;
/** Number of clients that abandon a zip, and the delay after which no work may remain, in milliseconds. */
const LEAVING = 100, LEFT_MS = 5000;

/** Measures folder archives. */
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
  const options = ["--files", root, "--files-port", "0", "--desktop", "virtual"];
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
  rows.push(await rangesRow(root, program.pid, url), await leftRow(root, program.pid, url));
  return rows;
}

/** A 400 MB zip in sixteen parallel ranges, compared with one client; each reads a folder not read before. */
async function rangesRow(root: string, pid: number, url: string): Promise<Row> {
  for (const name of ["one", "sixteen"]) {
    await Deno.mkdir(`${root}/${name}`);
    for (const file of "abcd") await command("truncate", ["-s", "100M", `${root}/${name}/${file}`]);
  }
  const measure = async (run: () => Promise<unknown>) => {
    const start = performance.now(), before = processorMs(pid);
    await run();
    return { ms: performance.now() - start, processor: processorMs(pid) - before };
  };
  const one = await measure(() => download(`${url}/one/?archive=zip`));
  const many = ["-q", "-x16", "-s16", "-k1M", "-d", root, "-o", "sixteen.zip", `${url}/sixteen/?archive=zip`];
  const sixteen = await measure(() => command("aria2c", many));
  const show = ({ ms, processor }: { ms: number; processor: number }) =>
    `${(ms / 1000).toFixed(2)} s (${processor} ms of a processor)`;
  return {
    what: "zip of 400 MB in sixteen ranges at once",
    ours: show(sixteen),
    against: "one client",
    theirs: show(one),
    ratio: one.ms / sixteen.ms,
    aim: "at least 0.33",
  };
}

/** Clients that request the end of a zip, which requires reading all of it, and disconnect. */
async function leftRow(root: string, pid: number, url: string): Promise<Row> {
  await Deno.mkdir(`${root}/left`);
  await command("truncate", ["-s", "60G", `${root}/left/sparse`]);
  const head = "GET /left/?archive=zip HTTP/1.1\r\nHost: localhost\r\nRange: bytes=-100\r\n\r\n";
  const clients = await Promise.all(Array.from({ length: LEAVING }, async () => {
    const client = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
    await client.write(new TextEncoder().encode(head));
    return client;
  }));
  await delay(2000);
  clients.forEach((client) => client.close());
  await delay(LEFT_MS);
  const before = processorMs(pid);
  await delay(1000);
  return {
    what: `${LEAVING} clients that left a zip 5 s ago: processor time a second, memory`,
    ours: `${processorMs(pid) - before} ms, ${await residentMb(pid)} MB`,
    against: "",
    theirs: "",
    aim: "0 ms, below 300 MB",
  };
}

async function perSecond(name: string, args: string[]): Promise<number> {
  const start = performance.now();
  await command(name, args);
  return 1000 / (performance.now() - start);
}
