/** Text on the screen compared with the tesseract command: the words that a click finds, and the time. */

import { delay } from "@std/async/delay";
import { agreement, folded, placesOf } from "../control/read/spans.ts";
import { Program } from "../tests/support/program.ts";
import { temporary } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { askPosition, has, percentile, processorMs } from "./measure.ts";
import type { Row } from "./table.ts";
import { openBrowser, type Scene, scenes, type Word } from "./text/scenes.ts";
import { dense, desktopPage, dialog, timed } from "./text/speed.ts";

const SCREEN = { width: 1920, height: 1080 };
/** The part of the screen that contains the scenes. */
const PART = { x: 0, y: 0, width: 760, height: 720 };
/** The default minimum agreement of a match. */
const MATCH = 0.9;

/** A place where a text was found. */
interface Place extends Word {
  match: number;
}

/** Results for the words in scenes. */
class Score {
  words = 0;
  right = 0;
  elsewhere = 0;
  /** CPU time for reading, and elapsed time, in milliseconds. */
  processor = 0;
  ms = 0;
  readonly missed: string[] = [];

  /** Counts a word as found if one of the best places is on it, as wrong if the first place is on another text. */
  add(word: Word, places: readonly Place[], words: readonly Word[]): void {
    const best = places.filter(({ match }) => match === places[0].match);
    this.words++;
    if (best.some((place) => isOn(place, word))) this.right++;
    else this.missed.push(word.text);
    if (best.length && !shows(best[0], word.text, words)) {
      this.elsewhere++;
      this.missed.push(`${word.text} -> ${best[0].text}`);
    }
  }

  get share(): string {
    return `${(100 * this.right / this.words).toFixed(1)} % of ${this.words}`;
  }
}

/** Whether the center of a place is on a word. */
function isOn(place: Word, { x, y, width, height }: Word): boolean {
  const across = place.x + place.width / 2, down = place.y + place.height / 2;
  return across >= x - 1 && across <= x + width + 1 && down >= y - 2 && down <= y + height + 2;
}

/** Whether the words at a place equal or contain the text. */
function shows(place: Word, text: string, words: readonly Word[]): boolean {
  const there = words.filter((word) =>
    isOn(word, { ...place, y: place.y - 4, height: place.height + 8 }) || isOn(place, word)
  );
  const shown = folded(there.map(({ text }) => text).join("")), wanted = folded(text);
  return shown.includes(wanted) || agreement(wanted, shown) >= MATCH ||
    there.some((word) => folded(word.text).includes(wanted) || agreement(wanted, folded(word.text)) >= MATCH);
}

/** Measures reading text on the screen. */
export async function textRows(): Promise<Row[]> {
  await using server = await Xvfb.start(SCREEN);
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  await using browser = await openBrowser(server, SCREEN.width, SCREEN.height);
  const ours = new Score(), peers = { "tesseract": new Score(), "tesseract --psm 11": new Score() };
  const hasPeer = await has("tesseract");
  if (!hasPeer) console.error("tesseract is not installed: it is left out");
  const filter = Deno.env.get("SCENES");
  for (const scene of scenes(browser)) {
    if (filter && !`${scene.kit} ${scene.name}`.includes(filter)) continue;
    await measureScene(scene, server, program, url, ours, hasPeer ? peers : {});
  }
  const rows: Row[] = Object.entries(hasPeer ? peers : {}).flatMap(([against, theirs]) => [
    {
      what: "text: words clicked rightly",
      ours: ours.share,
      against,
      theirs: theirs.share,
      ratio: ours.right / theirs.right,
      aim: "97 %, more than it",
    },
    {
      what: "text: processor time of these readings",
      ours: `${(ours.processor / 1000).toFixed(1)} s`,
      against,
      theirs: `${(theirs.processor / 1000).toFixed(1)} s`,
      ratio: theirs.processor / ours.processor,
      aim: "2",
    },
    {
      what: "text: time of these readings",
      ours: `${(ours.ms / 1000).toFixed(1)} s`,
      against,
      theirs: `${(theirs.ms / 1000).toFixed(1)} s`,
      ratio: theirs.ms / ours.ms,
      aim: "2",
    },
  ]);
  const alone = (what: string, ours: string, aim: string) => ({ what, ours, against: "", theirs: "", aim });
  rows.push(
    alone("text: words that lead to another text", `${ours.elsewhere} of ${ours.words}`, "0 of 2,000"),
  );
  return [...rows, ...await speedRows(browser, program, url, alone)];
}

