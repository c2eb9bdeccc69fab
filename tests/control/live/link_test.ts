/** The rating of viewers' connections, on simulated connections. */

import { assert, assertEquals } from "@std/assert";
import type { LiveScreen } from "../../../control/desktop/screen.ts";
import { type LiveReport, pause, Viewers, viewersMemory } from "../../../control/desktop/viewers.ts";
import { Link, type Quality } from "../../../control/http/live/protocol.ts";
import { makePictures } from "../../../control/live/maker.ts";

/** A connection: bytes per millisecond, and its round trip in milliseconds. */
interface Pipe {
  rate: number;
  delay: number;
}

/**
 * Sends pictures over a pipe as soon as they may be sent: within the allowance, or three of `balanced` bytes.
 * @param ms Duration in milliseconds.
 * @returns The result: the final allowance, bytes per second, and how long the pictures of the last second
 * waited.
 */
function played(link: Link, { rate, delay }: Pipe, ms: number, balanced: number, from = 0) {
  const underWay: { bytes: number; at: number; arrives: number }[] = [], waits: number[] = [];
  let passed = from, bytes = 0, answers = Infinity;
  for (let now = from; now < from + ms || underWay.length || answers < Infinity; now++) {
    const isOver = now >= from + ms;
    if (now >= answers) {
      link.answered(now);
      answers = Infinity;
    }
    while (underWay.length && underWay[0].arrives <= now) {
      const { at } = underWay.shift()!;
      link.acknowledged(0, now);
      if (now > from + ms - 1000) waits.push(now - at - delay);
    }
    if (isOver) continue;
    if (link.wantsAnswer(now)) {
      link.asked(now);
      answers = Math.max(passed, now) + delay;
    }
    const { making, picture, underWay: most } = link.allowance(now);
    const isWithin = making === "within", size = isWithin ? Math.min(picture, balanced) : balanced;
    const sum = underWay.reduce((all, one) => all + one.bytes, 0);
    if (!(isWithin ? !underWay.length || sum < most : underWay.length < 3)) continue;
    passed = Math.max(passed, now) + size / rate;
    underWay.push({ bytes: size, at: now, arrives: passed + delay });
    link.sent(size, now);
    if (now > from + ms - 6000) bytes += size;
  }
  return { ...link.allowance(from + ms), bytesPerMs: bytes / 6000, wait: Math.max(...waits) };
}

const PIPES: [name: string, pipe: Pipe][] = [
  ["1 Mbit/s, 200 ms", { rate: 125, delay: 200 }],
  ["0.3 Mbit/s, 400 ms", { rate: 37, delay: 400 }],
  ["4 Mbit/s, 60 ms", { rate: 500, delay: 60 }],
  ["20 Mbit/s, 20 ms", { rate: 2500, delay: 20 }],
];
for (const [name, pipe] of PIPES) {
  Deno.test(`pictures of a viewer with a slow network fill ${name}, and wait little`, () => {
    const link = new Link("slow");
    const { making, picture, bytesPerMs, wait } = played(link, pipe, 30_000, 1e6);
    assertEquals(making, "within");
    assert(picture > 50 * pipe.rate && picture < 100 * pipe.rate, `a picture has ${picture} bytes`);
    assert(bytesPerMs > 0.75 * pipe.rate, `${bytesPerMs} bytes a millisecond pass`);
    assert(wait < 250, `a picture waits for ${wait} ms`);
  });
}

Deno.test("a connection that slows down and recovers is followed", () => {
  const link = new Link("slow");
  played(link, { rate: 2500, delay: 40 }, 20_000, 1e6);
  const slower = played(link, { rate: 125, delay: 200 }, 30_000, 1e6, 20_000);
  assert(slower.picture < 15_000 && slower.bytesPerMs > 100, JSON.stringify(slower));
  const faster = played(link, { rate: 2500, delay: 40 }, 30_000, 1e6, 60_000);
  assert(faster.picture > 140_000, JSON.stringify(faster));
});

const CHOICES: [quality: Quality, pipe: Pipe, making: string][] = [
  ["automatic", { rate: 125, delay: 200 }, "within"],
  ["automatic", { rate: 100_000, delay: 2 }, "balanced"],
  ["automatic", { rate: 12_000, delay: 30 }, "balanced"],
  ["balanced", { rate: 125, delay: 200 }, "balanced"],
  ["sharp", { rate: 125, delay: 200 }, "sharp"],
];
for (const [quality, pipe, making] of CHOICES) {
  Deno.test(`${quality} is ${making} at ${pipe.rate} bytes a millisecond`, () => {
    assertEquals(played(new Link(quality), pipe, 30_000, 100_000).making, making);
  });
}

