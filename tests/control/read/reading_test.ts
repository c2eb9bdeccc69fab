/** Reading a screen: pages, positions, and cached lines. */

import { assertEquals, assertRejects } from "@std/assert";
import { type Grey, normalised, type Word } from "../../../control/read/grey.ts";
import { LINES, readLines } from "../../../control/read/pages.ts";
import {
  KnownLines,
  type PageReader,
  Reading,
  type ReadLine,
  SharedReaders,
} from "../../../control/read/reading.ts";
import { InputError } from "../../../core/errors.ts";
import { until } from "../../support/shell.ts";

/** A grey picture with a bar of some length in each place, which stands for a line of text. */
function bars(width: number, height: number, places: [x: number, y: number, length: number][]): Grey {
  const data = new Uint8Array(width * height).fill(230);
  for (const [x, y, length] of places) {
    for (let row = y; row < y + 10; row++) {
      for (let column = 0; column < length; column++) if (column % 6 < 3) data[row * width + x + column] = 20;
    }
  }
  return { width, height, data };
}

/** An engine that reads each bar as one word: the black area of its row. */
class BarEngine {
  pages = 0;
  lines = 0;

  read = ({ width, height, data }: Grey): Word[] => {
    this.pages++;
    const words: Word[] = [];
    for (let row = 0; row < height; row++) {
      const columns = [...data.subarray(row * width, (row + 1) * width).keys()].filter((x) =>
        data[row * width + x] < 128
      );
      if (!columns.length) continue;
      const last = words.at(-1), x = columns[0], right = columns.at(-1)! + 1;
      if (last && last.y + last.height === row) last.height++;
      else words.push({ text: `bar${right - x}`, x, y: row, width: right - x, height: 1 });
    }
    this.lines += words.length;
    return words;
  };
}

const options = { hasLeft: () => false };

/** Reads pages with an engine, each after everything in flight. */
const readerOf = (engine: BarEngine): PageReader => async (lines) => {
  await Promise.resolve();
  return readLines(lines, engine.read);
};
const readingBy = (...engines: BarEngine[]) => new Reading(engines.map(readerOf));

Deno.test("words come back at their screen positions, wherever they are on a page", async () => {
  const engine = new BarEngine(), reading = readingBy(engine);
  const places: [number, number, number][] = Array.from({ length: 70 }, (_, i) => [
    10 + i % 3 * 200,
    8 + Math.floor(i / 3) * 20,
    30 + i,
  ]);
  const lines = await reading.lines(bars(620, 500, places), options);
  assertEquals(lines.length, 70);
  assertEquals(engine.pages, Math.ceil(70 / LINES));
  for (const [i, { x, y, words: [word] }] of lines.entries()) {
    assertEquals([x, y], [places[i][0], places[i][1]]);
    const [left, top, length] = places[i];
    const off = [word.x - left, word.y - top, word.width - length, word.height - 10].map(Math.abs);
    assertEquals(off.every((pixels) => pixels <= 4), true, `${i}: ${off}`);
  }
});

Deno.test("unchanged lines are not reread, wherever they are; one changed pixel is", async () => {
  const engine = new BarEngine(), reading = readingBy(engine);
  const read = async (grey: Grey) => {
    engine.lines = 0;
    const lines = await reading.lines(grey, options);
    return [lines.length, engine.lines];
  };
  const first = bars(300, 200, [[10, 10, 60], [10, 40, 80], [10, 70, 100]]);
  assertEquals(await read(first), [3, 3]);
  assertEquals(await read(first), [3, 0]);
  assertEquals(await read(bars(300, 200, [[10, 27, 80], [10, 57, 100], [10, 87, 120]])), [3, 1]); // scrolled by 17 rows
  const changed = bars(300, 200, [[10, 10, 60], [10, 40, 80], [10, 70, 100]]);
  changed.data[45 * 300 + 13] = 24;
  assertEquals(await read(changed), [3, 1]);
});

Deno.test("a cached line is compared in every pixel: one hash is not enough", () => {
  const known = new KnownLines(), word = { text: "a", x: 0, y: 0, width: 1, height: 1 };
  const line = { width: 4, height: 2, data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) };
  known.keep(line, [word]);
  assertEquals(known.words({ ...line, data: line.data.slice() }), [word]);
  assertEquals(known.words({ width: 2, height: 4, data: line.data }), undefined);
  // A forged line whose hash finds the first line's entry.
  const collision = { width: 4, height: 2, data: line.data.slice() };
  const kept = line.data;
  kept[0] = 9;
  assertEquals(known.words(collision), undefined);
});

