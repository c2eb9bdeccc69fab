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
  async missing(probe) {
    const missing = missingProtocols(await probe.registry());
    return missing.length ? `does not offer ${missing.join(", ")}` : undefined;
  },
  connect: (session, probe) => WlrootsDesktop.open(session, probe?.keep()),
  openScreen: async ({ socket }, alarm, jpeg) =>
    (await import("./damaged_screen.ts")).DamagedScreen.open(socket, jpeg, alarm),
  openCaptures: ({ socket }) => openCapturedScreen(socket),
  makeWindows: ({ socket }) => new WlrootsWindows(socket),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  /** Reports each protocol, the features that it enables, and the input method. */
  async inspect(probe, missing) {
    const { session, connection } = probe, registry = await probe.registry();
    const { engineFinding, protocolFinding, recordingFinding, screenFinding } = await import(
      "../findings.ts"
    );
    const protocols = PROTOCOLS.map((protocol) => protocolFinding(registry, protocol));
    if (missing !== undefined) return protocols;
    const engine = await engineFinding(session);
    return [...protocols, ...engine, await screenFinding(connection, registry), recordingFinding()];
  },
};

// The pointer of one connection to a compositor with virtual pointers.

/** A device, with its last position and the buttons that it holds. */
class WaylandPointer implements ConnectedPointer {
  readonly #device: VirtualPointer;
  readonly #place: KnownPlace;
  readonly #moves: PacedMoves;

  constructor(readonly connection: Connection, registry: Registry, outputs: Outputs, seat: number) {
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

  async move(point: Point): Promise<void> {
    const isSent = this.#moves.move(point);
    this.#place.set(point);
    if (isSent) await this.connection.handled();
  }

  async button(button: Button, down: boolean): Promise<void> {
    this.#device.button(button, down);
    this.#place.button(button, down);
    await this.connection.handled();
  }

  async scroll(direction: Direction, amount: number): Promise<void> {
    this.#device.scroll(direction, amount);
    await this.connection.handled();
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

  private constructor(
    readonly connection: Connection,
    registry: Registry,
    seat: Seat,
    outputs: Outputs,
    session: Session,
  ) {
    this.server = serverOf(connection);
    this.screen = new WaylandScreen(connection, registry, outputs);
    this.pointer = new WaylandPointer(connection, registry, outputs, seat.object);
    this.keyboard = new WaylandKeyboard(connection, registry, seat, session);
  }

  /**
   * Connects to a compositor.
   * @param link The connection; a new one if omitted.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws NoDesktopError if the compositor lacks a required protocol; DesktopUnavailableError if it ends
   * during this call.
   */
  static async open(session: Session, link = Link.open(session.socket)): Promise<WlrootsDesktop | undefined> {
    return link && await closedOnFailure(link.connection, async (connection) => {
      const registry = await link.registry(), missing = missingProtocols(registry);
      if (missing.length) {
        throw new NoDesktopError(
          `the compositor does not offer ${missing.join(", ")}: deskhand controls those that do ` +
            "such as sway, Hyprland and labwc. To control programs under XWayland: --desktop x11",
        );
      }
      // Outputs wait for an answer, after which the seat's devices are known, too.
      const seat = new Seat(connection, registry), outputs = await Outputs.open(connection, registry);
      const desktop = new WlrootsDesktop(connection, registry, seat, outputs, session);
      // A brief process continues to load modules while the compositor creates the devices; a refusal ends
      // its first action.
      if (session.brief) connection.flush();
      else await connection.handled();
      return desktop;
    });
  }

  /** Frees everything, whether or not the compositor is still there. */
  close(): void {
    this.keyboard.close();
    this.pointer.close();
    this.screen.close();
    this.connection.close();
  }
}
