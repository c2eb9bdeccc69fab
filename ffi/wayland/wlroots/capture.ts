/** Pictures of outputs. */

import type { Connection } from "../wire/connection.ts";
import type { WaylandOutput } from "../wire/outputs.ts";
import type { Registry } from "../wire/registry.ts";
import { FrameRequest, Screencopy } from "./screencopy.ts";

/**
 * The time that this thread blocks for a picture before it does other work, in milliseconds: the picture of an idle
 * output comes within it, and takes a fifth longer by an asynchronous wait.
 */
const IDLE_MS = 4;
/** The longest time that an output may take for its next frame, in milliseconds. */
export const FRAME_MS = 5000;
/** A picture, as errors name it. */
export const PICTURE = "a picture (is the display off?)";

/** Captures over one connection. */
export class OutputCapture {
  readonly #screencopy: Screencopy;

  constructor(readonly connection: Connection, registry: Registry) {
    this.#screencopy = new Screencopy(connection, registry);
  }

  /**
   * Captures whole outputs, all at the same time.
   * @param cursor Whether the pointer is drawn in.
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
    const { connection } = this;
    for (const end = performance.now() + IDLE_MS; performance.now() < end;) {
      connection.dispatch();
      if (isDone()) return;
      connection.waitBriefly(end - performance.now());
    }
    await connection.untilAsync(isDone, PICTURE, FRAME_MS);
  }
}
