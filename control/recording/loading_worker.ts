/** The Worker that reads a large recording. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { type LoadCall, readAtOnce } from "./files.ts";
import type { StoredParts } from "./stored.ts";

lowerPriority();
answerCalls<LoadCall, StoredParts>(async ({ pieces, form }) => (await readAtOnce(pieces, form)).parts);
