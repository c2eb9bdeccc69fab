/** The pointer of one connection to KWin (org_kde_kwin_fake_input). */

import type { Button, Direction, Point } from "../../../control/desktop.ts";
import type { ConnectedPointer } from "../connected_desktop.ts";
import type { Connection } from "../wire/connection.ts";
import { toLogical } from "../wire/geometry.ts";
import { AXES, BUTTON_CODES, NOTCH } from "../wire/input_codes.ts";
import { KnownPlace } from "../wire/known_place.ts";
import type { Outputs } from "../wire/outputs.ts";
import { PointerQuery } from "../wire/pointer_query.ts";
import type { Registry } from "../wire/registry.ts";
import { FAKE_INPUT } from "./protocol.ts";

/** Moves the pointer of all mice. */
export class KwinPointer implements ConnectedPointer {
  readonly #place: KnownPlace;
  readonly #down = new Set<Button>();

  /** @param fakeInput The connection's object of org_kde_kwin_fake_input, authenticated. */
  constructor(
    readonly connection: Connection,
    registry: Registry,
    readonly outputs: Outputs,
    seat: number,
    readonly fakeInput: number,
  ) {
    const query = PointerQuery.open(connection, registry, outputs, seat);
    this.#place = KnownPlace.byQuery(
      outputs,
      query,
      () => this.#request(FAKE_INPUT.pointerMotion, { fixed: 0 }, { fixed: 0 }),
    );
  }

  get lastPlace(): Point {
    return this.#place.last;
  }

  position(): Promise<Point> {
    return this.#place.now(this.#down.size > 0);
  }

  move(point: Point): Promise<void> {
    return Promise.try(() => {
      const { x, y } = toLogical(this.outputs.arrangement(), point);
      this.#request(FAKE_INPUT.pointerMotionAbsolute, { fixed: x }, { fixed: y });
      this.#place.set(point);
    });
  }

  button(button: Button, down: boolean): Promise<void> {
    return Promise.try(() => {
      this.#request(FAKE_INPUT.button, BUTTON_CODES[button], down ? 1 : 0);
      if (down) this.#down.add(button);
      else this.#down.delete(button);
    });
  }

  scroll(direction: Direction, amount: number): Promise<void> {
    return Promise.try(() => {
      const [axis, sign] = AXES[direction];
      for (let i = 1; i < amount; i++) {
        this.connection.request(this.fakeInput, FAKE_INPUT.axis, axis, { fixed: sign * NOTCH });
      }
      this.#request(FAKE_INPUT.axis, axis, { fixed: sign * NOTCH });
    });
  }

  close(): void {
    this.#place.close();
  }

  /** KWin has handled the request when this returns. */
  #request(opcode: number, ...args: (number | { fixed: number })[]): void {
    this.connection.request(this.fakeInput, opcode, ...args);
    this.connection.roundtrip();
  }
}
