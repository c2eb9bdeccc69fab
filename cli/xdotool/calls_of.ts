/** The calls of a running deskhand of this machine. */

import type { Running } from "../running.ts";
import { CallsOverHttp } from "./calls_http.ts";
import { tokenFor } from "./token.ts";

/** Makes the calls, with the token that the running deskhand asks for. */
export function callsOf(running: Running): CallsOverHttp {
  return CallsOverHttp.here({ url: running.url, token: tokenFor(running) });
}
