/** The calls of a running deskhand of this machine. */

import { join } from "../../core/path.ts";
import { readSmallFile } from "../../core/bytes.ts";
import { stateFolder } from "../../core/state_dir.ts";
import type { Running } from "../running.ts";
import { CallsOverHttp } from "./calls_http.ts";

/** The largest file that is read as a token, in bytes. */
const TOKEN_LIMIT = 4096;

/** Makes the calls, with the token that the running deskhand asks for. */
export function callsOf(running: Running): CallsOverHttp {
  return CallsOverHttp.here({ url: running.url, token: tokenFor(running) });
}

/** Finds the token of the environment, or the one in the state folder; undefined if both are missing. */
function tokenFor({ hasKeptToken }: Running): string | undefined {
  const given = Deno.env.get("DESKHAND_TOKEN");
  if (given || !hasKeptToken) return given || undefined;
  try {
    return readSmallFile(join(stateFolder(), "token"), TOKEN_LIMIT).trim();
  } catch {
    return undefined;
  }
}
