/** The screen of a compositor for a Worker that captures it. */

import type { CapturedDesktop } from "../../capture/worker.ts";
import { Connection } from "../wire/connection.ts";
import { Outputs } from "../wire/outputs.ts";
import { Registry } from "../wire/registry.ts";
import { WaylandScreen } from "./screen.ts";

/**
 * Connects to a compositor, for captures alone.
 * @param path Of its socket.
 * @returns undefined if no compositor is there, or it refuses this user.
 * @throws DesktopUnavailableError if it does not answer.
 */
export function openCapturedScreen(path: string): CapturedDesktop | undefined {
  return Connection.openFor(path, (connection) => {
    const registry = new Registry(connection);
    const screen = new WaylandScreen(connection, registry, new Outputs(connection, registry));
    return {
      capture: (region, cursor) => screen.capture(region, cursor),
      close() {
        screen.close();
        connection.close();
      },
    };
  });
}
