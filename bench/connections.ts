/**
 * The cost of a thousand connections that never send a whole request, for a client beside them. Prints a table for
 * docs/security.md.
 *
 *     deno run -A bench/connections.ts [CONNECTIONS]
 */

import { Program } from "../tests/support/program.ts";
import { percentile, residentMb } from "./measure.ts";

const COUNT = Number(Deno.args[0] ?? 1000);
const REQUESTS = 2000;
const DRIP_MS = 100;

/** Kinds of slow clients: the bytes that each sends at first. The last kind goes on with a byte every 100 ms. */
const KINDS: [name: string, opening: string][] = [
  ["none", ""],
  ["silent", ""],
  ["half a header", "GET /api/pos"],
  ["half a body", "POST /api/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{"],
  ["dripping", "POST /api/move HTTP/1.1\r\nHost: localhost\r\nX-Drip: "],
];

/** Measures the time that answers take, in milliseconds. */
async function latency(url: string): Promise<[median: number, p99: number]> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const start = performance.now();
    await (await fetch(`${url}/api/position`)).text();
    times.push(performance.now() - start);
  }
  return [percentile(times, 0.5), percentile(times, 0.99)];
}

console.log(`| ${COUNT} connections | answer, median | 99 % | resident |\n| --- | --- | --- | --- |`);
for (const [name, opening] of KINDS) {
  await using program = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = await program.controlUrl();
  await latency(url);
  const connections: Deno.TcpConn[] = [];
  for (let i = 0; i < COUNT && name !== "none"; i++) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
    if (opening) await connection.write(new TextEncoder().encode(opening));
    connections.push(connection);
  }
  const drip = setInterval(async () => {
    if (name !== "dripping") return;
    for (const connection of connections) await connection.write(new Uint8Array([0x61])).catch(() => {});
  }, DRIP_MS);
  const [median, p99] = await latency(url);
  clearInterval(drip);
  console.log(
    `| ${name} | ${median.toFixed(2)} ms | ${p99.toFixed(2)} ms | ${await residentMb(program.pid)} MB |`,
  );
  connections.forEach((connection) => connection.close());
}
