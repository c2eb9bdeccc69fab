/** The cost of a trace: on the serving thread, in bytes, for other calls, and to open. */

import { delay } from "@std/async/delay";
import { join } from "@std/path";
import { ActionRunner, TRACE_DEFAULTS } from "../control/actions/runner.ts";
import { ACTIONS } from "../control/actions/mod.ts";
import { Operator } from "../control/operator/operator.ts";
import { Recorder } from "../control/recording/recorder.ts";
import type { Calls } from "../control/operator/calls.ts";
import { openX11 } from "../ffi/x11/desktop.ts";
import { openBrowser } from "../tests/support/browser.ts";
import { Program } from "../tests/support/program.ts";
import { Scene, type SceneName } from "../tests/support/pictures.ts";
import { until } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { percentile } from "./measure.ts";
import type { Row } from "./table.ts";

const SCREEN = { width: 1920, height: 1080 };
/** How long a scene plays before the recording, how long that is, and between actions, in milliseconds. */
const SETTLE_MS = 2500, RECORDED_MS = 20_000, ACTION_MS = 100;
/** Goals for bytes, in MB per minute. */
const SCENES: readonly [scene: SceneName, aim: string][] = [
  ["nothing changes", ""],
  ["a person types", "below 1 MB"],
  ["terminal, 50 lines a second", ""],
  ["a window is dragged", "below 15 MB"],
];
/** The length of the trace to open, in milliseconds. */
const OPENED_MS = 600_000;

/** Measures everything. */
export async function traceRows(): Promise<Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "deskhand-trace-" }),
    rows: Row[] = [],
    files: string[] = [];
  try {
    for (const [scene, aim] of SCENES) {
      const { file, megabytes, samples } = await recorded(scene, join(folder, scene.replaceAll(/\W/g, "-")));
      files.push(file);
      rows.push(
        row(
          `trace, ${scene}: an action, processor time of the serving thread, median / 99 %`,
          milliseconds(samples),
          "below 0.1 / 1 ms",
        ),
        row(`trace, ${scene}: file a minute`, `${megabytes.toFixed(2)} MB`, aim),
      );
    }
    rows.push(await besideTrace(folder), ...await opening(folder, files));
    return rows;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function row(what: string, ours: string, aim: string): Row {
  return { what, ours, against: "", theirs: "", aim };
}

function milliseconds(samples: readonly number[]): string {
  return `${percentile(samples, 0.5).toFixed(3)} / ${percentile(samples, 0.99).toFixed(3)} ms`;
}

const libc = Deno.dlopen("libc.so.6", {
  clock_gettime: { parameters: ["i32", /* clockid_t */ "buffer" /* struct timespec */], result: "i32" },
});
const TIME = new BigInt64Array(2), CLOCK_THREAD_CPUTIME_ID = 3;

/** CPU time of this thread in milliseconds, unaffected by other programs on a busy machine. */
function threadMs(): number {
  libc.symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, TIME);
  return Number(TIME[0]) * 1000 + Number(TIME[1]) / 1e6;
}

/** Measures each call's time on this thread, for tracing. @param samples Receives the milliseconds. */
function measure(calls: Calls, samples: number[]): void {
  const began = calls.began.bind(calls);
  calls.began = (...given) => {
    const from = threadMs(), call = began(...given), cost = threadMs() - from;
    const ended = call?.ended.bind(call);
    if (call) {
      call.ended = (outcome) => {
        const start = threadMs();
        ended!(outcome);
        samples.push(cost + threadMs() - start);
      };
    }
    return call;
  };
}

