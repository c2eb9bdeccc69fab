/** The thread that compresses files; on the serving thread, all requests would wait. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { compress, type CompressCall } from "./work.ts";

lowerPriority();
answerCalls<CompressCall, Uint8Array<ArrayBuffer> | undefined>(
  compress,
  (made) => made ? [made.buffer] : [],
);
