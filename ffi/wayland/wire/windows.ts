/**
 * A Wayland desktop's windows, as far as the compositor lets programs see and change other programs' windows.
 */

import type { WindowChange, WindowInfo, Windows, WindowState } from "../../../control/desktop/desktop.ts";
import { StateError, UnsupportedError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { type BackgroundConnection, OnDemand } from "./background_connection.ts";
import type { Connection, Handler } from "./connection.ts";
import { TOPLEVEL, TOPLEVEL_MANAGER, TOPLEVEL_STATES } from "./wire.ts";

// A compositor's windows (zwlr_foreign_toplevel_manager_v1), as described by its events.

/** The interface's name. */
const TOPLEVELS = "zwlr_foreign_toplevel_manager_v1";

/** A window. */
interface Toplevel {
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
  /** Windows by last activity, the most recent first. */
  #front: Toplevel[] = [];
  #count = 0;

  private constructor(readonly background: BackgroundConnection) {
    const { registry } = background;
    if (!registry.version(TOPLEVELS)) {
      throw new UnsupportedError(
        `this compositor does not let programs list windows (it does not offer ${TOPLEVELS})`,
      );
    }
    this.seat = registry.bindFirst("wl_seat", 1);
    registry.bindFirst(TOPLEVELS, 3, (opcode, args) => {
      if (opcode === TOPLEVEL_MANAGER.toplevel) this.#add(args.uint());
    });
  }

  /** @throws UnsupportedError if the compositor does not offer the protocol. */
  static async open(background: BackgroundConnection): Promise<Toplevels> {
    const toplevels = new Toplevels(background);
    await background.connection.handled();
    return toplevels;
  }

  /** All windows, topmost first. */
  async list(): Promise<readonly Toplevel[]> {
    await this.background.connection.handled();
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

/** A window's state: a minimized window that was maximized counts as minimized. */
function stateOf({ states }: Toplevel): WindowState {
  for (const state of ["minimized", "fullscreen", "maximized"] as const) if (states.has(state)) return state;
  return "normal";
}

/**
 * Time after which a compositor that has not changed a window's state counts as refusing, in milliseconds;
 * longer on a busy machine.
 */
const REFUSED_MS = 1500;

/** The refusal to place a window. */
const PLACED_BY_OTHERS = "Wayland does not let programs place the windows of others";

/** Lists and changes windows over its own connection, which is opened on first use. */
export class WaylandWindows implements Windows {
  readonly #toplevels: OnDemand<Toplevels>;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#toplevels = new OnDemand(path, Toplevels.open);
  }

  /** Lists the windows without their regions, which no protocol reports. */
  async list(): Promise<WindowInfo[]> {
    return (await (await this.#toplevels.get()).list()).map(infoOf);
  }

  async change(window: WindowInfo, change: WindowChange): Promise<void> {
    const toplevels = await this.#toplevels.get();
    const toplevel = (await toplevels.list()).find((one) => idOf(one) === window.id);
    if (!toplevel) return; // the window has already been closed
    const { seat, background: { connection } } = toplevels;
    const request = (opcode: number, ...args: (number | null)[]) =>
      connection.request(toplevel.object, opcode, ...args);
    switch (change.to) {
      case "placed":
        throw new StateError(PLACED_BY_OTHERS);
      case "closed":
        request(TOPLEVEL.close);
        return connection.flush();
      case "active":
        if (stateOf(toplevel) === "minimized") request(TOPLEVEL.unsetMinimized);
        request(TOPLEVEL.activate, seat);
        return connection.flush();
      default:
        for (const [opcode, ...args] of STEPS[change.to](stateOf(toplevel))) request(opcode, ...args);
        return await untilState(connection, toplevel, change.to);
    }
  }

  close(): void {
    this.#toplevels.close();
  }
}

function infoOf(toplevel: Toplevel): WindowInfo {
  return {
    id: idOf(toplevel),
    title: toplevel.title,
    class: toplevel.appId,
    state: stateOf(toplevel),
    active: toplevel.states.has("activated"),
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  };
}

/** Waits until a state is reported. @throws StateError if the compositor does not set it. */
async function untilState(connection: Connection, toplevel: Toplevel, state: WindowState): Promise<void> {
  const isRestored = state === "normal" && stateOf(toplevel) === "minimized";
  const isDone = () => isRestored ? stateOf(toplevel) !== "minimized" : stateOf(toplevel) === state;
  if (await connection.waitAside(isDone, performance.now() + timeByLoad(REFUSED_MS))) return;
  throw new StateError(`the compositor did not make this window ${state}; it is still ${stateOf(toplevel)}`);
}

/** The requests that lead from one state to another, with their arguments. */
const STEPS: Record<WindowState, (from: WindowState) => [opcode: number, ...args: null[]][]> = {
  normal: (from) => LEAVE[from],
  minimized: () => [[TOPLEVEL.setMinimized]],
  maximized: (from) => [...LEAVE[from], [TOPLEVEL.setMaximized]],
  fullscreen: (from) => [...(from === "minimized" ? LEAVE.minimized : []), [TOPLEVEL.setFullscreen, null]],
};
const LEAVE: Record<WindowState, [opcode: number][]> = {
  normal: [],
  minimized: [[TOPLEVEL.unsetMinimized]],
  maximized: [[TOPLEVEL.unsetMaximized]],
  fullscreen: [[TOPLEVEL.unsetFullscreen]],
};

function idOf({ number }: Toplevel): string {
  return `0x${number.toString(16)}`;
}
