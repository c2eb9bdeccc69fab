/**
 * WebDriver on KCalc, compared with KDE's selenium-webdriver-at-spi, in turn on the same display and bus.
 *
 * `DESKHAND_BENCH_AT_SPI` is the folder of that driver's source, which needs `python3-flask`, `python3-lxml`,
 * `python3-numpy`, `python3-pyatspi` and `gir1.2-gtk-3.0`; on Debian 12, which has no `Atspi.get_version`, the
 * driver's line with it must be `major, minor, _micro = 2, 46, 0`. Elements of Debian 12's KCalc have no
 * identifiers, but those of Debian 13 do: `DESKHAND_BENCH_ROOT` is the root folder of such a system
 * (docs/maintainers/testing.md), and the driver's folder is then a path inside it.
 */

import { delay } from "@std/async/delay";
import { ElementsStage } from "../tests/support/elements.ts";
import { until } from "../tests/support/shell.ts";
import { WebDriverClient } from "../tests/support/webdriver_client.ts";
import { percentile } from "./measure.ts";
import type { Row } from "./table.ts";

const DRIVER = Deno.env.get("DESKHAND_BENCH_AT_SPI"), ROOT = Deno.env.get("DESKHAND_BENCH_ROOT");
/** The command with which each driver starts KCalc: KDE's driver runs inside the other system. */
const APP = { deskhand: ROOT ? `chroot ${ROOT} kcalc` : "kcalc", kde: "kcalc" };
const KDE_PORT = 4790;
/** Numbers of rounds of single commands and of whole sessions; the first of each does not count. */
const ROUNDS = 15, SESSIONS = 4;
const SEVEN = ROOT ? ["accessibility id", "pb7"] : ["name", "7"];

/** The measured commands, which act on the element of the key 7. */
const COMMANDS: Record<
  string,
  { aim: string; run(client: WebDriverClient, seven: string): Promise<unknown> }
> = {
  ...(ROOT
    ? {
      "find by identifier": {
        aim: "5 ms",
        run: (client: WebDriverClient) => client.find(SEVEN[0], SEVEN[1]),
      },
    }
    : {}),
  "find by name": { aim: "5 ms", run: (client) => client.find("name", "7") },
  "find by XPath": {
    aim: "100 ms",
    run: (client) => client.find("xpath", "//*[@name='7' and contains(@states, 'focusable')]"),
  },
  click: { aim: "40 ms", run: (client, seven) => client.post(`/element/${seven}/click`) },
  text: { aim: "5 ms", run: (client, seven) => client.get(`/element/${seven}/text`) },
  place: { aim: "5 ms", run: (client, seven) => client.get(`/element/${seven}/rect`) },
  source: { aim: "100 ms", run: (client) => client.get("/source") },
};

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const median = (times: number[]) => percentile(times.slice(1), 0.5);

/** Measures WebDriver on KCalc. */
export async function webdriverRows(): Promise<Row[]> {
  await using stage = await ElementsStage.start("--webdriver", "0", "--webdriver-open", "*");
  const [, port] = await stage.program.printed(/^WebDriver server started on port (\d+)$/m);
  await stage.post("/api/elements", { enabled: true }); // Qt checks the bus when it starts
  const clients = { deskhand: new WebDriverClient(`http://127.0.0.1:${port}`), kde: await kdeDriver(stage) };
  const rows = [await startRow(stage, clients.deskhand)];
  const open = async (name: "deskhand" | "kde") => {
    const { status, value } = await clients[name]!.open({ "appium:app": APP[name] });
    if (status !== 200) throw new Error(JSON.stringify(value));
  };
  const names = (["deskhand", "kde"] as const).filter((name) => clients[name]);
  const times: Record<string, Record<string, number[]>> = {};
  for (const name of names) {
    const client = clients[name]!, own: Record<string, number[]> = times[name] = { session: [], test: [] };
    for (let i = 0; i < SESSIONS; i++) {
      own.test.push(
        await timed(async () => {
          own.session.push(await timed(() => open(name)));
          const seven = await client.find(SEVEN[0], SEVEN[1]);
          for (let press = 0; press < 10; press++) await client.post(`/element/${seven}/click`);
          await client.quit();
        }),
      );
    }
  }
  const sevens: Record<string, string> = {};
  for (const name of names) {
    await open(name);
    sevens[name] = await clients[name]!.find(SEVEN[0], SEVEN[1]);
  }
  for (const [what, { run }] of Object.entries(COMMANDS)) {
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of names) {
        (times[name][what] ??= []).push(await timed(() => run(clients[name]!, sevens[name])));
      }
    }
  }
  for (const name of names) await clients[name]!.quit();
  const aims: Record<string, string> = { session: "", test: "a fifth" };
  for (const [what, { aim }] of Object.entries(COMMANDS)) aims[what] = aim;
  for (const [what, aim] of Object.entries(aims)) {
    rows.push(rowOf(what, median(times.deskhand[what]), times.kde && median(times.kde[what]), aim));
  }
  return rows;
}

/** Time to start a session, compared with the time in which KCalc alone shows its window. */
async function startRow(stage: ElementsStage, client: WebDriverClient): Promise<Row> {
  const alone: number[] = [], session: number[] = [];
  for (let i = 0; i < SESSIONS; i++) {
    const [command, ...args] = APP.deskhand.split(" ");
    const start = performance.now(), child = stage.start(command, ...args);
    await until(() => stage.list("title=KCalc"), (elements) => elements.length > 0);
    alone.push(performance.now() - start);
    child.kill("SIGKILL");
    await until(() => stage.list("title=KCalc"), (elements) => elements.length === 0);
    await delay(200);
    session.push(await timed(() => client.open({ "appium:app": APP.deskhand })));
    await client.quit();
  }
  const ours = median(session), own = median(alone);
  return {
    what: "WebDriver: a session's start",
    ours: `${ours.toFixed(0)} ms`,
    against: "the program alone",
    theirs: `${own.toFixed(0)} ms`,
    ratio: own / ours,
    aim: "50 ms more",
  };
}

function rowOf(what: string, ours: number, theirs: number | undefined, aim: string): Row {
  const inWords = (ms: number) => `${ms.toFixed(1)} ms`;
  return {
    what: `WebDriver, KCalc: ${what}`,
    ours: inWords(ours),
    against: theirs === undefined ? "" : "selenium-webdriver-at-spi",
    theirs: theirs === undefined ? "" : inWords(theirs),
    ...(theirs === undefined ? {} : { ratio: theirs / ours }),
    aim,
  };
}

/** Starts KDE's driver; undefined if its source is not available. */
async function kdeDriver(stage: ElementsStage): Promise<WebDriverClient | undefined> {
  if (!DRIVER) return undefined;
  const flask = "FLASK_APP=selenium-webdriver-at-spi.py /usr/bin/python3 -m flask run --no-reload";
  const command = ["sh", "-c", `cd ${DRIVER} && exec env ${flask} -p ${KDE_PORT}`];
  const [program, ...args] = ROOT ? ["chroot", ROOT, ...command] : command;
  stage.start(program, ...args);
  const client = new WebDriverClient(`http://127.0.0.1:${KDE_PORT}`);
  const answers = () => client.send("GET", "/status").then(() => true, () => false);
  await until(answers, Boolean, () => `KDE's driver does not answer; its command shows why: ${command[2]}`);
  return client;
}
