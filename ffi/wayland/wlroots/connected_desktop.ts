/** The parts of a desktop that share one connection, and end with it when the compositor does. */

import { NoDesktopError } from "../../../core/errors.ts";
import type { ConnectedDesktop } from "../connected_desktop.ts";
import { serverOf } from "../wire/compositor_name.ts";
import type { Connection } from "../wire/connection.ts";
import { WaylandKeyboard } from "./keyboard.ts";
import { Link } from "../wire/link.ts";
import { Outputs } from "../wire/outputs.ts";
import { WaylandPointer } from "./pointer.ts";
import { PersonEngine } from "../wire/person_engine.ts";
import { missingProtocols } from "../wire/protocols.ts";
import { Receiver } from "./receiver.ts";
import { WaylandScreen } from "./screen.ts";
import { Seat } from "../wire/seat.ts";
import type { Session } from "../session.ts";

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

  readonly connection: Connection;

  private constructor({ connection, registry }: Link, session: Session) {
    this.connection = connection;
    this.server = serverOf(connection);
    const missing = missingProtocols(registry);
    if (missing.length) {
      throw new NoDesktopError(
        `the compositor does not offer ${missing.join(", ")}: deskhand controls those that do ` +
          "(sway, Hyprland, labwc and others of their kind). To control programs under XWayland: --desktop x11",
      );
    }
    // The outputs wait for an answer, with which the seat's devices are known too.
    const seat = new Seat(connection, registry), outputs = new Outputs(connection, registry);
    this.screen = new WaylandScreen(connection, registry, outputs);
    this.pointer = new WaylandPointer(connection, registry, outputs, seat.object);
    this.#receiver = new Receiver(session.socket);
    const receiver = {
      check: (characters: readonly number[]) => this.#receiver.check(characters),
      engine: new PersonEngine(session),
    };
    const { brief } = session;
    this.keyboard = new WaylandKeyboard(connection, registry, seat, receiver, brief?.hasKeys === false);
    // A brief process reads its modules on while the compositor makes the devices; a refusal ends its first action.
    if (brief) connection.flush();
    else connection.roundtrip();
  }

  /**
   * Connects to a compositor.
   * @param link The connection; a new one if left out.
   * @returns undefined if there is no compositor, or the compositor refuses this user.
   * @throws NoDesktopError if the compositor lacks a required protocol; DesktopUnavailableError if it ends during
   * this call.
   */
  static open(session: Session, link = Link.open(session.socket)): WlrootsDesktop | undefined {
    return Link.use(link, (link) => new WlrootsDesktop(link, session));
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
