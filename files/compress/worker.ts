/** The thread on which files are compressed: on the one that serves, all requests would wait. */

import { answerCalls } from "../../core/worker_entry.ts";
import { compress, type CompressCall } from "./work.ts";

answerCalls<CompressCall, Uint8Array<ArrayBuffer> | undefined>(
  compress,
  (made) => made ? [made.buffer] : [],
);
