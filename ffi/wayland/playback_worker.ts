/** The Worker of replays on a Wayland desktop: on a connection of its own. */

import { servePlayback } from "../playback/worker.ts";
import { openAgain } from "./mod.ts";

servePlayback(openAgain);
