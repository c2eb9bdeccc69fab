/// <reference lib="deno.worker" />
/** A second thread with an engine, which reads pages when a processor is idle. */

import { lowestPriority } from "../../core/v8_threads.ts";
import "./page_worker.ts";

lowestPriority();
