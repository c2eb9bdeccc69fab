/** The file server compared with other file servers. */

import { Program } from "../tests/support/program.ts";
import { command, contest, download, residentMb, wrk } from "./measure.ts";
import { fileServers, streamServer } from "./servers.ts";
import { type Row, rowsOf } from "./table.ts";

const GB = 2 ** 30;

/** The limit of any file server based on Deno.serve. */
const FROM_MEMORY = "bare Deno.serve, from memory";

/** Measures the file server. */
export async function filesRows(): Promise<Row[]> {
  const root = await Deno.makeTempDir();
  try {
    await Deno.chmod(root, 0o755);
    await Deno.writeFile(`${root}/4k.bin`, crypto.getRandomValues(new Uint8Array(4096)));
    const old = Date.now() / 1000 - 3600;
    await Deno.utime(`${root}/4k.bin`, old, old);
    await command("truncate", ["-s", `${GB}`, `${root}/1g.bin`]);
    return await measured(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function measured(root: string): Promise<Row[]> {
  await using program = new Program(["--files", root, "--files-port", "0"], { env: { DISPLAY: "" } });
  const url = await program.filesUrl();
  await using peers = new AsyncDisposableStack();
  const servers = await fileServers(root);
  for (const server of servers.values()) peers.use(server);
  const all = new Map<string, { url: string }>([["deskhand", { url }], ...servers]);
  const limit = peers.use(await streamServer(GB));
  const compare = async (
    what: string,
    measure: (url: string) => Promise<number>,
    aim: Aim,
    show?: (speed: number) => string,
    against = all,
  ) => {
    const best = await contest(
      Object.fromEntries([...against].map(([name, { url }]) => [name, () => measure(url)])),
    );
    return rowsOf(what, best, aim, show);
  };
  const small: Aim = (name) => name.startsWith("nginx") ? "0.9" : "1";
  const range = ["Range: bytes=100-1099"];
  const rows = [
    ...await compare("4 KB file, 32 connections", (url) => wrk(`${url}/4k.bin`, { connections: 32 }), small),
    ...await compare(
      "1000-byte range, 32 connections",
      (url) => wrk(`${url}/4k.bin`, { connections: 32, headers: range }),
      small,
    ),
    ...await compare(
      "1 GB, 1 connection",
      async (url) => GB / 1e6 / await download(`${url}/1g.bin`),
      (name) => name.startsWith("nginx") ? "0.5" : name === FROM_MEMORY ? "none" : "1",
      (speed) => `${Math.round(speed).toLocaleString("en")} MB/s`,
      new Map([...all, [FROM_MEMORY, limit]]),
    ),
  ];
  const before = await residentMb(program.pid);
  for (let i = 0; i < 5; i++) await download(`${url}/1g.bin`);
  const after = await residentMb(program.pid);
  rows.push({
    what: "memory before and after 5 GB more",
    ours: `${before} and ${after} MB`,
    against: "",
    theirs: "",
    aim: "constant",
  });
  return rows;
}

type Aim = (peer: string) => string;
