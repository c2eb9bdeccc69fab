/** The thread on which a folder is walked through for an archive. */

import { serveWorker } from "../../core/worker_entry.ts";
import { type ArchivePlan, type Order, planArchive } from "./plan.ts";

serveWorker<Order, never, ArchivePlan>(planArchive);
