/** The pictures of a session's streams, which run while they have readers. */

import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import { VideoStream } from "../../linux/pipewire/stream.ts";
import type { PortalSession } from "./session.ts";

/**
 * The time without a reader after which streams are closed, in milliseconds, since each frame of an open stream is
 * copied.
 */
const IDLE_MS = 30_000;

/** Streams by the numbers of their nodes. */
export class PortalVideo {
  readonly #streams = new Map<number, Promise<VideoStream>>();
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly session: PortalSession) {}

  /**
   * Returns the reader of a stream's newest frame; opens the stream if it is not open.
   * @param node The number of the stream's node in PipeWire.
   * @throws DesktopUnavailableError if the session has ended, or PipeWire gives no picture.
   */
  async reader(node: number): Promise<FrameReader> {
    this.session.check();
    this.#rest();
    const opening = this.#stream(node), stream = await opening;
    try {
      return await stream.ready();
    } catch (error) {
      if (this.#streams.get(node) === opening) this.#streams.delete(node); // unless another stream has taken its place
      stream.close();
      this.session.check(); // throws if the session has ended, which ends its streams
      throw error;
    }
  }

  /** Closes all streams; the next reading opens them again. */
  close(): void {
    clearTimeout(this.#idle);
    for (const stream of this.#streams.values()) stream.then((one) => one.close(), () => {});
    this.#streams.clear();
  }

  #stream(node: number): Promise<VideoStream> {
    const present = this.#streams.get(node);
    if (present) return present;
    const opening = this.session.openPipeWire().then((fd) => new VideoStream({ node, fd }));
    this.#streams.set(node, opening);
    opening.catch(() => this.#streams.delete(node));
    return opening;
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS);
    Deno.unrefTimer(Number(this.#idle));
  }
}
