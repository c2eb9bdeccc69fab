/** Elements compared with python3-pyatspi: the time to read a window, first and again without changes. */

import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import { ElementsStage } from "../tests/support/elements.ts";
import { until } from "../tests/support/shell.ts";
import { pressMoving } from "../tests/support/churn.ts";
import { callsOfReading } from "./elements_bound.ts";
import { percentile, processorMs } from "./measure.ts";
import type { Row } from "./table.ts";

const PYTHON = "/usr/bin/python3";
const file = (name: string) => fromFileUrl(new URL(`./elements/${name}`, import.meta.url));
/** How long a program must use no CPU time to count as idle, in milliseconds. */
const REST_MS = 300;
/**
 * Number of readings, the median of which is reported, and of deskhand's warm-up readings, which let V8 compile
 * its code and do not count.
 */
const ROUNDS = 9, WARM_ROUNDS = 40;
/** Number of presses in a list, and the interval at which it is reordered, in milliseconds. */
const PRESSES = { count: 10_000, intervalMs: 20 };

/** A window to read. */
interface Subject {
  what: string;
  title: string;
  command: [string, ...string[]];
  /** Minimum number of elements that the window shows once it is ready. */
  least: number;
  aim: string;
  /** Number of readings by the other reader, if each is slow. */
  theirRounds?: number;
}

/** Arguments that make Chromium expose a page's elements, and show nothing but the page. */
const CHROMIUM = [
  "--no-sandbox",
  "--force-renderer-accessibility",
  "--no-first-run",
  "--window-size=1200,700",
];

function subjects(): Subject[] {
  const form = [
    "--forms",
    "--title",
    "Ask",
    "--text",
    "Form",
    "--add-entry",
    "Name",
    "--add-password",
    "Secret",
  ];
  return [
    { what: "a form of zenity", title: "Ask", command: ["zenity", ...form], least: 5, aim: "3 ms" },
    {
      ...{ what: "a window of GTK with 100 elements", title: "elements", least: 100, aim: "15 ms" },
      command: [PYTHON, file("window.py"), "elements"],
    },
    {
      ...{ what: "a list of 10,000 rows", title: "rows", least: 5, aim: "20 ms" },
      // It walks through all rows.
      theirRounds: 1,
      command: [PYTHON, file("window.py"), "rows"],
    },
    {
      ...{ what: "a page of 700 shown elements", title: "Shop - Chromium", least: 300, aim: "160 ms" },
      command: ["chromium", ...CHROMIUM, file("page.html")],
    },
  ];
}

/** Measures the elements of windows, each on a separate desktop. */
export async function elementsRows(): Promise<Row[]> {
  return [...await readings(), await stopped()];
}

async function readings(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const subject of subjects()) {
    await using stage = await ElementsStage.start();
    await stage.post("/api/elements", { enabled: true }); // Chromium checks the switch when it starts
    // ATK programs cache from the first query on, and the cache lacks pages loaded later: the usual case.
    stage.start("zenity", "--info", "--title", "First");
    await until(() => stage.list("title=First"), (elements) => elements.length > 1);
    const child = stage.start(...subject.command);
    await until(() => stage.list(queryOf(subject)), (elements) => elements.length >= subject.least);
    await rested(child.pid);
    const own = await readingsOf(stage, subject);
    rows.push(...own);
    child.kill("SIGKILL");
  }
  return rows;
}

function queryOf({ title }: Pick<Subject, "title">): string {
  return `title=${encodeURIComponent(title)}&limit=20000`;
}

/** Waits until a program is idle: a GTK list walks through all its rows after it is shown. */
async function rested(pid: number): Promise<void> {
  let last = -1;
  await until(async () => {
    const before = last;
    last = processorMs(pid);
    await delay(REST_MS);
    return last - before;
  }, (spent) => spent === 0);
}

