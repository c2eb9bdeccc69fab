/** The pointer of one connection (zwlr_virtual_pointer_v1). */

import { type Button, contains, type Direction, type Point, type Pointer } from "../../control/desktop.ts";
import { StateError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import { BUTTON_CODES } from "./input_codes.ts";
import { motionTo } from "./geometry.ts";
import type { Outputs } from "./outputs.ts";
import { PointerQuery } from "./pointer_query.ts";
import { VIRTUAL_POINTER, VIRTUAL_POINTER_MANAGER } from "./protocol.ts";
import type { Registry } from "./registry.ts";

/** A place that is known is asked for again when it is this old, in milliseconds: a person may have moved. */
const KNOWN_MS = 100;
/** What a notch of a wheel scrolls, in the units of wl_pointer.axis; that of libinput's wheels. */
const NOTCH = 15;
/** wl_pointer.axis and the sign of its values. */
const AXES: Readonly<Record<Direction, readonly [axis: number, sign: number]>> = {
  up: [0, -1],
  down: [0, 1],
  left: [1, -1],
  right: [1, 1],
};

/** A pointer device of this connection's own. Programs see it as long as the connection is open. */
export class WaylandPointer implements Pointer {
  readonly #object: number;
  readonly #query: PointerQuery | undefined;
  readonly #down = new Set<Button>();
  #place: { point: Point; at: number } | undefined;
  #asking: Promise<Point> | undefined;

  constructor(
    readonly connection: Connection,
    registry: Registry,
    readonly outputs: Outputs,
    seat: number,
  ) {
    const manager = registry.bindFirst("zwlr_virtual_pointer_manager_v1", 2);
    this.#object = connection.newId();
    connection.request(manager, VIRTUAL_POINTER_MANAGER.create, seat, this.#object);
    this.#query = PointerQuery.open(connection, registry, outputs, seat);
  }

  /** Where the pointer was last known to be; the first display's corner if it never was. */
  get lastPlace(): Point {
    return this.#place?.point ?? { x: 0, y: 0 };
  }

  position(): Point | Promise<Point> {
    const known = this.#place;
    if (known && (this.#down.size || performance.now() - known.at < KNOWN_MS)) {
      this.connection.dispatch();
      return known.point;
    }
    return this.ask();
  }

  /**
   * Asks the compositor where the pointer is, whatever is known; one question for all who ask at the same time.
   * @throws StateError if it never said.
   */
  ask(): Promise<Point> {
    return this.#asking ??= this.#ask().finally(() => this.#asking = undefined);
  }

  move(point: Point): void {
    const { x, y, width, height } = motionTo(this.outputs.arrangement(), point);
    this.connection.request(this.#object, VIRTUAL_POINTER.motionAbsolute, now(), x, y, width, height);
    this.#frame();
    this.#place = { point: { ...point }, at: performance.now() };
  }

  button(button: Button, down: boolean): void {
    this.connection.request(
      this.#object,
      VIRTUAL_POINTER.button,
      now(),
      BUTTON_CODES[button],
      down ? 1 : 0,
    );
    this.#frame();
    if (down) this.#down.add(button);
    else this.#down.delete(button);
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
    this.#query?.close();
  }

  async #ask(): Promise<Point> {
    const asked = performance.now();
    const point = await this.#query?.ask(() => {
      const still = { fixed: 0 };
      this.connection.request(this.#object, VIRTUAL_POINTER.motion, now(), still, still);
      this.#frame();
    });
    // A move that was made meanwhile is newer than the answer.
    if (this.#place && this.#place.at > asked) return this.#place.point;
    if (point) this.#place = { point, at: performance.now() };
    if (this.#place && contains(this.outputs.arrangement().region, this.#place.point)) {
      return this.#place.point;
    }
    throw new StateError("the compositor does not say where the pointer is; move it once");
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
