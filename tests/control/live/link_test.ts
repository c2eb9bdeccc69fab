/** The rating of viewers' connections, on connections that are reckoned. */

import { assert, assertEquals } from "@std/assert";
import { Link, type Quality } from "../../../control/live/link.ts";

/** A connection: bytes a millisecond, and its delay there and back in milliseconds. */
interface Pipe {
  rate: number;
  delay: number;
}

/**
 * Sends pictures over a pipe as soon as they may be sent: within the allowance, or three of `balanced` bytes.
 * @param ms For how long, in milliseconds.
 * @returns The result: the last allowance, bytes a second, and the wait of the pictures of the last second.
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

Deno.test("a connection that becomes slower, and faster again, is followed", () => {
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

Deno.test("automatic tries what may be slow with some of the picture, and knows by that", () => {
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

Deno.test("pictures that are few and small tell nothing of the rate", () => {
  const link = new Link("slow"), before = link.rate;
  for (let i = 0; i < 100; i++) {
    link.sent(300, i * 500);
    link.acknowledged(0, i * 500 + 230);
  }
  assertEquals(link.rate, before);
});
