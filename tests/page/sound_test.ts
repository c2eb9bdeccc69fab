/** The desktop's sound on the page: with low latency, and in sync with the picture. */

import { assert, assertEquals } from "@std/assert";
import { SoundBuffer } from "../../control/page/sound_buffer.js";
import { openX11 } from "../../ffi/x11/desktop.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { startInSession } from "../support/ordinary_user.ts";
import { until } from "../support/shell.ts";
import { type Delays, median, SOUND, SoundDelay, SoundSession } from "../support/sound_session.ts";
import { Xvfb } from "../support/xvfb.ts";
import { choose, opened, otherAddress, shows } from "./page.ts";

/** Maximum latency of sound, and maximum offset from the picture, in milliseconds. */
const MOST = { sound: 150, skew: 80 };
/** Consecutive flashes whose medians count: the machine may be busy for a moment. */
const FLASHES = 5;

const NEEDED = [BROWSER, SOUND, need("Xvfb", "chromium")];

for (const hums of [true, false]) {
  Deno.test({
    name: `the page plays ${hums ? "lasting sound" : "sound after silence"} soon, in sync with the picture`,
    ...BROWSER,
    ignore: NEEDED.some(({ ignore }) => ignore),
  }, () =>
    withBrowser(async (browser) => {
      await using sound = await SoundSession.start();
      const { session } = sound;
      await using server = await Xvfb.start({ width: 640, height: 480 });
      const options = { env: { ...server.env } };
      await using program = await startInSession(session, ["--http", "0", "--sound"], options);
      const url = await program.controlUrl(), desktop = openX11(server.display);
      try {
        await using measured = await SoundDelay.start({ session, server, desktop, browser, url }, hums);
        await until(
          async () => (await measured.delays()).slice(-FLASHES),
          isSoon,
          (delays) => `the last delays, in milliseconds: ${JSON.stringify(delays)}`,
        );
      } finally {
        desktop.close();
      }
    }));
}

function isSoon(delays: readonly Delays[]): boolean {
  const middle = (what: keyof Delays) => median(delays.map((each) => each[what]));
  return delays.length === FLASHES && middle("sound") <= MOST.sound && Math.abs(middle("skew")) <= MOST.skew;
}

Deno.test({
  name: "the button appears only with --sound, starts off, and says if a browser plays no sound",
  ...BROWSER,
  ignore: NEEDED.some(({ ignore }) => ignore) || otherAddress() === undefined,
}, () =>
  withBrowser(async (browser) => {
    await using sound = await SoundSession.start();
    await using server = await Xvfb.start({ width: 640, height: 480 });
    const button = 'document.querySelector("#sound")';
    for (const options of [[], ["--sound"]]) {
      const args = ["--http", "0", "--host", "0.0.0.0", "--token", "a-secret-of-enough-letters", ...options];
      await using program = await startInSession(sound.session, args, { env: server.env });
      const { port } = new URL(await program.controlUrl());
      const page = await opened(
        browser,
        `http://${otherAddress()}:${port}/#token=a-secret-of-enough-letters`,
      );
      if (!options.length) {
        const answer = 'performance.getEntriesByName(new URL("/api/sound", location).href)[0]';
        await shows(page, `${answer}?.responseEnd > 0`);
        assertEquals(await page.evaluate(`${button}.hidden`), true);
        continue;
      }
      await shows(page, `!${button}.hidden`);
      assertEquals(await page.getAttribute("#sound", "aria-pressed"), "false");
      await choose(page, "#sound");
      await shows(page, 'document.querySelector("#notice").textContent.includes("only over TLS")');
      assertEquals(await page.getAttribute("#sound", "aria-pressed"), "false");
    }
  }));

// Sound that is buffered on the page: it begins, never waits long, and stays in order.

const RATE = 48_000;
/** The samples that a browser requests at a time, and those of a 10 ms packet. */
const QUANTUM = 128, PACKET = 480;

/** A buffer that is fed with a ramp, whose samples are their own indexes in it. */
class Fed {
  readonly buffer = new SoundBuffer(RATE);
  #next = 0;

  /** Feeds packets. */
  push(packets: number): void {
    for (let i = 0; i < packets; i++) {
      const ramp = Float32Array.from({ length: PACKET }, (_, j) => this.#next + j);
      this.buffer.push({ channels: [ramp, ramp.slice()], at: 1000 * this.#next / RATE });
      this.#next += PACKET;
    }
  }

  /** Pulls the samples of both channels that are played. */
  pull(quanta = 1): [number[], number[]] {
    const left: number[] = [], right: number[] = [];
    for (let i = 0; i < quanta; i++) {
      const channels = [new Float32Array(QUANTUM).fill(-1), new Float32Array(QUANTUM).fill(-1)];
      this.buffer.pull(channels);
      left.push(...channels[0]);
      right.push(...channels[1]);
    }
    return [left, right];
  }
}

const SILENCE = new Array(QUANTUM).fill(0);

Deno.test("sound begins once there is enough of it, and continues in order across packets", () => {
  const fed = new Fed();
  assertEquals(fed.pull(), [SILENCE, SILENCE]);
  fed.push(3);
  assertEquals(fed.pull()[0], SILENCE);
  assertEquals(fed.buffer.at, undefined);
  fed.push(1);
  const [left, right] = fed.pull(15); // all 4 packets
  assertEquals(left, Array.from({ length: 4 * PACKET }, (_, i) => i));
  assertEquals(left, right);
});

Deno.test("after sound runs out, silence follows until there is enough again", () => {
  const fed = new Fed();
  fed.push(4);
  fed.pull(14);
  fed.push(0);
  const [left] = fed.pull(2);
  assertEquals(left.slice(0, QUANTUM)[QUANTUM - 1], 4 * PACKET - 1);
  assertEquals(left.slice(QUANTUM), SILENCE);
  fed.push(3);
  assertEquals(fed.pull()[0], SILENCE);
  fed.push(1);
  assertEquals(fed.pull()[0][0], 4 * PACKET);
});

Deno.test("sound that arrives late in a burst is skipped: played sound is at most 80 ms old", () => {
  const fed = new Fed();
  fed.push(4);
  fed.pull(4);
  fed.push(90);
  const [left] = fed.pull(4);
  assert(fed.buffer.waitingMs <= 80, String(fed.buffer.waitingMs));
  const newest = 94 * 10, { at } = fed.buffer;
  assert(at !== undefined && newest - at <= 80 && newest - at >= 25, String(at));
  // The blend joins both sides: no step is larger than the whole way divided by its length.
  const step = Math.max(...left.slice(1).map((value, i) => value - left[i]));
  assert(left.at(-1)! > 80 * PACKET && step < 94 * PACKET / 90, String(step));
  fed.push(500); // nothing is played in between
  assert(fed.buffer.waitingMs <= 1000);
});

Deno.test("samples that a second did not need are skipped, once", () => {
  const fed = new Fed();
  fed.push(7); // 70 ms: more than an even network needs
  let ahead = 0;
  const second = () => {
    for (let played = 0; played < RATE; played += QUANTUM) {
      fed.pull();
      for (ahead += QUANTUM; ahead >= PACKET; ahead -= PACKET) fed.push(1);
    }
  };
  second();
  second();
  const after = fed.buffer.waitingMs;
  assert(after <= 27 && after >= 10, String(after));
  second();
  second();
  assert(Math.abs(fed.buffer.waitingMs - after) < 11, `${after}, ${fed.buffer.waitingMs}`);
});
