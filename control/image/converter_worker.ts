/// <reference lib="deno.worker" />
/** The thread on which pictures of the clipboard are converted. */

import type { Bytes } from "../../core/bytes.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import type { ConverterCall } from "./converter.ts";
import { bmpOfPng, pngOfBmp } from "./read_picture.ts";

answerCalls<ConverterCall, Bytes>(
  ({ file, to }) => (to === "png" ? pngOfBmp(file) : bmpOfPng(file)).slice(),
  (file) => [file.buffer],
);