Deno.test("the least recently used lines are evicted first, by number and by bytes", () => {
  const line = (value: number, size = 4) => ({
    width: size,
    height: 1,
    data: new Uint8Array(size).fill(value),
  });
  const known = new KnownLines(2, 100);
  known.keep(line(1), []);
  known.keep(line(2), []);
  known.words(line(1));
  known.keep(line(3), []);
  assertEquals([1, 2, 3].map((value) => known.words(line(value)) !== undefined), [true, false, true]);
  known.keep(line(4, 99), []);
  const left = [line(1), line(3), line(4, 99)].map((one) => known.words(one) !== undefined);
  assertEquals(left, [false, false, true]);
});

Deno.test("a caller that leaves ends the reading at a page, and the text read so far stays cached", async () => {
  const engine = new BarEngine(), reading = readingBy(engine);
  const many = bars(500, 1300, Array.from({ length: 60 }, (_, i) => [10, 8 + i * 20, 30 + 6 * i]));
  await assertRejects(
    () => reading.lines(many, { hasLeft: () => engine.pages === 1 }),
    DOMException,
    "disconnected",
  );
  assertEquals(engine.lines, LINES);
  assertEquals((await reading.lines(many, options)).length, 60);
  assertEquals(engine.lines, 60);
});

Deno.test("a reading for one text ends with the page that has it, and skips lines that are too short", async () => {
  const engine = new BarEngine(), reading = readingBy(engine);
  const many = bars(300, 1300, Array.from({ length: 60 }, (_, i) => [10, 8 + i * 20, 30 + i]));
  const lines = await reading.lines(many, { ...options, isEnough: (lines) => lines.length > 0 });
  assertEquals([lines.length, engine.pages], [LINES, 1]);
  const fresh = readingBy(new BarEngine());
  const long = await fresh.lines(many, { ...options, letters: 40 });
  assertEquals(long.every(({ width }) => width >= 60) && long.length > 20 && long.length < 35, true);
});

Deno.test("two readers share the pages of much text; little is one page", async () => {
  const engines = [new BarEngine(), new BarEngine()], reading = readingBy(...engines);
  const many = bars(700, 1300, Array.from({ length: 60 }, (_, i) => [10, 8 + i * 20, 30 + 10 * i]));
  assertEquals((await reading.lines(many, options)).length, 60);
  for (const { lines, pages } of engines) assertEquals([lines >= 20, pages >= 1], [true, true]);
  const few = [new BarEngine(), new BarEngine()];
  const little = bars(300, 300, Array.from({ length: 8 }, (_, i) => [10, 8 + i * 20, 30 + i]));
  await readingBy(...few).lines(little, options);
  assertEquals(few.map(({ pages }) => pages), [1, 0]);
});

Deno.test("a text that one reader found does not wait for the other's page, whose lines are cached", async () => {
  const other = Promise.withResolvers<void>(), engine = new BarEngine(), slow = new BarEngine();
  const reading = new Reading([
    readerOf(engine),
    async (lines) => {
      await other.promise;
      return readLines(lines, slow.read);
    },
  ]);
  const places = Array.from({ length: 60 }, (_, i): [number, number, number] => [10, 8 + i * 20, 30 + i]);
  const first = { ...options, isEnough: (lines: readonly ReadLine[]) => lines.length > 0 };
  const found = await reading.lines(bars(300, 1300, places), first);
  assertEquals([found.length > 10, slow.lines], [true, 0]);
  other.resolve();
  await until(() => slow.lines > 0);
  const read = engine.lines + slow.lines, known = bars(300, 1300, places.slice(0, read));
  assertEquals((await reading.lines(known, options)).length, read);
  assertEquals(engine.lines + slow.lines, read);
});

Deno.test("far too much text is refused with advice", async () => {
  const reading = readingBy(new BarEngine());
  const grey = bars(4000, 1200, Array.from({ length: 40 }, (_, i) => [10, 8 + i * 24, 3900]));
  await assertRejects(() => reading.lines(grey, options), InputError, "give a region");
});

Deno.test("a line of which little was read is reread alone, and the longer reading counts", () => {
  const asked: [height: number, isLine: boolean][] = [];
  const line = { width: 60, height: 10, data: new Uint8Array(600).fill(200).fill(0, 200, 300) };
  const read = ({ height }: Grey, isLine: boolean): Word[] => {
    asked.push([height, isLine]);
    const word = (text: string, y: number, width: number) => ({ text, x: 20, y, width, height: 20 });
    if (isLine) return [word("whole line", 14, 140)];
    return [word("whole line", 14, 140), word("wh", 62, 30)];
  };
  assertEquals(readLines([line, line], read).map(([{ text }]) => text), ["whole line", "whole line"]);
  assertEquals(asked.map(([, isLine]) => isLine), [false, true]);
  assertEquals(asked[1][0] < asked[0][0], true);
});

