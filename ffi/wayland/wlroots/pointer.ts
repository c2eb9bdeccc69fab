/** The pointer of one connection (zwlr_virtual_pointer_v1). */

import type { Button, Direction, Point } from "../../../control/desktop.ts";
import type { ConnectedPointer } from "../connected_desktop.ts";
import type { Connection } from "../wire/connection.ts";
import { HeldButtons } from "./held_buttons.ts";
import { AXES, BUTTON_CODES, NOTCH } from "../wire/input_codes.ts";
import { motionTo } from "../wire/geometry.ts";
import { KnownPlace } from "../wire/known_place.ts";
import type { Outputs } from "../wire/outputs.ts";
import { PacedMoves } from "./paced_moves.ts";
import { PointerQuery } from "../wire/pointer_query.ts";
import { VIRTUAL_POINTER, VIRTUAL_POINTER_MANAGER } from "../wire/protocol.ts";
import type { Registry } from "../wire/registry.ts";

/** A pointer device of this connection's own. Programs see it as long as the connection is open. */
export class WaylandPointer implements ConnectedPointer {
  readonly #object: number;
  readonly #place: KnownPlace;
  readonly #moves: PacedMoves;
  readonly #down = new Set<Button>();
  readonly #held: HeldButtons | undefined;

  constructor(
    readonly connection: Connection,
    registry: Registry,
    readonly outputs: Outputs,
    seat: number,
  ) {
    const manager = registry.bindFirst("zwlr_virtual_pointer_manager_v1", 2);
    this.#object = connection.newId();
    this.#moves = new PacedMoves(connection, (point) => this.#move(point));
    connection.request(manager, VIRTUAL_POINTER_MANAGER.create, seat, this.#object);
    const query = PointerQuery.open(connection, registry, outputs, seat);
    this.#place = new KnownPlace(connection, outputs, query, () => {
      const still = { fixed: 0 };
      connection.request(this.#object, VIRTUAL_POINTER.motion, now(), still, still);
      this.#frame();
    });
    this.#held = HeldButtons.open(connection, (buttons) => {
      for (const button of buttons) this.#send(button, false);
    });
  }

  get lastPlace(): Point {
    return this.#place.last;
  }

  position(): Point | Promise<Point> {
    return this.#place.now(this.#down.size > 0);
  }

  /**
   * Asks the compositor where the pointer is, also if a place is known.
   * @throws StateError if it never said.
   */
  ask(): Promise<Point> {
    return this.#place.ask();
  }

  move(point: Point): void {
    this.#moves.move(point);
    this.#place.set(point);
  }

  button(button: Button, down: boolean): void {
    if (down) this.#held?.set(new Set(this.#down).add(button)); // before: it may be killed in between
    this.#send(button, down);
    if (down) this.#down.add(button);
    else this.#down.delete(button);
    if (!down) this.#held?.set(this.#down);
  }

  scroll(direction: Direction, amount: number): void {
    const [axis, sign] = AXES[direction];
    for (let i = 0; i < amount; i++) {
      this.connection.request(this.#object, VIRTUAL_POINTER.axisSource, VIRTUAL_POINTER.wheel);
      this.connection.request(
        this.#object,
        VIRTUAL_POINTER.axisDiscrete,
        now(),
        axis,
        { fixed: sign * NOTCH },
        sign,
      );
      this.connection.request(this.#object, VIRTUAL_POINTER.frame);
    }
    this.connection.roundtrip();
  }

  close(): void {
    this.#moves.close();
    this.#place.close();
    this.#held?.close();
  }

  #send(button: Button, down: boolean): void {
    const code = BUTTON_CODES[button];
    this.connection.request(this.#object, VIRTUAL_POINTER.button, now(), code, down ? 1 : 0);
    this.#frame();
  }

  #move(point: Point): void {
    const { x, y, width, height } = motionTo(this.outputs.arrangement(), point);
    this.connection.request(this.#object, VIRTUAL_POINTER.motionAbsolute, now(), x, y, width, height);
    this.#frame();
  }

  /** Ends a group of events; the compositor has handled it when this returns. */
  #frame(): void {
    this.connection.request(this.#object, VIRTUAL_POINTER.frame);
    this.connection.roundtrip();
  }
}

/** The time of an event: milliseconds from any start, as a 32-bit number. */
export function now(): number {
  return performance.now() >>> 0;
}
