/** Opens what the page shows besides the control API's responses: live picture, sound and event stream. */

import type { ActionRunner } from "../control/actions/runner.ts";
import type { Services } from "../control/http/endpoint.ts";
import { EventStream } from "../control/http/event_stream.ts";
import { LiveView } from "../control/http/live/live.ts";
import { LiveSound } from "../control/http/live/sound.ts";
import { ExpectedError } from "../core/errors.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import { desktopSound } from "../ffi/open.ts";
import type { Settings } from "./option_table.ts";

export type PageServices = Pick<Services, "events" | "live" | "sound">;

/**
 * Opens the page's services. A trace begins after them, so that they follow its state and its pictures from
 * the start.
 * @param lifetime Closes them on exit.
 */
export async function openPage(
  runner: ActionRunner,
  settings: Settings,
  output: Output,
  lifetime: Lifetime,
): Promise<PageServices> {
  const { desktop } = runner.operator, live = new LiveView(runner), events = new EventStream(desktop);
  runner.calls.on({ traced: (state) => events.tellTrace(state) });
  const sound = await openSound(settings, desktop.kind, output);
  lifetime.atEnd(() => live.close());
  lifetime.atEnd(() => sound.close());
  return { events, live, sound };
}

/**
 * Creates the sound stream. If there is no sound yet, a notice gives the reason, and deskhand continues,
 * because a sound server may start later.
 * @param kind The kind of desktop.
 */
async function openSound({ sound }: Settings, kind: string, { notice }: Output): Promise<LiveSound> {
  if (!sound) return new LiveSound("deskhand was started without --sound");
  const live = new LiveSound(await desktopSound(kind).catch(reasonOf));
  live.state().then((state) => "missing" in state && notice(`no sound: ${state.missing}`));
  return live;
}

function reasonOf(error: unknown): string {
  if (error instanceof ExpectedError) return error.message;
  throw error;
}
