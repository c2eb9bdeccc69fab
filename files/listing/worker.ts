/** The thread on which a large folder is listed. */

import { serveWorker } from "../../core/worker_entry.ts";
import { deflate, type Deflated } from "./deflated.ts";
import { type Listing, writeListing } from "./write.ts";

serveWorker<Listing, never, Deflated>(
  async (listing) => deflate((await writeListing(listing))!),
  ({ pieces }) => pieces.map(({ buffer }) => buffer),
);
