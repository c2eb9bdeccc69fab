/** Pages that several readers share: each is read once, and none is waited for that another reader can read. */

import { assertEquals, assertRejects } from "@std/assert";
import type { Grey } from "../../../control/read/grey.ts";
import { type PageReader, SharedReaders } from "../../../control/read/reading.ts";
import { until } from "../../support/until.ts";

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

/** A reader that begins each page, and ends it when the test says so, or at once if it is open. */
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

/** Gets pages; has enough of them after some. */
class Result {
  readonly numbers: number[] = [];
  constructor(readonly enough = Infinity) {}

  check() {}

  onRead(page: readonly Line[]): boolean {
    this.numbers.push(...page.map(({ number }) => number));
    return this.numbers.length >= this.enough;
  }
}

Deno.test("the first reader takes over the page of one that stands still, whose words then count once", async () => {
  const first = new Gate(true), still = new Gate(), result = new Result();
  const readers = new SharedReaders([first.read, still.read]);
  await readers.read(pages(5), result);
  assertEquals([still.begun, result.numbers], [[1], [0, 2, 3, 4, 1]]);
  still.open();
  await until(() => readers.free === 2);
  assertEquals([result.numbers, still.begun], [[0, 2, 3, 4, 1], [1]]);
});

Deno.test("the page that the first reader takes over is not waited for where the other one ends it", async () => {
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

Deno.test("a result that is enough ends the reading, and pages that are being read come later", async () => {
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