async function readingsOf(
  stage: ElementsStage,
  { what, title, theirRounds = ROUNDS, aim }: Subject,
): Promise<Row[]> {
  const query = queryOf({ title });
  const first = await timed(async () => (await stage.get(`/api/elements?${query}`)).elements.length);
  console.error(`${what}: ${first.ms.toFixed(1)} ms in the first ${ROUNDS} readings`);
  for (let i = 0; i < WARM_ROUNDS; i++) await stage.get(`/api/elements?${query}`);
  const ours = await timed(async () => (await stage.get(`/api/elements?${query}`)).elements.length);
  const theirs = await pyatspi(stage, title, theirRounds), rows: Row[] = [row(what, ours, theirs, aim)];
  const program = await bareClient(stage, query), only = { against: "the program alone", counted: "calls" };
  if (program) rows.push(row(what, ours, program, "none", only));
  let { serial } = await stage.get(`/api/elements?${query}`);
  ({ serial } = await stage.get(`/api/elements?${query}&since=${serial}`)); // the first one starts watching
  const since = await timed(async () => {
    const answer = await stage.get(`/api/elements?${query}&since=${serial}`);
    return answer.elements.length;
  });
  return [...rows, row(`${what}, since it was read`, since, theirs, "15 ms")];
}

/** A median of milliseconds, and the number of elements. */
interface Timed {
  ms: number;
  count: number;
}

async function timed(read: () => Promise<number>): Promise<Timed> {
  const times: number[] = [];
  let count = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    count = await read();
    times.push(performance.now() - start);
  }
  return { ms: percentile(times, 0.5), count };
}

async function pyatspi({ env }: ElementsStage, title: string, rounds: number): Promise<Timed | undefined> {
  const args = [file("pyatspi_walk.py"), title, String(rounds)];
  const { success, stdout } = await new Deno.Command(PYTHON, { args, env, stderr: "null" }).output();
  if (!success) return void console.error("python3-pyatspi is not installed: it is left out");
  const { ms, count } = JSON.parse(new TextDecoder().decode(stdout));
  return { ms: percentile(ms, 0.5), count };
}

/** Times the program's responses to the calls of a reading. */
async function bareClient(stage: ElementsStage, query: string): Promise<Timed | undefined> {
  const { window } = await stage.get(`/api/elements?${query}`);
  for (const [name, value] of Object.entries(stage.env)) Deno.env.set(name, value);
  const calls = callsOfReading(window), messages = await Deno.makeTempFile();
  try {
    if (!calls) return undefined;
    await Deno.writeFile(messages, calls.bytes);
    const args = [file("bare_calls.py"), calls.socket, messages, String(calls.count), String(ROUNDS)];
    const { stdout } = await new Deno.Command(PYTHON, { args }).output();
    return { ms: percentile(JSON.parse(new TextDecoder().decode(stdout)), 0.5), count: calls.count };
  } finally {
    await Deno.remove(messages);
  }
}

function row(
  what: string,
  ours: Timed,
  theirs: Timed | undefined,
  aim: string,
  { against = "python3-pyatspi", counted = "elements" } = {},
): Row {
  return {
    what,
    ours: `${ours.ms.toFixed(1)} ms, ${ours.count} elements`,
    against: theirs ? against : "",
    theirs: theirs ? `${theirs.ms.toFixed(1)} ms, ${theirs.count} ${counted}` : "",
    ...(theirs ? { ratio: theirs.ms / ours.ms } : {}),
    aim,
  };
}

/** Measures how long a stopped program's window delays a reader, and a reader of another program's window. */
async function stopped(): Promise<Row> {
  await using stage = await ElementsStage.start();
  const [form, window] = subjects(), children = [form, window].map(({ command }) => stage.start(...command));
  for (const { title, least } of [form, window]) {
    await until(() => stage.list(`title=${title}`), (elements) => elements.length >= least);
  }
  children[0].kill("SIGSTOP");
  const ms: string[] = [];
  for (const { title } of [form, window, form, window]) {
    const start = performance.now();
    await stage.get(`/api/elements?title=${title}`);
    ms.push((performance.now() - start).toFixed(0));
  }
  return {
    what: "a window of a program that is stopped, another one, and both again",
    ours: `${ms.join(", ")} ms`,
    against: "",
    theirs: "",
    aim: "350 ms once",
  };
}

/** Measures presses on elements that constantly change their positions, for a quarter of an hour. */
export async function pressesRows(): Promise<Row[]> {
  const { count, intervalMs } = PRESSES, { wrong, via, refused, ms } = await pressMoving(count, intervalMs);
  const ways = Object.entries({ ...via, ...refused }).map(([way, times]) => `${times} ${way}`).join(", ");
  return [{
    what: `${count} presses in a list reordered every ${intervalMs} ms (${ways}, ${
      (ms / count).toFixed(0)
    } ms each)`,
    ours: `${wrong.length} on another element`,
    against: "",
    theirs: "",
    aim: "0",
  }];
}
