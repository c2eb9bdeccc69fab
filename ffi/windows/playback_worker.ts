/** The Worker of replays on Windows. */

import { servePlayback } from "../playback/worker.ts";
import { openWindows } from "./mod.ts";

servePlayback(() => openWindows());
