/// <reference lib="deno.worker" />
/** The thread that reads and searches for pictures, so that no other request has to wait. */

import { answerCalls } from "../../core/worker_entry.ts";
import { readPicture } from "../image/read_picture.ts";
import { difference } from "./difference.ts";
import type { FindAnswer, FindCall } from "./find.ts";
import { search } from "./search.ts";

answerCalls<FindCall, FindAnswer>((call) => {
  if (call.type === "read") return readPicture(call.file, call.within);
  const { width, height, stride, memory } = call.screen;
  const screen = { width, height, stride: stride / 4, pixels: new Uint32Array(memory) };
  return call.type === "compare"
    ? difference(screen, call.picture, call.options)
    : search(screen, call.picture, call.options);
}, transferred);

/** The memory of an answer to transfer to the requesting thread. */
function transferred(answer: FindAnswer): Transferable[] {
  if ("pictures" in answer) return [answer.pictures!.actual.buffer, answer.pictures!.difference.buffer];
  return "pixels" in answer && typeof answer.pixels !== "number" ? [answer.pixels.buffer] : [];
}
