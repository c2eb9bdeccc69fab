/**
 * Where the pointer is. Wayland reports the pointer to the surface below it alone, so a transparent surface is put on
 * top of each output (zwlr_layer_shell_v1) until the compositor says where the pointer enters one. Nothing is drawn.
 * While a button is held the surface that was pressed keeps the pointer, and no answer comes.
 */

import type { Point } from "../../../control/desktop.ts";
import type { Connection } from "./connection.ts";
import { type FrameBuffer, FrameBuffers } from "./frame_buffers.ts";
import { fromLogical, type PlacedOutput } from "./geometry.ts";
import type { Output, Outputs } from "./outputs.ts";
import {
  COMPOSITOR,
  LAYER_SHELL,
  LAYER_SURFACE,
  POINTER,
  SEAT,
  SURFACE,
  VIEWPORT,
  VIEWPORTER,
} from "./protocol.ts";
import type { Registry } from "./registry.ts";

/**
 * How long the compositor may take, in milliseconds: to give the surfaces their sizes, and to say where the pointer is
 * when it has handled all that was sent.
 */
const SIZES_MS = 2000, ENTER_MS = 150;
/** wl_shm.format ARGB8888: zeros are transparent. */
const ARGB8888 = 0;

/** A surface on an output. */
interface Sheet {
  placed: PlacedOutput<Output>;
  surface: number;
  layerSurface: number;
  viewport: number;
  configured?: { serial: number; width: number; height: number };
}

/** Asks over one connection. */
export class PointerQuery {
  readonly #compositor: number;
  readonly #layerShell: number;
  readonly #viewporter: number;
  readonly #buffers: FrameBuffers;
  /** One transparent pixel, which is stretched over the outputs. */
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

  /** @returns undefined if the compositor lacks a protocol that this needs. */
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
   * Asks.
   * @param nudge Moves the pointer by nothing: some compositors look for the surface below it only then.
   * @returns undefined if no answer came, as while a button is held.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  async ask(nudge: () => void): Promise<Point | undefined> {
    const { connection } = this;
    const sheets = this.outputs.arrangement().outputs.map((placed) => this.#lay(placed));
    let at: Point | undefined;
    const pointer = connection.newId((opcode, args) => {
      if (opcode !== POINTER.enter) return;
      args.uint(); // serial
      const surface = args.uint(), place = { x: args.fixed(), y: args.fixed() };
      const sheet = sheets.find((sheet) => sheet.surface === surface);
      if (sheet) at = fromLogical(sheet.placed, place);
    });
    connection.request(this.seat, SEAT.getPointer, pointer);
    const answer = (isDone: () => boolean, ms: number) =>
      connection.untilAsync(isDone, "the pointer's place", ms).then(
        () => true,
        () => (connection.check(), false),
      );
    try {
      if (!await answer(() => sheets.every(({ configured }) => configured), SIZES_MS)) return undefined;
      for (const sheet of sheets) this.#show(sheet);
      connection.roundtrip();
      if (!at) nudge();
      await answer(() => at !== undefined, ENTER_MS);
      return at;
    } finally {
      if (!connection.isLost) this.#removeAll(pointer, sheets);
    }
  }

  close(): void {
    this.#buffers.release(this.#pixel);
    this.#buffers.close();
  }

  #lay(placed: PlacedOutput<Output>): Sheet {
    const { connection } = this;
    const sheet: Sheet = { placed, surface: connection.newId(), layerSurface: 0, viewport: 0 };
    connection.request(this.#compositor, COMPOSITOR.createSurface, sheet.surface);
    sheet.layerSurface = connection.newId((opcode, args) => {
      if (opcode !== LAYER_SURFACE.configure) return;
      sheet.configured = { serial: args.uint(), width: args.uint(), height: args.uint() };
    });
    const { getLayerSurface, overlay } = LAYER_SHELL, { object } = placed.output;
    connection.request(
      this.#layerShell,
      getLayerSurface,
      sheet.layerSurface,
      sheet.surface,
      object,
      overlay,
      "deskhand",
    );
    connection.request(sheet.layerSurface, LAYER_SURFACE.setAnchor, LAYER_SURFACE.allEdges);
    connection.request(sheet.layerSurface, LAYER_SURFACE.setExclusiveZone, -1); // over bars too
    connection.request(sheet.surface, SURFACE.commit);
    return sheet;
  }

  #show(sheet: Sheet): void {
    const { connection } = this, { serial, width, height } = sheet.configured!;
    connection.request(sheet.layerSurface, LAYER_SURFACE.ackConfigure, serial);
    sheet.viewport = connection.newId();
    connection.request(this.#viewporter, VIEWPORTER.getViewport, sheet.viewport, sheet.surface);
    connection.request(sheet.viewport, VIEWPORT.setDestination, width, height);
    connection.request(sheet.surface, SURFACE.attach, this.#pixel.object, 0, 0);
    connection.request(sheet.surface, SURFACE.commit);
  }

  #removeAll(pointer: number, sheets: readonly Sheet[]): void {
    const { connection } = this;
    connection.request(pointer, POINTER.release);
    for (const { viewport, layerSurface, surface } of sheets) {
      if (viewport) connection.request(viewport, VIEWPORT.destroy);
      connection.request(layerSurface, LAYER_SURFACE.destroy);
      connection.request(surface, SURFACE.destroy);
    }
    connection.flush();
  }
}
