/**
 * Capture requests for outputs (zwlr_screencopy_v1). The compositor copies an output at its next frame:
 * immediately if it is idle, within a sixtieth of a second otherwise.
 */

import {
  type Frame,
  intersection,
  type Picture,
  type Region,
  type Screen,
  type ScreenLayout,
  united,
} from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { CapturedDesktop } from "../../capture/worker.ts";
import { Connection, type Registry } from "../wire/connection.ts";
import {
  type BufferShape,
  formatName,
  type FrameBuffer,
  FrameBuffers,
  PIXEL_FORMATS,
} from "../wire/frame_buffers.ts";
import {
  cutOut,
  joined,
  layoutOf,
  type OutputPicture,
  Outputs,
  type WaylandOutput,
} from "../wire/outputs.ts";
import { type ArgumentReader, SCREENCOPY, SCREENCOPY_FRAME } from "../wire/wire.ts";

/** Screencopy on one connection. */
export class Screencopy {
  readonly manager: number;
  readonly buffers: FrameBuffers;

  constructor(readonly connection: Connection, registry: Registry) {
    this.manager = registry.bindFirst("zwlr_screencopy_manager_v1", 3);
    this.buffers = new FrameBuffers(connection, registry);
  }

  close(): void {
    this.buffers.close();
  }
}

/** A pending picture of an output. */
export class FrameRequest {
  /** Whether the compositor has announced the buffer's format, or has refused. */
  isNamed = false;
  state: "asked" | "ready" | "failed" = "asked";
  /**
   * The changed part of the output, in pixels of the picture as transmitted; set only after a request that
   * waited for a change.
   */
  damage: Region | undefined;
  readonly #object: number;
  #shape: BufferShape | undefined;
  #buffer: FrameBuffer | undefined;
  #isInverted = false;
  #isDestroyed = false;

  /** @param cursor Whether to draw the pointer. A compositor that draws it in software always shows it. */
  constructor(readonly screencopy: Screencopy, readonly output: WaylandOutput, readonly cursor: boolean) {
    const { connection, manager } = screencopy;
    this.#object = connection.newId((opcode, args) => this.#onEvent(opcode, args));
    connection.request(manager, SCREENCOPY.captureOutput, this.#object, cursor ? 1 : 0, output.object);
  }

  /**
   * Requests the copy, once {@linkcode isNamed}.
   * @param when At the output's next frame, or at its first frame with a change since the last such copy.
   * @throws DesktopUnavailableError if the compositor refuses, or its pictures cannot be read here.
   */
  copy(when: "now" | "changed"): void {
    if (this.state === "failed" || !this.#shape) throw this.#refused();
    if (!PIXEL_FORMATS.has(this.#shape.format)) {
      throw new DesktopUnavailableError(
        `the compositor returned a picture in an unsupported format: ${formatName(this.#shape.format)}`,
      );
    }
    const { connection, buffers } = this.screencopy, { copy, copyWithDamage } = SCREENCOPY_FRAME;
    this.#buffer = buffers.take(this.#shape);
    connection.request(this.#object, when === "changed" ? copyWithDamage : copy, this.#buffer.object);
  }

  /** Whether a copy has been requested. */
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

  /** Ends the request and returns its buffer. Safe to call twice. */
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
      `the compositor refused to take a screenshot of display ${this.output.name}`,
    );
  }
}

// Pictures of outputs.

/**
 * How long this thread blocks for a picture before it does other work, in milliseconds: an idle output's
 * picture arrives within it, and takes a fifth longer with an asynchronous wait.
 */
const IDLE_MS = 4;
/** Maximum time for an output's next frame, in milliseconds. */
export const FRAME_MS = 5000;
/** How errors refer to a picture. */
export const PICTURE = "a picture (is the display off?)";

/** Captures over one connection. */
class OutputCapture {
  readonly #screencopy: Screencopy;

  constructor(readonly connection: Connection, registry: Registry) {
    this.#screencopy = new Screencopy(connection, registry);
  }

  /**
   * Captures whole outputs, all at the same time.
   * @param cursor Whether to draw the pointer.
   * @returns The frames, in the order of the outputs; the caller destroys them.
   * @throws DesktopUnavailableError if the compositor refuses a picture, or draws none.
   */
  async take(outputs: readonly WaylandOutput[], cursor: boolean): Promise<FrameRequest[]> {
    const frames = outputs.map((output) => new FrameRequest(this.#screencopy, output, cursor));
    try {
      await this.#wait(() => frames.every(({ isNamed }) => isNamed));
      for (const frame of frames) frame.copy("now");
      await this.#wait(() => frames.every(({ state }) => state !== "asked"));
      for (const frame of frames) frame.picture(); // throws if the compositor refused a frame
      return frames;
    } catch (error) {
      for (const frame of frames) frame.destroy();
      throw error;
    }
  }

  close(): void {
    this.#screencopy.close();
  }

  async #wait(isDone: () => boolean): Promise<void> {
    if (this.connection.shortly(isDone, IDLE_MS)) return;
    await this.connection.untilAsync(isDone, PICTURE, FRAME_MS);
  }
}

// The screen of one connection: its layout and its pictures.

/** A frame, and the function that returns its memory. */
interface Captured {
  frame: Frame;
  release(): void;
}

/** Pictures through screencopy. */
export class WaylandScreen implements Screen {
  readonly #capture: OutputCapture;

  constructor(connection: Connection, registry: Registry, readonly outputs: Outputs) {
    this.#capture = new OutputCapture(connection, registry);
  }

  layout(): ScreenLayout {
    return layoutOf(this.outputs.arrangement());
  }

  async capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    const { frame, release } = await this.#take(region, cursor);
    try {
      return read(frame);
    } finally {
      release();
    }
  }

  async picture(region: Region, cursor: boolean): Promise<Picture> {
    const { frame, release } = await this.#take(region, cursor);
    return { width: frame.width, height: frame.height, parts: [frame], release: once(release) };
  }

  /** Frees the memory of released pictures. */
  close(): void {
    this.#capture.close();
  }

  async #take(region: Region, cursor: boolean): Promise<Captured> {
    const placed = this.outputs.arrangement().outputs.filter((one) => intersection(one.region, region));
    const captured = await this.#capture.take(placed.map(({ output }) => output), cursor);
    const release = () => captured.forEach((frame) => frame.destroy());
    const pictures = captured.map((frame) => frame.picture());
    const cut = placed.length === 1 ? cutOut(pictures[0], placed[0], region) : undefined;
    if (cut) return { frame: cut, release };
    const frame = joined(pictures, placed, region);
    release();
    return { frame, release() {} };
  }
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

/**
 * Connects to a compositor only for captures.
 * @param path The path of the compositor's socket.
 * @returns undefined if there is no compositor, or it refuses this user.
 * @throws DesktopUnavailableError if it does not answer.
 */
export async function openCapturedScreen(path: string): Promise<CapturedDesktop | undefined> {
  return await Connection.openFor(path, async (connection, registry) => {
    const outputs = await Outputs.open(connection, registry);
    const screen = new WaylandScreen(connection, registry, outputs);
    return {
      capture: screen.capture.bind(screen),
      close() {
        screen.close();
        connection.close();
      },
    };
  });
}
