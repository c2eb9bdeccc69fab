/** A video stream on the thread that runs PipeWire's loop: it hands on sizes, frames and the pointer's places. */

import { BufferOrder } from "./buffer_order.ts";
import { sizeOfFormat, VideoBuffer, WANTED_BUFFERS, WANTED_FORMAT } from "./buffers.ts";
import { Connection, OpenStream, type Remote } from "./open_stream.ts";

/** A stream: plain data. */
export interface StreamSource extends Remote {
  /** The number of the stream's node. */
  node: number;
}

/** A listener to a stream, on the thread of the loop. */
export interface VideoListener {
  /** Pictures have this size from now on. */
  format(size: { width: number; height: number }): void;
  /** A buffer, valid until this returns. */
  buffer(buffer: VideoBuffer): void;
}

/** enum pw_stream_flags: no other node takes the place of the stream's. */
const DONT_RECONNECT = 128;

/** An open stream. */
export class VideoInput {
  readonly #stream: OpenStream;
  /** The stream's buffers, by the addresses of their `struct pw_buffer`. */
  readonly #buffers = new Map<bigint, VideoBuffer>();
  readonly #order = new BufferOrder<VideoBuffer>();

  /** @throws DesktopUnavailableError if PipeWire is not there, or refuses. */
  constructor(source: StreamSource, readonly listener: VideoListener) {
    const connection = new Connection(source);
    const wish = {
      node: source.node,
      properties: "media.type=Video media.category=Capture media.role=Screen",
      flags: DONT_RECONNECT,
      format: WANTED_FORMAT,
      name: "the picture's stream",
    };
    this.#stream = new OpenStream(connection, wish, {
      format: (bytes) => this.#onFormat(bytes),
      added: (pointer) => this.#buffers.set(Deno.UnsafePointer.value(pointer), new VideoBuffer(pointer)),
      removed: (pointer) => this.#buffers.delete(Deno.UnsafePointer.value(pointer)),
      come: (pointers) => this.#onBuffers(pointers),
    });
  }

  /**
   * Handles events that have arrived, and calls the listener.
   * @param ms How long to wait for an event, in milliseconds.
   * @throws DesktopUnavailableError if the stream has ended.
   */
  iterate(ms: number): void {
    if (!this.#stream.iterate(ms)) this.#read(this.#order.rest([...this.#buffers.values()]));
  }

  /**
   * Restarts the stream at the compositor, which then sends a frame even if nothing changes. A busy compositor may
   * draw the first frame before there is a buffer for it.
   */
  beginAgain(): void {
    for (const isActive of [false, true]) this.#stream.setActive(isActive);
  }

  /** Frees everything. */
  close(): void {
    this.#stream.close();
  }

  #onFormat(bytes: Uint8Array): readonly Uint8Array<ArrayBuffer>[] {
    const size = sizeOfFormat(bytes);
    if (!size) return [];
    this.listener.format(size);
    return WANTED_BUFFERS;
  }

  #onBuffers(pointers: readonly Deno.PointerObject[]): void {
    const buffers = pointers.map((pointer) => this.#buffers.get(Deno.UnsafePointer.value(pointer))!);
    this.#read(this.#order.next(buffers, [...this.#buffers.values()]));
  }

  #read(buffers: readonly VideoBuffer[]): void {
    for (const buffer of buffers) this.listener.buffer(buffer);
  }
}
