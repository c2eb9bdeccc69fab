/** Sound frames: samples, times and silence. */

import { assertEquals } from "@std/assert";
import { Framer } from "../../../../ffi/linux/sound/capture.ts";

/** Samples in a frame: 10 ms at 48 kHz in stereo. */
const NUMBERS = 960;

/** A framer and its frames. */
function framed() {
  const frames: { first: number; at: number }[] = [];
  const framer = new Framer((samples, at) => frames.push({ first: samples[0], at: Math.round(at) }));
  return { frames, framer };
}

/** Generates samples, each an eighth above the last, from 1 to 8 eighths. */
const ramp = (numbers: number, from = 0) =>
  Float32Array.from({ length: numbers }, (_, i) => ((from + i) % 8 + 1) / 8);

Deno.test("frames have the right samples and times, however samples arrive", () => {
  const whole = framed();
  whole.framer.push(ramp(3 * NUMBERS), 1000);
  assertEquals(whole.frames, [970, 980, 990].map((at) => ({ first: 1 / 8, at })));

  const pieces = framed();
  for (let i = 0; i < 30; i++) pieces.framer.push(ramp(100, 100 * i), 1000 + i * 100 / 96);
  assertEquals(pieces.frames, [999, 1009, 1019].map((at) => ({ first: 1 / 8, at })));
});

Deno.test("omits silence after 200 ms, and before the first sound", () => {
  const { frames, framer } = framed(), silence = new Float32Array(10 * NUMBERS);
  framer.push(silence, 0);
  assertEquals(frames.length, 0);
  framer.push(ramp(NUMBERS), 0);
  for (let i = 0; i < 5; i++) framer.push(silence, 0);
  assertEquals(frames.length, 21);
  const almost = new Float32Array(NUMBERS);
  almost[NUMBERS - 1] = 2 / 65_536; // one step of a 16-bit sample
  framer.push(almost, 0);
  assertEquals(frames.length, 22);
});
