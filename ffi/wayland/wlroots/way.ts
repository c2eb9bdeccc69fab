/** Compositors with the wlroots protocols: sway, Hyprland, labwc and others of their kind. */

import { openCapturedScreen, WaylandScreen } from "./screencopy.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import type { ConnectedDesktop, ConnectedPointer, Session, Way } from "../way.ts";
import { Link, missingProtocols, PROTOCOLS } from "../wire/link.ts";
import { WlrootsWindows } from "./sway_tree.ts";
import type { Button, Direction, Point } from "../../../control/desktop/desktop.ts";
import { NoDesktopError } from "../../../core/errors.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { type Connection, type Registry, serverOf } from "../wire/connection.ts";
import { KnownPlace } from "../wire/known_place.ts";
import { Outputs } from "../wire/outputs.ts";
import { PointerQuery, VirtualPointer } from "../wire/pointer.ts";
import { Seat } from "../wire/seat.ts";
import { WaylandKeyboard } from "./keyboard.ts";
import { PacedMoves } from "./new_keyboard.ts";

/** The way that uses `zwlr_virtual_pointer`, `zwp_virtual_keyboard` and `zwlr_screencopy`. */
export const WLROOTS: Way = {
  missing: (probe) =>
    Promise.try(() => {
      const missing = missingProtocols(probe.registry);
      return missing.length ? `does not offer ${missing.join(", ")}` : undefined;
    }),
  connect: (session, probe) => Promise.try(() => WlrootsDesktop.open(session, probe?.keep())),
  reconnect: (session) => WlrootsDesktop.open(session),
  openScreen: async ({ socket }, alarm, jpeg) =>
    (await import("./damaged_screen.ts")).DamagedScreen.open(socket, jpeg, alarm),
  openCaptures: ({ socket }) => Promise.try(openCapturedScreen, socket),
  makeWindows: ({ socket }) => new WlrootsWindows(socket),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  /** Reports each protocol, the features that it enables, and the input method. */
  async inspect({ session, connection, registry }, missing) {
    const { engineFinding, protocolFinding, recordingFinding, screenFinding } = await import(
      "../findings.ts"
    );
    const protocols = PROTOCOLS.map((protocol) => protocolFinding(registry, protocol));
    if (missing !== undefined) return protocols;
    const engine = await engineFinding(session);
    return [...protocols, ...engine, screenFinding(connection, registry), recordingFinding()];
  },
};

// The pointer of one connection to a compositor with virtual pointers.

/** A device, with its last position and the buttons that it holds. */
class WaylandPointer implements ConnectedPointer {
  readonly #device: VirtualPointer;
  readonly #place: KnownPlace;
  readonly #moves: PacedMoves;

  constructor(connection: Connection, registry: Registry, outputs: Outputs, seat: number) {
    const device = this.#device = new VirtualPointer(connection, registry, seat);
    this.#moves = new PacedMoves(connection, (point) => device.move(outputs, point));
    const query = PointerQuery.open(connection, registry, outputs, seat);
    this.#place = KnownPlace.byQuery(outputs, query, () => device.nudge());
  }

  get lastPlace(): Point {
    return this.#place.last;
  }

  position(): Promise<Point> {
    return this.#place.now();
  }

  move(point: Point): Promise<void> {
    return Promise.try(() => {
      this.#moves.move(point);
      this.#place.set(point);
    });
  }

  button(button: Button, down: boolean): Promise<void> {
    return Promise.try(() => {
      this.#device.button(button, down);
      this.#place.button(button, down);
    });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    return Promise.try(() => this.#device.scroll(direction, amount));
  }

  close(): void {
    this.#moves.close();
    this.#place.close();
  }
}

/** A compositor with the wlroots protocols. */
class WlrootsDesktop implements ConnectedDesktop {
  readonly pointer: WaylandPointer;
  readonly keyboard: WaylandKeyboard;
  readonly screen: WaylandScreen;
  /**
   * Identifies the compositor's process, since releases are for the process that received the press
   * (`QUIRKS.pressedButtons`).
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
          "such as sway, Hyprland and labwc. To control programs under XWayland: --desktop x11",
      );
    }
    // Outputs wait for an answer, after which the seat's devices are known, too.
    const seat = new Seat(connection, registry), outputs = new Outputs(connection, registry);
    this.screen = new WaylandScreen(connection, registry, outputs);
    this.pointer = new WaylandPointer(connection, registry, outputs, seat.object);
    this.keyboard = new WaylandKeyboard(connection, registry, seat, session);
    // A brief process continues to load modules while the compositor creates the devices; a refusal ends its
    // first action.
    if (session.brief) connection.flush();
    else connection.roundtrip();
  }

  /**
   * Connects to a compositor.
   * @param link The connection; a new one if omitted.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws NoDesktopError if the compositor lacks a required protocol; DesktopUnavailableError if it ends
   * during this call.
   */
  static open(session: Session, link = Link.open(session.socket)): WlrootsDesktop | undefined {
    return link && closedOnFailure(link.connection, () => new WlrootsDesktop(link, session));
  }

  /** Frees everything, whether or not the compositor is still there. */
  close(): void {
    this.keyboard.close();
    this.pointer.close();
    this.screen.close();
    this.connection.close();
  }
}
