/**
 * A connection's own pointer (zwlr_virtual_pointer_v1), and the pointer's position. Wayland reports the
 * pointer only to the surface below it, so a transparent surface is put on top of each output
 * (zwlr_layer_shell_v1) until the compositor reports where the pointer enters one. Nothing is drawn. While a
 * button is held, the pressed surface keeps the pointer, and no answer comes.
 */

import { timeByLoad } from "../../../core/proc.ts";
import type { Button, Direction, Point } from "../../../control/desktop/desktop.ts";
import type { Connection, Registry } from "./connection.ts";
import { type FrameBuffer, FrameBuffers } from "./frame_buffers.ts";
import { AXES, BUTTON_CODES, NOTCH } from "./keymaps.ts";
import { fromLogical, motionTo, type Outputs, type PlacedOutput, type WaylandOutput } from "./outputs.ts";
import {
  COMPOSITOR,
  LAYER_SHELL,
  LAYER_SURFACE,
  POINTER,
  SEAT,
  SURFACE,
  VIEWPORT,
  VIEWPORTER,
  VIRTUAL_POINTER,
  VIRTUAL_POINTER_MANAGER,
} from "./wire.ts";

/**
 * Maximum time for the compositor, in milliseconds: to send the surfaces' sizes, and to report the pointer's
 * position after it has handled all requests, longer on a busy machine.
 */
const SIZES_MS = 2000, ENTER_MS = 150;
/** wl_shm.format ARGB8888: zeros are transparent. */
const ARGB8888 = 0;

/** A surface on an output. */
interface Overlay {
  placed: PlacedOutput<WaylandOutput>;
  surface: number;
  layerSurface: number;
  viewport: number;
  configured?: { serial: number; width: number; height: number };
}

/** Queries over one connection. */
export class PointerQuery {
  readonly #compositor: number;
  readonly #layerShell: number;
  readonly #viewporter: number;
  readonly #buffers: FrameBuffers;
  /** One transparent pixel, stretched over the outputs. */
  readonly #pixel: FrameBuffer;

  private constructor(
    readonly connection: Connection,
    registry: Registry,
    readonly outputs: Outputs,
    readonly seat: number,
  ) {
    this.#compositor = registry.bindFirst("wl_compositor", 4);
    this.#layerShell = registry.bindFirst("zwlr_layer_shell_v1", 1);
    this.#viewporter = registry.bindFirst("wp_viewporter", 1);
    this.#buffers = new FrameBuffers(connection, registry);
    this.#pixel = this.#buffers.take({ format: ARGB8888, width: 1, height: 1, stride: 4 });
  }

  /** @returns undefined if the compositor lacks a required protocol. */
  static open(
    connection: Connection,
    registry: Registry,
    outputs: Outputs,
    seat: number,
  ): PointerQuery | undefined {
    const needed = ["wl_compositor", "zwlr_layer_shell_v1", "wp_viewporter", "wl_shm"];
    if (!needed.every((name) => registry.version(name))) return undefined;
    return new PointerQuery(connection, registry, outputs, seat);
  }

