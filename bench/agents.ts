/** Agents: the time that MCP adds to a call, and how long others wait while clients connect continuously. */

import { MCP_HEADERS } from "../tests/support/agent_tools.ts";
import { Program } from "../tests/support/program.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { percentile, wrk } from "./measure.ts";
import type { Row } from "./table.ts";

const MOVES = 500, CLIENTS = 64, POSITIONS = 3000;

/** Measures agents' tools on a 1920x1080 desktop with a window manager and five windows. */
export async function agentRows(): Promise<Row[]> {
  await using server = await Xvfb.start({ width: 1920, height: 1080 });
  await using _manager = await server.manager("openbox");
  await using _windows = new AsyncDisposableStack();
  for (let i = 0; i < 5; i++) _windows.use(server.spawn("xterm", "-geometry", `40x10+${i * 250}+100`));
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  return [...await moves(url), await besideClients(url)];
}

/**
 * Moves through the API and through the tool, alternating so that a slow moment of the machine affects both.
 */
async function moves(url: string): Promise<Row[]> {
  const api: number[] = [], tool: number[] = [];
  for (let i = 0; i < MOVES; i++) {
    const to = { x: 10 + i, y: 10 + i % 500 };
    api.push(await timeOf(() => post(`${url}/api/move`, to, {})));
    const params = { name: "move", arguments: to };
    const call = { jsonrpc: "2.0", id: i, method: "tools/call", params };
    tool.push(await timeOf(() => post(`${url}/mcp`, call, MCP_HEADERS)));
  }
  return [0.5, 0.99].map((share) => {
    const [over, by] = [percentile(api, share), percentile(tool, share)];
    return {
      what: `a move by the tool, ${share === 0.5 ? "median" : "99 %"}`,
      ours: `${by.toFixed(2)} ms`,
      against: "POST /api/move",
      theirs: `${over.toFixed(2)} ms`,
      aim: share === 0.5 ? "1 ms more" : "none",
    };
  });
}

/** Measures the time for a position while clients initialize continuously. */
async function besideClients(url: string): Promise<Row> {
  const headers = Object.entries(MCP_HEADERS).map(([name, value]) => `${name}: ${value}`);
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  let ends = false, rate = 0;
  const load = (async () => {
    while (!ends) rate = await wrk(`${url}/mcp`, { connections: CLIENTS, headers, body });
  })();
  const times: number[] = [];
  while (times.length < POSITIONS) {
    times.push(await timeOf(async () => void await (await fetch(`${url}/api/position`)).text()));
  }
  ends = true;
  await load;
  const [median, p99, most] = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1));
  return {
    what: `position beside ${CLIENTS} clients that initialize`,
    ours: `median ${median}, 99 % ${p99}, most ${most} ms`,
    against: "initializations",
    theirs: `${Math.round(rate)}/s`,
    aim: "99 % 10 ms",
  };
}

async function post(url: string, body: unknown, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body), headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${text}`);
}

/** Measures the run time of a function, in milliseconds. */
async function timeOf(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
