/** The Worker of replays on an X11 desktop: on a connection of its own. */

import { servePlayback } from "../playback/worker.ts";
import { openX11 } from "./mod.ts";

servePlayback((display: string) => openX11(display));
