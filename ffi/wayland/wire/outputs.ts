/** The outputs of a compositor: size, scale, turn and place (wl_output, xdg_output). */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Connection, Handler } from "./connection.ts";
import { arrange, type Arrangement, type OutputState, turnedSize } from "./geometry.ts";
import { MODE_CURRENT, OUTPUT, XDG_OUTPUT, XDG_OUTPUT_MANAGER } from "./protocol.ts";
import type { Global, Registry } from "./registry.ts";

/** An output and its object on this connection. */
export interface WaylandOutput extends OutputState {
  object: number;
  /** The time of a frame, in milliseconds. */
  frameMs: number;
}

/** Frames a second, in thousandths, of outputs that do not report a rate, and the lowest rate that is believed. */
const USUAL_RATE = 60_000, LEAST_RATE = 10_000;

/** An output whose properties are arriving. */
interface Incoming extends WaylandOutput {
  /** Pixels a logical pixel, rounded up; only for compositors without xdg_output. */
  scale: number;
  xdg: number | undefined;
}

/** The outputs of a connection, as its events describe them. */
export class Outputs {
  readonly #known = new Map<number, Incoming>();
  readonly #manager: number | undefined;
  #arrangement: Arrangement<WaylandOutput> | undefined;

  constructor(readonly connection: Connection, readonly registry: Registry) {
    const manager = registry.all("zxdg_output_manager_v1")[0];
    this.#manager = manager && registry.bind(manager, 3);
    this.arrangement();
  }

  /**
   * The present places of the outputs.
   * @throws DesktopUnavailableError if there is none, or the compositor is gone.
   */
  arrangement(): Arrangement<WaylandOutput> {
    this.connection.dispatch();
    if (this.#update()) this.connection.roundtrip(); // their properties follow
    if (this.#arrangement) return this.#arrangement;
    const outputs = [...this.#known.values()].filter(({ mode }) => mode.width > 0).map(withLogicalRegion);
    if (!outputs.length) throw new DesktopUnavailableError("the compositor has no display now");
    return this.#arrangement = arrange(outputs);
  }

  /** Follows the registry. @returns Whether there are new outputs. */
  #update(): boolean {
    const globals = this.registry.all("wl_output");
    const names = new Set(globals.map(({ name }) => name));
    for (const [name, output] of this.#known) {
      if (names.has(name)) continue;
      if (output.xdg !== undefined) this.connection.request(output.xdg, XDG_OUTPUT.destroy);
      this.#known.delete(name);
      this.#arrangement = undefined;
    }
    const added = globals.filter(({ name }) => !this.#known.has(name));
    for (const global of added) this.#known.set(global.name, this.#bind(global));
    return added.length > 0;
  }

  #bind(global: Global): Incoming {
    const output: Incoming = {
      object: 0,
      frameMs: frameMs(0),
      xdg: undefined,
      name: `display ${global.name}`,
      mode: { width: 0, height: 0 },
      transform: 0,
      scale: 1,
      logical: { x: 0, y: 0, width: 0, height: 0 },
    };
    const changing = (handler: Handler): Handler => (opcode, args) => {
      handler(opcode, args);
      this.#arrangement = undefined;
    };
    output.object = this.registry.bind(global, 4, changing(outputHandler(output)));
    if (this.#manager !== undefined) {
      output.xdg = this.connection.newId(changing(xdgHandler(output)));
      this.connection.request(this.#manager, XDG_OUTPUT_MANAGER.getXdgOutput, output.xdg, output.object);
    }
    return output;
  }
}

function outputHandler(output: Incoming): Handler {
  return (opcode, args) => {
    if (opcode === OUTPUT.geometry) {
      const x = args.int(), y = args.int();
      if (output.xdg === undefined) Object.assign(output.logical, { x, y });
      for (const _ of ["width in mm", "height in mm", "subpixels"]) args.int();
      for (const _ of ["make", "model"]) args.string();
      output.transform = args.int();
    } else if (opcode === OUTPUT.mode) {
      const flags = args.uint(), width = args.int(), height = args.int();
      if (flags & MODE_CURRENT) {
        Object.assign(output, { mode: { width, height }, frameMs: frameMs(args.int()) });
      }
    } else if (opcode === OUTPUT.scale) output.scale = args.int();
    else if (opcode === OUTPUT.name) output.name = args.string();
  };
}

function xdgHandler(output: Incoming): Handler {
  return (opcode, args) => {
    if (opcode === XDG_OUTPUT.logicalPosition) {
      Object.assign(output.logical, { x: args.int(), y: args.int() });
    } else if (opcode === XDG_OUTPUT.logicalSize) {
      Object.assign(output.logical, { width: args.int(), height: args.int() });
    } else if (opcode === XDG_OUTPUT.name) output.name = args.string();
  };
}

function withLogicalRegion(output: Incoming): WaylandOutput {
  if (output.logical.width > 0) return output;
  const { width, height } = turnedSize(output);
  const logical = { ...output.logical, width: width / output.scale, height: height / output.scale };
  return { ...output, logical };
}

function frameMs(rate: number): number {
  return 1e6 / Math.max(LEAST_RATE, rate || USUAL_RATE);
}
