/** `--sound`: the desktop's sound on the page. */

import { LiveSound } from "../control/live/sound.ts";
import { ExpectedError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { desktopSound } from "../ffi/open.ts";
import type { Settings } from "./option_table.ts";

/**
 * Makes what sends the sound. Where there is none now, the user reads the reason, and deskhand goes on: a sound server
 * may start later.
 * @param kind The kind of the desktop.
 */
export async function openSound({ sound }: Settings, kind: string, { notice }: Output): Promise<LiveSound> {
  if (!sound) return new LiveSound("deskhand was started without --sound");
  const live = new LiveSound(await desktopSound(kind).catch(reasonOf));
  live.state().then((state) => "lack" in state && notice(`no sound: ${state.lack}`));
  return live;
}

function reasonOf(error: unknown): string {
  if (error instanceof ExpectedError) return error.message;
  throw error;
}
