/// <reference lib="deno.worker" />
/** A second thread with an engine, which reads pages where a processor has nothing else to do. */

import { lowestPriority } from "../../core/priority.ts";
import "./page_worker.ts";

lowestPriority();
