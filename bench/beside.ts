/**
 * How long a position request takes during each kind of long work in the same process, and how long one to a
 * bare server takes during the same work: the limit that the machine sets.
 */

import { delay } from "@std/async/delay";
import { Scene } from "../tests/support/pictures.ts";
import { Program } from "../tests/support/program.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { askPosition, command, percentile } from "./measure.ts";
import { constantServer } from "./servers.ts";
import type { Row } from "./table.ts";

const SCREEN = { width: 1920, height: 1080 };
/** Time for work to begin before a measurement, and duration of the measurement, in milliseconds. */
const SETTLE_MS = 1500, MEASURED_MS = 5000;
/** Number of files in the listed folder, and in the archived folder. */
const LISTED = 100_000, ARCHIVED = 20_000;

/** The addresses of both servers. */
interface Urls {
  control: string;
  files: string;
}

/** Kinds of work: each is a shell command, run by the given number of clients until stopped. */
const WORKS: readonly { what: string; clients: number; command(urls: Urls): string }[] = [
  {
    what: "four clients of PNG pictures",
    clients: 4,
    command: ({ control }) => got(`${control}/api/screenshot?format=png`),
  },
  { what: "two archives", clients: 2, command: ({ files }) => got(`${files}/archived/?archive=zip`) },
  { what: "a listing of 100,000 files", clients: 1, command: ({ files }) => got(`${files}/listed/`) },
  { what: "a text being read", clients: 1, command: ({ control }) => got(`${control}/api/text`) },
  { what: "two viewers of the live picture", clients: 2, command: ({ control }) => viewing(control) },
  {
    what: "an observer of clicks",
    clients: 1,
    command: ({ control }) =>
      got(`-d '{"x":300,"y":300,"button":"left","observe":true}' ${control}/api/click`),
  },
];

/** A request with curl. @param what The address, after options. */
function got(what: string): string {
  return `curl -s -o /dev/null ${what}`;
}

/** Watches the live picture, and acknowledges frames without decoding them. */
function viewing(url: string): string {
  const code = `const socket = new WebSocket("${url.replace("http", "ws")}/api/live");` +
    `socket.onmessage = ({ data }) => typeof data === "string" || socket.send(JSON.stringify({ type: "ack" }));`;
  return `${Deno.execPath()} eval '${code}'`;
}

/**
 * Measures the position alone, then during each kind of work, on a screen that prints 50 lines per second.
 */
export async function besideRows(): Promise<Row[]> {
  const root = await Deno.makeTempDir();
  try {
    for (const [folder, count] of [["listed", LISTED], ["archived", ARCHIVED]] as const) {
      await Deno.mkdir(`${root}/${folder}`);
      for (let i = 0; i < count; i++) Deno.writeFileSync(`${root}/${folder}/${i}`, new Uint8Array(i % 3000));
    }
    await using server = await Xvfb.start(SCREEN);
    await using _lines = await Scene.start(server, "terminal, 50 lines a second");
    const args = ["--http", "0", "--files", root, "--files-port", "0", "--trace-limit", "1G"];
    await using program = new Program(args, { env: { ...server.env, XDG_STATE_HOME: root } });
    await using bare = await constantServer('{"x":960,"y":540}');
    const urls = { control: await program.controlUrl(), files: await program.filesUrl() };
    const row = async (what: string): Promise<Row> => ({
      what,
      ours: shown(await answered(urls.control)),
      against: "a bare Deno.serve beside the same work",
      theirs: shown(await answered(bare.url)),
      aim: "99 % 5 ms",
    });
    const rows = [await row("position, nothing beside")];
    for (const { what, clients, command } of WORKS) {
      using _work = repeated(command(urls), clients);
      rows.push(await row(`position beside ${what}`));
    }
    const post = (path: string) => command("curl", ["-sf", "-X", "POST", `${urls.control}/api/${path}`]);
    await post("trace/start");
    using _clicks = repeated(`${got(`-d '{"x":300,"y":300}' ${urls.control}/api/move`)}; sleep 0.1`, 1);
    rows.push(await row("position beside a trace with ten actions a second"));
    return rows;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Returns the milliseconds to each response, once the other work has begun. */
async function answered(url: string): Promise<number[]> {
  await delay(SETTLE_MS);
  const waits: number[] = [], asking = askPosition(url, waits);
  await delay(MEASURED_MS);
  await asking.end();
  return waits;
}

/** Runs a command repeatedly in the given number of shells. */
function repeated(command: string, clients: number): Disposable {
  const shells = Array.from({ length: clients }, () =>
    new Deno.Command("setsid", { // so that the whole process group can be ended
      args: ["sh", "-c", `while :; do ${command}; done`],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn());
  return {
    [Symbol.dispose]() {
      for (const { pid } of shells) new Deno.Command("kill", { args: ["--", `-${pid}`] }).outputSync();
    },
  };
}

function shown(waits: readonly number[]): string {
  const [median, p99] = [0.5, 0.99].map((share) => percentile(waits, share).toFixed(1));
  return `median ${median}, 99 % ${p99} ms`;
}
