/** The thread on which a large folder is listed. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import type { LargeListing } from "./listing.ts";
import { type Chunk, writeListing } from "./write.ts";

lowerPriority();
answerCalls<LargeListing, Chunk[]>(
  async ({ listing, gzip }) => {
    const chunks = (await writeListing(listing))!;
    if (!gzip) return [...chunks];
    return await Array.fromAsync(ReadableStream.from(chunks).pipeThrough(new CompressionStream("gzip")));
  },
  (chunks) => chunks.map(({ buffer }) => buffer),
);
