/** Times at which viewers get pictures: the maker with a screen and viewers in one thread. */

import { assert, assertEquals } from "@std/assert";
import { type LiveReport, pause, Viewers, viewersMemory } from "../../../control/desktop/viewers.ts";
import { makePictures } from "../../../control/live/maker.ts";
import type { LiveScreen } from "../../../control/desktop/screen.ts";

/** Steps before each look, in order; the making ends after the last. */
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

  /** Fills a tile with a picture of a video, or with one colour. */
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

/** The numbers of viewers that got each picture, and which tiles were in it, NaN for JPEG files: `1,2: 0 3`. */
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

Deno.test("a viewer that acknowledges late gets what it lacks in one picture, and others do not wait for it", () => {
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

Deno.test("a viewer that comes later gets all of the picture, and one that went gets none", () => {
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

Deno.test("the pointer goes where it moves, its picture only when that is new", () => {
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

Deno.test("a viewer gets what it saw as JPEG without loss, though a slower one had it so before", () => {
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
    ...[keepingUp, keepingUp, keepingUp, keepingUp], // then the second viewer acknowledges no more
    ...[video, video, video],
    (screen, viewers) => { // the first has one tile as JPEG, and the other as it is
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

Deno.test("a screen of another size is announced before its pictures, which begin anew", () => {
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

Deno.test("those who watch changes get the pixels that changed, also without a viewer, and the look that was asked for", () => {
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
    "changes ", // the look that was asked for begins after the question
  ]);
});
