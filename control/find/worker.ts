/// <reference lib="deno.worker" />
/** The thread on which pictures are read and searched for, so that no other request waits for it. */

import { answerCalls } from "../../core/worker_entry.ts";
import { readPicture } from "../image/read_picture.ts";
import type { FindAnswer, FindCall } from "./find.ts";
import { search } from "./search.ts";

answerCalls<FindCall, FindAnswer>((call) => {
  if (call.type === "read") return readPicture(call.file, call.within);
  const { width, height, stride, memory } = call.screen;
  return search(
    { width, height, stride: stride / 4, pixels: new Uint32Array(memory) },
    call.picture,
    call.options,
  );
}, (answer) => "pixels" in answer ? [answer.pixels.buffer] : []);
