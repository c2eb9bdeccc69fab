/** The parts of a desktop that share one connection, and end with it when the server does. */

import { NoDesktopError } from "../../core/errors.ts";
import { Connection } from "./connection.ts";
import { X11Keyboard } from "./keyboard.ts";
import { X11Pointer } from "./pointer.ts";
import { X11Screen } from "./screen.ts";
import { Xdo } from "./xdo.ts";

/** The pointer, keyboard and screen of one connection to an X server. */
export class ConnectedDesktop {
  readonly pointer: X11Pointer;
  readonly keyboard: X11Keyboard;
  readonly screen: X11Screen;

  private constructor(readonly connection: Connection) {
    const { libraries: { xtst }, display } = connection;
    const [event, error, major, minor] = [0, 0, 0, 0].map(() => new Int32Array(1));
    if (!xtst.XTestQueryExtension(display, event, error, major, minor)) {
      throw new NoDesktopError(
        "the X server lacks the XTEST extension, by which input is sent; start it without disabling XTEST",
      );
    }
    const xdo = new Xdo(connection);
    this.pointer = new X11Pointer(connection, xdo);
    this.keyboard = new X11Keyboard(connection, xdo);
    this.screen = new X11Screen(connection);
  }

  /**
   * Connects to an X server.
   * @param display The name of the display, such as `:0`.
   * @returns undefined if no server is there, or it refuses this user.
   * @throws NoDesktopError if a library or an extension of the server is missing.
   */
  static open(display: string): ConnectedDesktop | undefined {
    const connection = Connection.open(display);
    try {
      return connection && new ConnectedDesktop(connection);
    } catch (error) {
      connection!.close();
      throw error;
    }
  }

  /** Frees everything, whether the server is still there or not. */
  close(): void {
    this.keyboard.close();
    this.screen.close();
    this.connection.close();
  }
}