Deno.test("automatic is balanced again once the connection is fast", () => {
  const link = new Link("automatic");
  assertEquals(played(link, { rate: 125, delay: 200 }, 20_000, 100_000).making, "within");
  assertEquals(played(link, { rate: 50_000, delay: 5 }, 20_000, 100_000, 20_000).making, "balanced");
});

Deno.test("a viewer whose page is hidden or busy does not count as slow", () => {
  const link = new Link("automatic");
  for (let i = 0; i < 50; i++) {
    link.sent(100_000, i * 3000);
    link.acknowledged(2980, i * 3000 + 2990);
  }
  assertEquals(link.allowance(150_000).making, "balanced");
});

Deno.test("automatic probes a possibly slow connection with part of the picture", () => {
  const slow = new Link("automatic"), fast = new Link("automatic");
  for (const [link, ms, making] of [[slow, 800, "within"], [fast, 12, "balanced"]] as const) {
    link.asked(0);
    link.answered(10);
    const { picture } = link.allowance(10);
    assertEquals(picture, 65_536);
    link.sent(picture, 10);
    link.acknowledged(0, 20 + ms);
    assertEquals(link.allowance(900).making, making);
  }
  assert(slow.allowance(900).picture < 10_000, "82 bytes a millisecond");
});

Deno.test("few small pictures are no evidence of the rate", () => {
  const link = new Link("slow"), before = link.rate;
  for (let i = 0; i < 100; i++) {
    link.sent(300, i * 500);
    link.acknowledged(0, i * 500 + 230);
  }
  assertEquals(link.rate, before);
});

// When viewers receive pictures: the maker with a screen and viewers in one thread.

/** Steps before each look, in order; after the last, the maker ends. */
type Step = (screen: FakeScreen, viewers: Viewers) => void;

/** A screen of four tiles in a row. */
class FakeScreen implements LiveScreen {
  place = { x: 0, y: 0, width: 256, height: 64 };
  pixels = new Uint8Array(256 * 64 * 4);
  pointer?: LiveScreen["pointer"];
  jpeg?: LiveScreen["jpeg"];
  readonly #steps: Step[];

  constructor(steps: Step[], readonly viewers: Viewers) {
    this.#steps = steps;
  }

  update() {
    const step = this.#steps.shift();
    if (step) step(this, this.viewers);
    else this.viewers.stop();
    return { box: { ...this.place, x: 0, y: 0 } };
  }

  /** Changes a pixel of a tile. */
  change(tile: number) {
    this.pixels[tile * 64 * 4]++;
  }

  /** Fills a tile with a video frame, or with one colour. */
  fill(tile: number, kind: "video" | "plain") {
    for (let row = 0; row < 64; row++) {
      const start = (row * 256 + tile * 64) * 4, bytes = this.pixels.subarray(start, start + 256);
      if (kind === "plain") bytes.fill(0);
      else crypto.getRandomValues(bytes);
    }
  }

  wait(ms: number) {
    pause(this.viewers.memory, ms);
  }

  close() {}
}

/** The viewers that received each picture, and its tiles, NaN for JPEG files: `1,2: 0 3`. */
function pictures(steps: Step[], enter: (viewers: Viewers) => void): string[] {
  const viewers = new Viewers(viewersMemory()), told: string[] = [];
  enter(viewers);
  const report = (report: LiveReport) => {
    if (report.type === "screen") return told.push(`screen ${report.place.width}x${report.place.height}`);
    if (report.type === "changes") return told.push(`changes ${report.regions}`);
    const view = new DataView(report.message.buffer);
    const tiles: number[] = [];
    for (let run = 0, at = 12; run < view.getUint16(2, true); run++, at += 8) {
      const first = view.getUint16(at, true) / 64, width = view.getUint16(at + 4, true) / 64;
      for (let i = 0; i < width; i++) tiles.push(first + i);
    }
    if (view.getUint16(4, true)) tiles.push(NaN);
    const pointer = ["", " pointer", " pointer's picture"][view.getUint16(6, true)];
    told.push(`${report.to.map(([, number]) => number)}: ${tiles.join(" ")}${pointer}`);
  };
  makePictures(new FakeScreen(steps, viewers), viewers.memory, report);
  return told;
}