  /**
   * Queries the pointer's position.
   * @param nudge Moves the pointer by nothing: some compositors look for the surface below it only then. It
   * is also called at the end, so that the window below gets the pointer back.
   * @returns undefined without an answer, for example while a button is held.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  async ask(nudge: () => void): Promise<Point | undefined> {
    const { connection } = this;
    const overlays = this.outputs.arrangement().outputs.map((placed) => this.#lay(placed));
    let at: Point | undefined;
    const pointer = connection.newId((opcode, args) => {
      if (opcode !== POINTER.enter) return;
      args.uint(); // serial
      const surface = args.uint(), place = { x: args.fixed(), y: args.fixed() };
      const overlay = overlays.find((overlay) => overlay.surface === surface);
      if (overlay) at = fromLogical(overlay.placed, place);
    });
    connection.request(this.seat, SEAT.getPointer, pointer);
    const answer = (isDone: () => boolean, ms: number) =>
      connection.untilAsync(isDone, "the pointer's place", ms).then(
        () => true,
        () => (connection.check(), false),
      );
    try {
      if (!await answer(() => overlays.every(({ configured }) => configured), SIZES_MS)) return undefined;
      for (const overlay of overlays) this.#show(overlay);
      await connection.handled();
      if (!at) {
        nudge();
        await connection.handled();
      }
      await answer(() => at !== undefined, timeByLoad(ENTER_MS));
      return at;
    } finally {
      if (!connection.isLost) {
        this.#removeAll(pointer, overlays);
        // Moves the pointer, since sway returns it to the window below only at the next motion; an earlier
        // press would be lost.
        nudge();
        await connection.handled();
      }
    }
  }

  close(): void {
    this.#buffers.release(this.#pixel);
    this.#buffers.close();
  }

  #lay(placed: PlacedOutput<WaylandOutput>): Overlay {
    const { connection } = this;
    const overlay: Overlay = { placed, surface: connection.newId(), layerSurface: 0, viewport: 0 };
    connection.request(this.#compositor, COMPOSITOR.createSurface, overlay.surface);
    overlay.layerSurface = connection.newId((opcode, args) => {
      if (opcode !== LAYER_SURFACE.configure) return;
      overlay.configured = { serial: args.uint(), width: args.uint(), height: args.uint() };
    });
    const { object } = placed.output;
    connection.request(
      this.#layerShell,
      LAYER_SHELL.getLayerSurface,
      overlay.layerSurface,
      overlay.surface,
      object,
      LAYER_SHELL.overlay,
      "deskhand",
    );
    connection.request(overlay.layerSurface, LAYER_SURFACE.setAnchor, LAYER_SURFACE.allEdges);
    connection.request(overlay.layerSurface, LAYER_SURFACE.setExclusiveZone, -1); // also covers bars
    connection.request(overlay.surface, SURFACE.commit);
    return overlay;
  }

  #show(overlay: Overlay): void {
    const { connection } = this, { serial, width, height } = overlay.configured!;
    connection.request(overlay.layerSurface, LAYER_SURFACE.ackConfigure, serial);
    overlay.viewport = connection.newId();
    connection.request(this.#viewporter, VIEWPORTER.getViewport, overlay.viewport, overlay.surface);
    connection.request(overlay.viewport, VIEWPORT.setDestination, width, height);
    connection.request(overlay.surface, SURFACE.attach, this.#pixel.object, 0, 0);
    connection.request(overlay.surface, SURFACE.commit);
  }

  #removeAll(pointer: number, overlays: readonly Overlay[]): void {
    const { connection } = this;
    connection.request(pointer, POINTER.release);
    for (const { viewport, layerSurface, surface } of overlays) {
      if (viewport) connection.request(viewport, VIEWPORT.destroy);
      connection.request(layerSurface, LAYER_SURFACE.destroy);
      connection.request(surface, SURFACE.destroy);
    }
    connection.flush();
  }
}

const MANAGER = "zwlr_virtual_pointer_manager_v1";

/** Sends events, at the latest with the next wait for the compositor. */
export class VirtualPointer {
  readonly #object: number;

  /**
   * Creates the device.
   * @param seat The object of the device's seat.
   * @throws DesktopUnavailableError if the compositor does not offer virtual pointers.
   */
  constructor(readonly connection: Connection, registry: Registry, seat: number) {
    const manager = registry.bindFirst(MANAGER, 2);
    this.#object = connection.newId();
    connection.request(manager, VIRTUAL_POINTER_MANAGER.create, seat, this.#object);
  }

  /** Whether a compositor offers virtual pointers. */
  static isOffered(registry: Registry): boolean {
    return registry.version(MANAGER) > 0;
  }

  /** Moves to a position on the desktop. */
  move(outputs: Outputs, point: Point): void {
    const { x, y, width, height } = motionTo(outputs.arrangement(), point);
    this.connection.request(this.#object, VIRTUAL_POINTER.motionAbsolute, now(), x, y, width, height);
    this.#frame();
  }

  /** Moves by nothing: some compositors look for the surface below the pointer only at a motion. */
  nudge(): void {
    const still = { fixed: 0 };
    this.connection.request(this.#object, VIRTUAL_POINTER.motion, now(), still, still);
    this.#frame();
  }

  button(button: Button, down: boolean): void {
    const code = BUTTON_CODES[button];
    this.connection.request(this.#object, VIRTUAL_POINTER.button, now(), code, down ? 1 : 0);
    this.#frame();
  }

  /** Turns the wheel by some notches. */
  scroll(direction: Direction, amount: number): void {
    const { connection } = this, [axis, sign] = AXES[direction], length = { fixed: sign * NOTCH };
    for (let i = 0; i < amount; i++) {
      connection.request(this.#object, VIRTUAL_POINTER.axisSource, VIRTUAL_POINTER.wheel);
      connection.request(this.#object, VIRTUAL_POINTER.axisDiscrete, now(), axis, length, sign);
      this.#frame();
    }
  }

  #frame(): void {
    this.connection.request(this.#object, VIRTUAL_POINTER.frame);
  }
}

/** An event's timestamp: milliseconds since an arbitrary start, as a 32-bit number. */
export function now(): number {
  return performance.now() >>> 0;
}
