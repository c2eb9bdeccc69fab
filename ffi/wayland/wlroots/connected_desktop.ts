/** The parts of a desktop that share one connection, and end with it when the compositor does. */

import { NoDesktopError } from "../../../core/errors.ts";
import type { ConnectedDesktop } from "../connected_desktop.ts";
import { serverOf } from "../wire/compositor_name.ts";
import { Connection } from "../wire/connection.ts";
import { WaylandKeyboard } from "./keyboard.ts";
import { Outputs } from "../wire/outputs.ts";
import { WaylandPointer } from "./pointer.ts";
import { PersonEngine } from "../wire/person_engine.ts";
import { missingProtocols } from "../wire/protocols.ts";
import { Receiver } from "./receiver.ts";
import { Registry } from "../wire/registry.ts";
import { WaylandScreen } from "./screen.ts";
import { Seat } from "../wire/seat.ts";
import type { Session } from "../session.ts";

/** The time that programs take to learn that the seat has a keyboard now, in milliseconds. */
const NEW_KEYBOARD_MS = 300;

/** A compositor with the protocols of wlroots. */
export class WlrootsDesktop implements ConnectedDesktop {
  readonly pointer: WaylandPointer;
  readonly keyboard: WaylandKeyboard;
  readonly #receiver: Receiver;
  readonly screen: WaylandScreen;
  /**
   * Identifies the compositor's process: wlroots 0.15 counts pressed buttons, and after a release without a press
   * other programs do not get the pointer.
   */
  readonly server: string | undefined;

  private constructor(readonly connection: Connection, session: Session) {
    const registry = new Registry(connection);
    this.server = serverOf(connection);
    const missing = missingProtocols(registry);
    if (missing.length) {
      throw new NoDesktopError(
        `the compositor does not offer ${missing.join(", ")}: deskhand controls those that do ` +
          "(sway, Hyprland, labwc and others of their kind). To control programs under XWayland: --desktop x11",
      );
    }
    const seat = new Seat(connection, registry), outputs = new Outputs(connection, registry);
    this.screen = new WaylandScreen(connection, registry, outputs);
    this.pointer = new WaylandPointer(connection, registry, outputs, seat.object);
    connection.roundtrip();
    const wait = seat.hasKeyboard ? 0 : NEW_KEYBOARD_MS;
    this.#receiver = new Receiver(session.socket);
    this.keyboard = new WaylandKeyboard(connection, registry, seat.object, performance.now() + wait, {
      check: (characters) => this.#receiver.check(characters),
      engine: new PersonEngine(session),
    });
    connection.roundtrip();
  }

  /**
   * Connects to a compositor.
   * @returns undefined if there is no compositor, or the compositor refuses this user.
   * @throws NoDesktopError if the compositor lacks a required protocol; DesktopUnavailableError if it ends during
   * this call.
   */
  static open(session: Session): WlrootsDesktop | undefined {
    return Connection.openFor(session.socket, (connection) => new WlrootsDesktop(connection, session));
  }

  /** Frees everything, whether the compositor is still there or not. */
  close(): void {
    this.keyboard.close();
    this.pointer.close();
    this.screen.close();
    this.#receiver.close();
    this.connection.close();
  }
}
