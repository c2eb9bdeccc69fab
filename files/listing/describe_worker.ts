/** The thread that helps to describe the entries of a large folder. */

import { lowerPriority } from "../../core/priority.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { describedPart } from "./describe.ts";

lowerPriority();
answerCalls(describedPart, ({ sizes, times }) => [sizes.buffer, times.buffer]);
