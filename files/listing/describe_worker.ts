/** The thread that helps to describe the entries of a large folder. */

import { answerCalls } from "../../core/worker_entry.ts";
import { describedPart } from "./describe.ts";

answerCalls(describedPart, ({ sizes, times }) => [sizes.buffer, times.buffer]);
