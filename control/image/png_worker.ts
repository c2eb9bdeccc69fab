/// <reference lib="deno.worker" />
/** The thread on which PNG files of the screen are made, so that no other request waits for them. */

import { answerCalls } from "../../core/worker_entry.ts";
import { boundedPng, type PngFile } from "./bounded_png.ts";
import type { PngCall } from "./png_maker.ts";

answerCalls<PngCall, PngFile>(
  ({ frame: { memory, ...size }, shape }) => boundedPng({ ...size, pixels: new Uint8Array(memory) }, shape),
  ({ file }) => [file.buffer],
);
