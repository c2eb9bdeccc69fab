/**
 * A PipeWire video stream, such as a compositor's stream of a monitor, with the newest frame and the
 * pointer's position. A Worker owns the stream, so that it takes frames as they arrive; other threads read
 * them in shared memory.
 */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { within } from "../../../core/until.ts";
import { runWorker } from "../../../core/worker.ts";
import { type FrameMemory, FrameReader } from "./frame_memory.ts";
import type { StreamSource } from "./video_input.ts";

export type { StreamPointer } from "./frame_memory.ts";
export type { StreamSource } from "./video_input.ts";

/** Maximum time for a compositor to send the first frame, in milliseconds. */
const FIRST_FRAME_MS = 20_000;

/** Messages to the Worker. */
export interface StreamStart {
  source: StreamSource;
  /** A stop flag: its first word is 1 when the stream must end. */
  stop: Int32Array<SharedArrayBuffer>;
}

/**
 * An open stream. The caller closes it.
 * @example
 * ```ts
 * const stream = new VideoStream({ node: 42 });
 * const reader = await stream.ready();
 * reader.readFrame((pixels) => console.log(reader.memory.width, pixels.length));
 * stream.close();
 * ```
 */
export class VideoStream {
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  readonly #first = Promise.withResolvers<void>();
  /** Resolves when the stream has ended for any reason, and everything has been freed. Never rejects. */
  readonly ended: Promise<void>;
  #reader: FrameReader | undefined;
  #error: DesktopUnavailableError | undefined;

  /** @param source The source of the pictures; a file descriptor in it is closed with the stream. */
  constructor(source: StreamSource) {
    const url = new URL("./stream_worker.ts", import.meta.url);
    const start: StreamStart = { source, stop: this.#stop };
    const { done } = runWorker<StreamStart, FrameMemory, void>(url, start, (memory) => {
      this.#reader = new FrameReader(memory); // the size has changed
      this.#first.resolve();
    });
    this.#first.promise.catch(() => {}); // `ready` rejects as well
    this.ended = done.then(
      () => this.#fail("the screen stream is closed"),
      ({ message }: Error) => this.#fail(message),
    );
  }

  /** The error that ended the stream; undefined while it runs. */
  get error(): DesktopUnavailableError | undefined {
    return this.#error;
  }

  /**
   * Returns a reader once there is a frame. Later calls return immediately, unless the monitor's size
   * changes.
   * @throws DesktopUnavailableError if the stream has ended, or no frame comes.
   */
  async ready(): Promise<FrameReader> {
    for (const end = performance.now() + FIRST_FRAME_MS;;) {
      if (this.#error) throw this.#error;
      const reader = this.#reader, left = end - performance.now();
      if (reader?.frames) return reader;
      if (left <= 0) throw new DesktopUnavailableError("the compositor did not provide a screenshot");
      if (reader) await Promise.race([reader.changed(reader.changes, Math.min(left, 100)), this.ended]);
      else await within(left, this.#first.promise);
    }
  }

  /** Ends the stream. Safe to call twice. */
  close(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  #fail(message: string): void {
    this.#error ??= new DesktopUnavailableError(message);
    this.#first.reject(this.#error);
  }
}
