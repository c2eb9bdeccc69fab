/** A connection that looks at the screen and has no devices. */

import type { Frame, Region } from "../../../control/desktop.ts";
import { Connection } from "../connection.ts";
import { Outputs } from "../outputs.ts";
import { Registry } from "../registry.ts";
import { WaylandScreen } from "../screen.ts";
import type { WorkerScreen } from "../way.ts";

/** A screen of its own connection. */
export class ScreenConnection implements WorkerScreen {
  private constructor(readonly connection: Connection, readonly screen: WaylandScreen) {}

  /**
   * Connects to a compositor.
   * @param path Of its socket.
   * @returns undefined if no compositor is there, or it refuses this user.
   * @throws DesktopUnavailableError if it does not answer.
   */
  static open(path: string): ScreenConnection | undefined {
    const connection = Connection.open(path);
    if (!connection) return undefined;
    try {
      const registry = new Registry(connection), outputs = new Outputs(connection, registry);
      return new ScreenConnection(connection, new WaylandScreen(connection, registry, outputs));
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  layout(): Region {
    return this.screen.layout();
  }

  capture(region: Region, cursor: boolean): Frame {
    return this.screen.captureNow(region, cursor);
  }

  close(): void {
    this.screen.close();
    this.connection.close();
  }
}
