/** The person's layout that GNOME has active, by the `gsettings` program, which comes with GLib. */

import { UnsupportedError } from "../../../core/errors.ts";
import { activeGroup } from "./gvariant.ts";

const PROGRAM = "gsettings", SCHEMA = "org.gnome.desktop.input-sources";
/** How long the program may take, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * The place of the active layout in the keyboard map, from 0.
 * @param env What the environment lacks to be the session's.
 * @param ms How long the program may take, in milliseconds.
 * @throws UnsupportedError if the program is missing, fails, or takes too long.
 */
export async function gnomeGroup(env: Record<string, string>, ms = ANSWER_MS): Promise<number> {
  const [sources, recent] = await Promise.all(["sources", "mru-sources"].map((key) => get(key, env, ms)));
  return activeGroup(sources, recent);
}

async function get(key: string, env: Record<string, string>, ms: number): Promise<string> {
  try {
    const args = ["get", SCHEMA, key], signal = AbortSignal.timeout(ms);
    const options = { args, env, signal, stdin: "null", stdout: "piped", stderr: "piped" } as const;
    const { success, stdout, stderr } = await new Deno.Command(PROGRAM, options).output();
    const said = new TextDecoder().decode(success ? stdout : stderr).trim();
    if (success) return said;
    throw new Error(said || `${PROGRAM} gave no answer`);
  } catch (error) {
    throw new UnsupportedError(`GNOME's keyboard settings cannot be read: ${(error as Error).message}`);
  }
}
