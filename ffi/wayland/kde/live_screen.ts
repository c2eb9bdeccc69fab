/** The screen of a KDE desktop on connections of its own, for the live picture. */

import type { AudienceMemory } from "../../../control/live/audience.ts";
import type { JpegEncoder, LiveScreen } from "../../../control/live/screen.ts";
import { Bus } from "../../dbus/bus.ts";
import { PolledScreen } from "../../live/polled.ts";
import { Connection } from "../connection.ts";
import { Outputs } from "../outputs.ts";
import { Registry } from "../registry.ts";
import type { Session } from "../session.ts";
import { KwinScreen } from "./screen.ts";

/**
 * Connects to KWin to look at its screen.
 * @returns undefined if no compositor is there, or it refuses this user.
 * @throws NoDesktopError if there is no bus; DesktopUnavailableError if KWin does not answer.
 */
export function openLiveScreen(
  { socket, buses }: Session,
  memory: AudienceMemory,
  jpeg: JpegEncoder | undefined,
): LiveScreen | undefined {
  const connection = Connection.open(socket);
  if (!connection) return undefined;
  let bus: Bus | undefined;
  const close = () => {
    connection.close();
    bus?.close();
  };
  try {
    bus = Bus.open(buses);
    const screen = new KwinScreen(new Outputs(connection, new Registry(connection)), bus);
    const captured = { layout: () => screen.layout(), capture: screen.captureNow.bind(screen) };
    return new PolledScreen(captured, memory, close, jpeg);
  } catch (error) {
    close();
    throw error;
  }
}
