/**
 * Pictures of outputs (zwlr_screencopy_v1). The compositor copies an output at its next frame: at once if it is idle,
 * within a sixtieth of a second otherwise, so that the wait lets other work go on.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import type { OutputPicture } from "./compose.ts";
import { type BufferShape, type FrameBuffer, FrameBuffers } from "./frame_buffers.ts";
import type { Output } from "./outputs.ts";
import { formatName, PIXEL_FORMATS } from "./pixel_formats.ts";
import { SCREENCOPY, SCREENCOPY_FRAME } from "./protocol.ts";
import type { Registry } from "./registry.ts";

/** How long a picture of an idle output is waited for before other work goes on, in milliseconds. */
const IDLE_MS = 2;
/** How long an output may take for its next frame, in milliseconds. */
const FRAME_MS = 5000;
/** What is waited for, for messages. */
const PICTURE = "a picture (is the display off?)";
/** With this version the compositor says when it has named all kinds of buffers. */
const BUFFER_DONE_VERSION = 3;

/** A picture, and the buffer that it is in. */
export interface CapturedOutput {
  picture: OutputPicture;
  buffer: FrameBuffer;
}

/** A picture on its way. */
interface Pending {
  object: number;
  output: Output;
  shape?: BufferShape;
  isNamed: boolean;
  isInverted: boolean;
  buffer?: FrameBuffer;
  state: "asked" | "ready" | "failed";
}

/** Captures over one connection. */
export class OutputCapture {
  readonly buffers: FrameBuffers;
  readonly #manager: number;
  readonly #version: number;

  constructor(readonly connection: Connection, registry: Registry) {
    this.#manager = registry.bindFirst("zwlr_screencopy_manager_v1", 3);
    this.#version = Math.min(3, registry.version("zwlr_screencopy_manager_v1"));
    this.buffers = new FrameBuffers(connection, registry);
  }

  /**
   * Captures whole outputs, all at the same time.
   * @param cursor Whether the pointer is drawn in. A compositor that draws it in software shows it in any case.
   * @returns In their order; the caller releases the buffers.
   * @throws DesktopUnavailableError if the compositor refuses a picture, or draws none.
   */
  async take(outputs: readonly Output[], cursor: boolean): Promise<CapturedOutput[]> {
    const pending = this.#askAll(outputs, cursor);
    try {
      await this.#wait(pending, isNamed);
      this.#copyAll(pending);
      await this.#wait(pending, isOver);
      return pending.map(captured);
    } catch (error) {
      throw this.#failed(pending, error);
    } finally {
      this.#finish(pending);
    }
  }

  /** Captures like {@linkcode take}, and blocks the calling thread meanwhile. */
  takeNow(outputs: readonly Output[], cursor: boolean): CapturedOutput[] {
    const pending = this.#askAll(outputs, cursor);
    try {
      this.connection.until(() => pending.every(isNamed), PICTURE, FRAME_MS);
      this.#copyAll(pending);
      this.connection.until(() => pending.every(isOver), PICTURE, FRAME_MS);
      return pending.map(captured);
    } catch (error) {
      throw this.#failed(pending, error);
    } finally {
      this.#finish(pending);
    }
  }

  close(): void {
    this.buffers.close();
  }

  #ask(output: Output, cursor: boolean): Pending {
    const frame: Pending = { object: 0, output, isNamed: false, isInverted: false, state: "asked" };
    frame.object = this.connection.newId((opcode, args) => {
      if (opcode === SCREENCOPY_FRAME.buffer) {
        const [format, width, height, stride] = [args.uint(), args.uint(), args.uint(), args.uint()];
        frame.shape = { format, width, height, stride };
        frame.isNamed ||= this.#version < BUFFER_DONE_VERSION;
      } else if (opcode === SCREENCOPY_FRAME.bufferDone) frame.isNamed = true;
      else if (opcode === SCREENCOPY_FRAME.flags) {
        frame.isInverted = (args.uint() & SCREENCOPY_FRAME.yInverted) !== 0;
      } else if (opcode === SCREENCOPY_FRAME.ready) frame.state = "ready";
      else if (opcode === SCREENCOPY_FRAME.failed) frame.state = "failed";
    });
    this.connection.request(
      this.#manager,
      SCREENCOPY.captureOutput,
      frame.object,
      cursor ? 1 : 0,
      output.object,
    );
    return frame;
  }

  #askAll(outputs: readonly Output[], cursor: boolean): Pending[] {
    return outputs.map((output) => this.#ask(output, cursor));
  }

  #copyAll(pending: readonly Pending[]): void {
    for (const frame of pending) this.#copy(frame);
  }

  /** Gives buffers back of which no picture is returned. */
  #failed(pending: readonly Pending[], error: unknown): unknown {
    for (const { buffer } of pending) if (buffer) this.buffers.release(buffer);
    return error;
  }

  #finish(pending: readonly Pending[]): void {
    if (this.connection.isLost) return;
    for (const { object } of pending) this.connection.request(object, SCREENCOPY_FRAME.destroy);
    this.connection.flush();
  }

  #copy(frame: Pending): void {
    if (frame.state === "failed" || !frame.shape) throw refused(frame.output);
    if (!PIXEL_FORMATS.has(frame.shape.format)) {
      throw new DesktopUnavailableError(
        `the compositor gives pictures in a format that is not known here: ${formatName(frame.shape.format)}`,
      );
    }
    frame.buffer = this.buffers.take(frame.shape);
    this.connection.request(frame.object, SCREENCOPY_FRAME.copy, frame.buffer.object);
  }

  async #wait(pending: readonly Pending[], isDone: (frame: Pending) => boolean): Promise<void> {
    const { connection } = this, all = () => pending.every(isDone);
    for (const end = performance.now() + IDLE_MS; performance.now() < end;) {
      connection.dispatch();
      if (all()) return;
      connection.waitBriefly(end - performance.now());
    }
    await connection.untilAsync(all, PICTURE, FRAME_MS);
  }
}

/** Whether the compositor has said what it asks of a buffer. */
function isNamed({ isNamed, state }: Pending): boolean {
  return isNamed || state === "failed";
}

function isOver({ state }: Pending): boolean {
  return state !== "asked";
}

function captured({ state, shape, buffer, output, isInverted }: Pending): CapturedOutput {
  if (state === "failed" || !shape || !buffer) throw refused(output);
  const { format, ...size } = shape;
  const picture = { ...size, format: PIXEL_FORMATS.get(format)!, isInverted, bytes: buffer.memory.bytes };
  return { buffer, picture };
}

function refused({ name }: Output): DesktopUnavailableError {
  return new DesktopUnavailableError(`the compositor refuses to give a picture of display ${name}`);
}
