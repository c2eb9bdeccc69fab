/**
 * Requests for pictures of outputs (zwlr_screencopy_v1). The compositor copies an output at its next frame: at once if
 * it is idle, within a sixtieth of a second otherwise.
 */

import { type Region, united } from "../../../control/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { OutputPicture } from "../wire/compose.ts";
import type { ArgumentReader } from "../wire/wire.ts";
import type { Connection } from "../wire/connection.ts";
import { type BufferShape, type FrameBuffer, FrameBuffers } from "../wire/frame_buffers.ts";
import type { WaylandOutput } from "../wire/outputs.ts";
import { formatName, PIXEL_FORMATS } from "../wire/pixel_formats.ts";
import { SCREENCOPY, SCREENCOPY_FRAME } from "../wire/protocol.ts";
import type { Registry } from "../wire/registry.ts";

/** The first version with copies that wait for a change, and the first that says when all kinds of buffers are named. */
const DAMAGE_VERSION = 2, BUFFER_DONE_VERSION = 3;

/** Screencopy on one connection. */
export class Screencopy {
  readonly manager: number;
  readonly version: number;
  readonly buffers: FrameBuffers;

  constructor(readonly connection: Connection, registry: Registry) {
    this.manager = registry.bindFirst("zwlr_screencopy_manager_v1", 3);
    this.version = Math.min(3, registry.version("zwlr_screencopy_manager_v1"));
    this.buffers = new FrameBuffers(connection, registry);
  }

  close(): void {
    this.buffers.close();
  }
}

/** A picture of an output on its way. */
export class FrameRequest {
  /** Tells whether the compositor has named the buffer's format, or has refused. */
  isNamed = false;
  state: "asked" | "ready" | "failed" = "asked";
  /**
   * The changed part of the output, in pixels of the picture as it is transmitted; set only after a request that
   * waited for a change.
   */
  damage: Region | undefined;
  readonly #object: number;
  #shape: BufferShape | undefined;
  #buffer: FrameBuffer | undefined;
  #isInverted = false;
  #isDestroyed = false;

  /** @param cursor Whether the pointer is drawn in. A compositor that draws it in software shows it in any case. */
  constructor(readonly screencopy: Screencopy, readonly output: WaylandOutput, readonly cursor: boolean) {
    const { connection, manager } = screencopy;
    this.#object = connection.newId((opcode, args) => this.#onEvent(opcode, args));
    connection.request(manager, SCREENCOPY.captureOutput, this.#object, cursor ? 1 : 0, output.object);
  }

  /**
   * Asks for the copy, when {@linkcode isNamed}.
   * @param when At the output's next frame, or at its first frame with a change since the last such copy. A
   * compositor that does not support the latter gives the next frame.
   * @throws DesktopUnavailableError if the compositor refuses, or its pictures cannot be read here.
   */
  copy(when: "now" | "changed"): void {
    if (this.state === "failed" || !this.#shape) throw this.#refused();
    if (!PIXEL_FORMATS.has(this.#shape.format)) {
      throw new DesktopUnavailableError(
        `the compositor gives pictures in a format that is not known here: ${formatName(this.#shape.format)}`,
      );
    }
    const { connection, version, buffers } = this.screencopy, { copy, copyWithDamage } = SCREENCOPY_FRAME;
    this.#buffer = buffers.take(this.#shape);
    const request = when === "changed" && version >= DAMAGE_VERSION ? copyWithDamage : copy;
    connection.request(this.#object, request, this.#buffer.object);
  }

  /** Tells whether a copy was asked for. */
  get isCopied(): boolean {
    return this.#buffer !== undefined;
  }

  /**
   * The picture, which is valid until {@linkcode destroy}.
   * @throws DesktopUnavailableError if the compositor refused it.
   */
  picture(): OutputPicture {
    const shape = this.#shape, buffer = this.#buffer;
    if (this.state === "failed" || !shape || !buffer) throw this.#refused();
    const { format, ...size } = shape, isInverted = this.#isInverted;
    return { ...size, format: PIXEL_FORMATS.get(format)!, isInverted, bytes: buffer.memory.bytes };
  }

  /** Ends the request and gives its buffer back. Safe to call twice. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    const { connection, buffers } = this.screencopy;
    if (!connection.isLost) connection.request(this.#object, SCREENCOPY_FRAME.destroy);
    if (this.#buffer) buffers.release(this.#buffer);
  }

  #onEvent(opcode: number, args: ArgumentReader): void {
    const { buffer, bufferDone, flags, yInverted, ready, failed, damage } = SCREENCOPY_FRAME;
    if (opcode === buffer) {
      const [format, width, height, stride] = [args.uint(), args.uint(), args.uint(), args.uint()];
      this.#shape = { format, width, height, stride };
      this.isNamed ||= this.screencopy.version < BUFFER_DONE_VERSION;
    } else if (opcode === bufferDone) this.isNamed = true;
    else if (opcode === flags) this.#isInverted = (args.uint() & yInverted) !== 0;
    else if (opcode === damage) {
      const [x, y, width, height] = [args.uint(), args.uint(), args.uint(), args.uint()];
      this.damage = united(this.damage, { x, y, width, height });
    } else if (opcode === ready) this.state = "ready";
    else if (opcode === failed) {
      this.state = "failed";
      this.isNamed = true;
    }
  }

  #refused(): DesktopUnavailableError {
    return new DesktopUnavailableError(
      `the compositor refuses to give a picture of display ${this.output.name}`,
    );
  }
}
