/** The token for a deskhand that runs. */

import { join } from "../../core/path.ts";
import { readSmallFile } from "../../core/small_file.ts";
import { stateFolder } from "../../core/state_dir.ts";
import type { Running } from "../running.ts";

const FILE_LIMIT = 4096;

/** Returns the token of the environment, or the one in the state folder; undefined if both are missing. */
export function tokenFor({ hasKeptToken }: Running): string | undefined {
  const given = Deno.env.get("DESKHAND_TOKEN");
  if (given || !hasKeptToken) return given || undefined;
  try {
    return readSmallFile(join(stateFolder(), "token"), FILE_LIMIT).trim();
  } catch {
    return undefined;
  }
}
