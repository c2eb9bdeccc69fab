/** The pointer of one connection to a compositor with virtual pointers. */

import type { Button, Direction, Point } from "../../../control/desktop.ts";
import type { ConnectedPointer } from "../connected_desktop.ts";
import type { Connection } from "../wire/connection.ts";
import { KnownPlace } from "../wire/known_place.ts";
import type { Outputs } from "../wire/outputs.ts";
import { PointerQuery } from "../wire/pointer_query.ts";
import type { Registry } from "../wire/registry.ts";
import { VirtualPointer } from "../wire/virtual_pointer.ts";
import { PacedMoves } from "./paced_moves.ts";

/** A device, with the place where it was last and the buttons that it holds. */
export class WaylandPointer implements ConnectedPointer {
  readonly #device: VirtualPointer;
  readonly #place: KnownPlace;
  readonly #moves: PacedMoves;
  readonly #down = new Set<Button>();

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
    return this.#place.now(this.#down.size > 0);
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
      if (down) this.#down.add(button);
      else this.#down.delete(button);
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
