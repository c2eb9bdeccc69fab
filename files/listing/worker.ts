/** The thread on which a large folder is listed. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { deflate, type Deflated } from "./large.ts";
import { type Listing, writeListing } from "./write.ts";

lowerPriority();
answerCalls<Listing, Deflated>(
  async (listing) => deflate((await writeListing(listing))!),
  ({ pieces }) => pieces.map(({ buffer }) => buffer),
);