Deno.test("a viewer that acknowledges late gets what it lacks in one picture, and others do not wait", () => {
  const change = (tile: number, ...acknowledging: number[]): Step => (screen, viewers) => {
    for (const slot of acknowledging) viewers.acknowledge(slot);
    screen.change(tile);
  };
  const told = pictures(
    [
      () => {}, // all tiles for both
      change(0, 0),
      change(1, 0), // the third for the second viewer, which acknowledged none
      change(2, 0),
      change(3, 0),
      change(0, 0, 3),
    ],
    (viewers) => {
      viewers.enter(0, 1);
      viewers.enter(3, 2);
    },
  );
  assertEquals(told, [
    "screen 256x64",
    "1,2: 0 1 2 3",
    "1,2: 0",
    "1,2: 1",
    "1: 2",
    "1: 3",
    "1,2: 0 2 3",
  ]);
});

Deno.test("a viewer that joins later gets the whole picture, and one that left gets none", () => {
  const told = pictures(
    [
      () => {},
      (_, viewers) => viewers.enter(1, 5),
      (screen, viewers) => {
        viewers.acknowledge(0);
        viewers.leave(1);
        screen.change(2);
      },
      () => {},
    ],
    (viewers) => viewers.enter(0, 4),
  );
  assertEquals(told, ["screen 256x64", "4: 0 1 2 3", "5: 0 1 2 3", "4: 2"]);
});

Deno.test("the pointer follows its moves, and its image is sent only when it changes", () => {
  const image = { width: 1, height: 1, hot: { x: 0, y: 0 }, rgba: new Uint8Array(4) };
  const told = pictures([
    (screen) => screen.pointer = { image, at: { x: 1, y: 1 } },
    (screen) => screen.pointer = { image, at: { x: 2, y: 1 } },
    () => {},
    (screen, viewers) => {
      viewers.acknowledge(0);
      screen.pointer = { image: { ...image }, at: { x: 2, y: 1 } };
    },
  ], (viewers) => viewers.enter(0, 1));
  assertEquals(told.slice(1), ["1: 0 1 2 3 pointer's picture", "1:  pointer", "1:  pointer's picture"]);
});

Deno.test("a viewer gets lossless tiles for its JPEG, though a slower one already had them", () => {
  const video: Step = (screen, viewers) => {
    viewers.acknowledge(0);
    screen.fill(0, "video");
    screen.fill(1, "video");
  };
  const keepingUp: Step = (screen, viewers) => {
    viewers.acknowledge(1);
    video(screen, viewers);
  };
  const rests: Step = (_, viewers) => viewers.acknowledge(0);
  const told = pictures([
    (screen) => screen.jpeg = () => new Uint8Array(1),
    ...[keepingUp, keepingUp, keepingUp, keepingUp], // then the second viewer stops acknowledging
    ...[video, video, video],
    (screen, viewers) => { // the first has one tile as JPEG, and the other lossless
      viewers.acknowledge(0);
      screen.fill(1, "plain");
    },
    (_, viewers) => Array.from({ length: 3 }, () => viewers.acknowledge(1)),
    ...Array.from({ length: 40 }, () => rests),
  ], (viewers) => {
    viewers.enter(0, 1);
    viewers.enter(1, 2);
  });
  const afterJpegs = told.slice(told.findLastIndex((line) => line.includes("NaN")) + 1);
  assert(afterJpegs.some((line) => /^1\b.*: 0/.test(line)), told.join("\n"));
});

Deno.test("a new screen size is announced before its pictures, which start over", () => {
  const told = pictures([
    () => {},
    (screen) => {
      screen.place = { ...screen.place, width: 128 };
      screen.pixels = new Uint8Array(128 * 64 * 4);
    },
    () => {},
  ], (viewers) => viewers.enter(0, 1));
  assertEquals(told, ["screen 256x64", "1: 0 1 2 3", "screen 128x64", "1: 0 1"]);
});

Deno.test("watchers get the changed pixels, even without a viewer, and the look that was requested", () => {
  const told = pictures(
    [
      () => {},
      (screen) => {
        screen.change(0);
        screen.change(3);
      },
      () => {},
      (screen, viewers) => {
        screen.pixels[4 * (256 * 5 + 70)]++;
        screen.pixels[4 * (256 * 9 + 66)]++;
        viewers.askLook();
      },
      () => {},
    ],
    (viewers) => viewers.watch("yes"),
  );
  assertEquals(told, [
    "screen 256x64",
    "changes ", // of the first look
    "changes 0,0,1,1,192,0,1,1",
    "changes 66,5,5,5",
    "changes ", // the requested look begins after the question
  ]);
});
