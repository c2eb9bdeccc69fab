/** The thread that reads what archives are made of. */

import { answerCalls } from "../../core/worker_entry.ts";
import type { Bytes } from "./format.ts";
import { type Part, readPart } from "./read.ts";

answerCalls<Part, Bytes>(readPart, ({ buffer }) => [buffer]);