async function measureScene(
  scene: Scene,
  server: Xvfb,
  program: Program,
  url: string,
  ours: Score,
  peers: Record<string, Score>,
): Promise<void> {
  await using shown = await scene.show(server);
  await post(url, "/api/wait", { still: { ms: 500 } });
  const words = shown.words.filter(({ x, y, width, height, text }) =>
    x >= 0 && y >= 0 && x + width <= PART.width && y + height <= PART.height && /[\p{L}\p{N}]/u.test(text)
  );
  const before = {
    right: ours.right,
    words: ours.words,
    elsewhere: ours.elsewhere,
    missed: ours.missed.length,
  };
  const query = new URLSearchParams(
    Object.entries({ ...PART, source: "screen" }).map(([k, v]) => [k, String(v)]),
  );
  const processor = processorMs(program.pid), start = performance.now();
  await (await fetch(`${url}/api/text?${query}`)).json();
  ours.ms += performance.now() - start;
  ours.processor += processorMs(program.pid) - processor;
  for (const word of words) {
    const { matches } = await post(url, "/api/find", {
      text: word.text,
      limit: 100,
      source: "screen",
      ...PART,
    });
    ours.add(word, matches, words);
  }
  const picture = await (await fetch(`${url}/api/screenshot?format=png&${query}`)).bytes();
  for (const [name, score] of Object.entries(peers)) await measurePeer(name, picture, words, score);
  const right = `${ours.right - before.right} of ${ours.words - before.words}`;
  const wrong = ours.elsewhere - before.elsewhere;
  console.error(
    `${scene.kit}, ${scene.name}: ${right}, ${wrong} elsewhere; ${
      ours.missed.slice(before.missed).join(" ")
    }`,
  );
}

/** Reads a picture with the tesseract command. */
async function measurePeer(
  name: string,
  picture: Uint8Array,
  words: readonly Word[],
  score: Score,
): Promise<void> {
  await temporary(async (folder) => {
    await Deno.writeFile(`${folder}/screen.png`, picture);
    const start = performance.now();
    const { stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", `TIMEFORMAT='%U %S'; time ${name} ${folder}/screen.png - -l eng tsv 2>/dev/null`],
    }).output();
    score.ms += performance.now() - start;
    const times = new TextDecoder().decode(stderr).trim().split("\n").at(-1)!.split(" ").map(Number);
    score.processor += 1000 * (times[0] + times[1]);
    const lines = linesOf(new TextDecoder().decode(stdout));
    for (const word of words) {
      score.add(word, placesOf(lines, { text: word.text, match: MATCH, keepsCase: false }).found, words);
    }
  });
}

/** The lines in tesseract's table. */
function linesOf(table: string): Word[][] {
  const lines: Word[][] = [];
  for (
    const [level, , , , , , x, y, width, height, , text] of table.split("\n").map((row) => row.split("\t"))
  ) {
    if (level === "4") lines.push([]);
    if (level !== "5" || !text?.trim()) continue;
    lines.at(-1)!.push({ text, x: Number(x), y: Number(y), width: Number(width), height: Number(height) });
  }
  return lines;
}

async function post(url: string, path: string, body: unknown) {
  return await (await fetch(url + path, { method: "POST", body: JSON.stringify(body) })).json();
}

/** Measures how long readings take on a 1920x1080 desktop, and how long another client waits meanwhile. */
async function speedRows(
  browser: Awaited<ReturnType<typeof openBrowser>>,
  program: Program,
  url: string,
  alone: (what: string, ours: string, aim: string) => Row,
): Promise<Row[]> {
  const page = await browser.newPage({ viewport: null });
  const read = (query = "") =>
    timed(program.pid, async () => {
      const { lines } = await (await fetch(`${url}/api/text?source=screen&${query}`)).json();
      return lines.flatMap(({ words }: { words: unknown[] }) => words).length;
    });
  const show = async (html: string) => {
    await page.setContent(html);
    await post(url, "/api/wait", { still: { ms: 500 } });
  };
  await show(desktopPage(1));
  const region = await read("x=40&y=60&width=400&height=200");
  await show(desktopPage(2));
  const desktop = await read(), again = await read();
  await page.evaluate(dialog());
  await post(url, "/api/wait", { still: { ms: 500 } });
  const changed = await read();
  await show(dense(3));
  const busy: number[] = [], asking = askPosition(url, busy), full = await read();
  await asking.end();
  const idle: number[] = [], resting = askPosition(url, idle);
  await delay(2000);
  await resting.end();
  await page.close();
  const waited = (waits: number[]) => {
    const [median, p99] = [0.5, 0.99].map((share) => percentile(waits, share).toFixed(1));
    return `median ${median}, 99 % ${p99} ms`;
  };
  return [
    alone("text: a region of 400x200", region, "300 ms"),
    alone("text: an ordinary desktop of 1920x1080, first", desktop, "1500 ms"),
    alone("text: the same again", again, "60 ms"),
    alone("text: after a dialog opened", changed, "250 ms"),
    alone("text: a dense screen of 1920x1080, first", full, "none"),
    {
      what: "position beside this reading: answered after",
      ours: waited(busy),
      against: "alone, in the same run",
      theirs: waited(idle),
      aim: "99 % 5 ms",
    },
  ];
}
