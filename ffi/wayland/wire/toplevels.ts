/** The windows of a compositor (zwlr_foreign_toplevel_manager_v1), as its events describe them. */

import type { WindowState } from "../../../control/desktop.ts";
import { UnsupportedError } from "../../../core/errors.ts";
import type { BackgroundConnection } from "./background_connection.ts";
import type { Handler } from "./connection.ts";
import { TOPLEVEL, TOPLEVEL_MANAGER, TOPLEVEL_STATES } from "./protocol.ts";

/** The interface's name. */
const TOPLEVELS = "zwlr_foreign_toplevel_manager_v1";

/** A window. */
export interface Toplevel {
  object: number;
  /** Counted from 1; stays the same while the window exists. */
  number: number;
  title: string;
  appId: string;
  states: ReadonlySet<typeof TOPLEVEL_STATES[number]>;
}

/** The windows of one connection. */
export class Toplevels {
  readonly seat: number;
  /** Windows in the order of their last activity, the latest first. */
  #front: Toplevel[] = [];
  #count = 0;

  /** @throws UnsupportedError if the compositor does not offer the protocol. */
  constructor(readonly background: BackgroundConnection) {
    const { registry, connection } = background;
    if (!registry.version(TOPLEVELS)) {
      throw new UnsupportedError(
        `this compositor does not list windows for programs (it does not offer ${TOPLEVELS})`,
      );
    }
    this.seat = registry.bindFirst("wl_seat", 1);
    registry.bindFirst(TOPLEVELS, 3, (opcode, args) => {
      if (opcode === TOPLEVEL_MANAGER.toplevel) this.#add(args.uint());
    });
    connection.roundtrip();
  }

  /** All windows, the front one first. */
  list(): readonly Toplevel[] {
    this.background.connection.roundtrip();
    return this.#front;
  }

  #add(object: number): void {
    const toplevel: Toplevel = { object, number: ++this.#count, title: "", appId: "", states: new Set() };
    this.#front.push(toplevel);
    const handler: Handler = (opcode, args) => {
      if (opcode === TOPLEVEL.title) toplevel.title = args.string();
      else if (opcode === TOPLEVEL.appId) toplevel.appId = args.string();
      else if (opcode === TOPLEVEL.state) {
        const values = new Uint32Array(args.array().buffer);
        toplevel.states = new Set(Array.from(values, (value) => TOPLEVEL_STATES[value]));
        if (toplevel.states.has("activated")) this.#toFront(toplevel);
      } else if (opcode === TOPLEVEL.closed) {
        this.#front = this.#front.filter((other) => other !== toplevel);
        this.background.connection.request(object, TOPLEVEL.destroy);
      }
    };
    this.background.connection.handle(object, handler);
  }

  #toFront(toplevel: Toplevel): void {
    this.#front = [toplevel, ...this.#front.filter((other) => other !== toplevel)];
  }
}

/** The state of a window: a minimized window that was maximized counts as minimized. */
export function stateOf({ states }: Toplevel): WindowState {
  for (const state of ["minimized", "fullscreen", "maximized"] as const) if (states.has(state)) return state;
  return "normal";
}
