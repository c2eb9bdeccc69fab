/** The thread that reads the contents of archives. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import type { Bytes } from "../../core/bytes.ts";
import { addSums, type Part, readPart, type Sums } from "./read.ts";

lowerPriority();
answerCalls<Part | Sums, Bytes>(
  (call) => "sums" in call ? addSums(call) : readPart(call),
  ({ buffer }) => [buffer],
);
