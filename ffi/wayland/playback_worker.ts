/** The Worker of replays on a Wayland desktop: on a connection of its own. */

import { servePlayback } from "../playback/worker.ts";
import { openWayland } from "./mod.ts";

servePlayback((path: string) => openWayland(path));