/** Records a scene with 10 actions per second, in this process. */
async function recorded(scene: SceneName, folder: string) {
  await using server = await Xvfb.start(SCREEN);
  await using _scene = await Scene.start(server, scene);
  const desktop = openX11(server.display), operator = new Operator(desktop);
  const tracing = { ...TRACE_DEFAULTS, folder };
  const runner = new ActionRunner({ operator, recorder: new Recorder(operator), readOnly: false, tracing });
  await delay(SETTLE_MS);
  const traces = await runner.traces(), caller = new AbortController();
  const { file } = await traces.start(), from = performance.now(), first = traces.status.bytes;
  const samples: number[] = [];
  measure(runner.calls, samples);
  for (let i = 0; performance.now() - from < RECORDED_MS; i++) {
    await runner.run(ACTIONS.move, { x: 200 + i * 7 % 1500, y: 900 }, caller);
    await delay(ACTION_MS);
  }
  const took = performance.now() - from;
  await traces.stop();
  runner.pictures.close();
  operator.close();
  desktop.close();
  const bytes = Deno.statSync(file!).size - first;
  return { file: file!, megabytes: bytes / took * 60_000 / 1e6, samples };
}

/** Measures the pointer position over HTTP while a trace of a dragged window is being recorded. */
async function besideTrace(folder: string): Promise<Row> {
  await using server = await Xvfb.start(SCREEN);
  await using _scene = await Scene.start(server, "a window is dragged");
  await delay(SETTLE_MS);
  const times: Record<string, number[]> = {};
  for (const [name, args] of [["beside", ["--trace", join(folder, "beside")]], ["alone", []]] as const) {
    await using program = new Program(["--http", "0", ...args], { env: server.env });
    const url = `${await program.controlUrl()}/api/position`;
    await delay(SETTLE_MS);
    times[name] = [];
    for (const end = performance.now() + RECORDED_MS / 2; performance.now() < end; await delay(3)) {
      const start = performance.now();
      await (await fetch(url)).text();
      times[name].push(performance.now() - start);
    }
  }
  const p99 = (name: string) => percentile(times[name], 0.99);
  return {
    what: "GET /api/position beside a trace of a dragged window, 99 %",
    ours: `${p99("beside").toFixed(2)} ms`,
    against: "without a trace",
    theirs: `${p99("alone").toFixed(2)} ms`,
    ratio: p99("alone") / p99("beside"),
    aim: "at most 5 ms",
  };
}

/** Opens a ten-minute trace, which repeats the recorded entries with later times. */
async function opening(folder: string, files: readonly string[]): Promise<Row[]> {
  const [, typing, terminal, dragged] = files, path = join(folder, "ten-minutes.html");
  const head = (await Deno.readTextFile(typing)).split("\n<!--a", 1)[0];
  const out = [`${head}\n`];
  let from = 0;
  while (from < OPENED_MS) {
    for (const file of [typing, terminal, dragged]) {
      const lines = (await Deno.readTextFile(file)).split("\n").filter((line) => /^<!--[akp]/.test(line));
      out.push(
        ...lines.filter((line) => from === 0 || !/"kind":"(?:trace|end)"/.test(line)).map((line) =>
          later(line, from)
        ),
      );
      from += RECORDED_MS + 1000;
    }
  }
  await Deno.writeTextFile(path, out.join(""));
  const { size } = await Deno.stat(path), browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
    const painted: number[] = [], read: number[] = [];
    for (let i = 0; i < 5; i++) {
      await page.goto(`file://${path}`);
      await until(() => page.evaluate("performance.getEntriesByName('read').length > 0").catch(() => false));
      painted.push(
        await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
      );
      read.push(await page.evaluate("performance.getEntriesByName('read')[0].startTime"));
    }
    const of = `ten minutes, ${(size / 1e6).toFixed(0)} MB, in Chromium`;
    return [
      row(
        `open a trace of ${of}: first paint, median`,
        `${percentile(painted, 0.5).toFixed(0)} ms`,
        "below 300 ms",
      ),
      row(
        `open a trace of ${of}: all read, median`,
        `${percentile(read, 0.5).toFixed(0)} ms`,
        "below 2000 ms",
      ),
    ];
  } finally {
    await browser.close();
  }
}

/** Moves a line to a later time. */
function later(line: string, by: number): string {
  const moved = line.startsWith("<!--a")
    ? line.replace(/"t":([\d.]+)/, (_, t) => `"t":${Number(t) + by}`)
    : line.replace(/^(<!--[kp]) ([\d.]+)/, (_, begin, t) => `${begin} ${Number(t) + by}`);
  return `${moved}\n`;
}
