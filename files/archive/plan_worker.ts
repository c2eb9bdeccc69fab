/** The thread on which a folder is walked through for an archive. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { type ArchivePlan, type Order, planArchive } from "./plan.ts";

lowerPriority();
answerCalls<Order, ArchivePlan>(planArchive);
