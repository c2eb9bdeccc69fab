/** The Worker that reads a large recording. */

import { serveWorker } from "../../core/worker_entry.ts";
import { type LoadStart, readAtOnce } from "./loading.ts";
import type { StoredParts } from "./stored.ts";

serveWorker<LoadStart, never, StoredParts>(async ({ pieces, form }) =>
  (await readAtOnce(pieces, form)).parts
);
