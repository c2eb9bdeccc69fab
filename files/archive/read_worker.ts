/** The thread that reads the contents of archives. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import type { Bytes } from "../../core/bytes.ts";
import { type Part, readPart } from "./read.ts";

lowerPriority();
answerCalls<Part, Bytes>(readPart, ({ buffer }) => [buffer]);
