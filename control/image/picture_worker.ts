/// <reference lib="deno.worker" />
/** The thread on which files of the screen are made, so that no other request waits for them. */

import { answerCalls } from "../../core/worker_entry.ts";
import { type PictureFile, shapedPicture } from "./shrink.ts";
import type { PictureCall } from "./picture_maker.ts";

answerCalls<PictureCall, PictureFile>(
  ({ frame: { memory, ...size }, shape }) =>
    shapedPicture({ ...size, pixels: new Uint8Array(memory) }, shape),
  ({ file }) => [file.buffer],
);