Deno.test("a line becomes dark on white with full contrast, whatever it was", () => {
  for (const [ground, ink] of [[255, 0], [30, 220], [200, 120], [90, 250]]) {
    const data = new Uint8Array(200).fill(ground);
    for (let i = 0; i < 200; i += 7) data[i] = ink;
    const { data: made } = normalised({ width: 20, height: 10, data }, 10);
    assertEquals([Math.min(...made), Math.max(...made)], [0, 255], `${ground} ${ink}`);
    assertEquals(made.filter((value) => value > 200).length > 150, true, `${ground} ${ink}`);
  }
});

Deno.test("words of a page between its lines belong to no line", () => {
  const line = { width: 40, height: 10, data: new Uint8Array(400).fill(200) };
  line.data[0] = 0;
  const word = { text: "x", x: 25, y: 9000, width: 5, height: 5 };
  assertEquals(readLines([line], () => [word]), [[]]);
});

// Pages that several readers share: each is read once, and none is waited for that another reader can read.

interface Line {
  number: number;
  line: Grey;
}

/** Pages of one line each; its width is its number. */
const pages = (count: number): Line[][] =>
  Array.from(
    { length: count },
    (_, number) => [{ number, line: { width: number, height: 1, data: new Uint8Array(number) } }],
  );

/** A reader that begins each page, and ends it when the test says so, or immediately if it is open. */
class Gate {
  readonly begun: number[] = [];
  #gate = Promise.withResolvers<void>();

  constructor(isOpen = false) {
    if (isOpen) this.open();
  }

  open(): void {
    this.#gate.resolve();
  }

  fail(error: Error): void {
    this.#gate.reject(error);
  }

  read: PageReader = async ([{ width }]) => {
    this.begun.push(width);
    await this.#gate.promise;
    return [[]];
  };
}

/** Receives pages; has enough of them after some. */
class Result {
  readonly numbers: number[] = [];
  constructor(readonly enough = Infinity) {}

  check() {}

  onRead(page: readonly Line[]): boolean {
    this.numbers.push(...page.map(({ number }) => number));
    return this.numbers.length >= this.enough;
  }
}

Deno.test("the first reader takes over a stalled reader's page, whose words then count once", async () => {
  const first = new Gate(true), still = new Gate(), result = new Result();
  const readers = new SharedReaders([first.read, still.read]);
  await readers.read(pages(5), result);
  assertEquals([still.begun, result.numbers], [[1], [0, 2, 3, 4, 1]]);
  still.open();
  await until(() => readers.free === 2);
  assertEquals([result.numbers, still.begun], [[0, 2, 3, 4, 1], [1]]);
});

Deno.test("a page taken over by the first reader is not waited for if the other one ends it", async () => {
  const first = new Gate(), other = new Gate(true), result = new Result();
  const reading = new SharedReaders([first.read, other.read]).read(pages(4), result);
  await until(() => result.numbers.length === 3);
  assertEquals([first.begun, result.numbers], [[0], [1, 2, 3]]);
  first.open();
  await reading;
  assertEquals([first.begun, result.numbers], [[0], [1, 2, 3, 0]]);
  const slow = new Gate(), late = new Gate(), both = new Result();
  const second = new SharedReaders([
    (lines) => lines[0].width === 0 ? Promise.resolve([[]]) : slow.read(lines),
    late.read,
  ]).read(pages(2), both);
  await until(() => slow.begun.length === 1);
  assertEquals([slow.begun, late.begun], [[1], [1]]);
  late.open();
  await second;
  assertEquals(both.numbers, [0, 1]);
});

Deno.test("a reader that is late with an earlier reading gets no page until it has ended that one", async () => {
  const first = new Gate(true), still = new Gate(), readers = new SharedReaders([first.read, still.read]);
  await readers.read(pages(3), new Result());
  assertEquals(readers.free, 1);
  const next = new Result();
  await readers.read(pages(3), next);
  assertEquals([next.numbers, still.begun], [[0, 1, 2], [1]]);
  still.open();
  await until(() => readers.free === 2);
  await readers.read(pages(3), new Result());
  assertEquals(still.begun.length > 1, true);
});

Deno.test("a sufficient result ends the reading, and pages in progress come later", async () => {
  const first = new Gate(true), still = new Gate(), result = new Result(1);
  await new SharedReaders([first.read, still.read]).read(pages(5), result);
  assertEquals([first.begun, still.begun, result.numbers], [[0], [1], [0]]);
  still.open();
  await until(() => result.numbers.length === 2);
  assertEquals([still.begun, result.numbers], [[1], [0, 1]]);
});

Deno.test("an error of any reader ends the reading; a later error reaches no caller", async () => {
  const first = new Gate(true), still = new Gate(), readers = new SharedReaders([first.read, still.read]);
  await readers.read(pages(2), new Result());
  still.fail(new Error("late"));
  await until(() => readers.free === 2);
  await assertRejects(() => readers.read(pages(2), new Result()), Error, "late");
});
