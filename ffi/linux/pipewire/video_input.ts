/**
 * A video stream on the thread that runs PipeWire's loop: it passes on sizes, frames and pointer positions,
 * in the order in which the compositor filled the stream's buffers. Some buffers are lost on the way:
 * PipeWire has a single place that names the next buffer (struct spa_io_buffers), and a compositor overwrites
 * it even if the program has not read it yet (`tee_process` in PipeWire's impl-port.c). On a busy machine,
 * this loses the only buffer with the pointer's new shape. The buffer stays in the stream's memory until the
 * compositor has filled all others.
 */

import { sizeOfFormat, VideoBuffer, WANTED_BUFFERS, WANTED_FORMAT } from "./buffers.ts";
import { Connection, OpenStream, type Remote } from "./open_stream.ts";

/** A stream: plain data. */
export interface StreamSource extends Remote {
  /** The number of the stream's node. */
  node: number;
}

/** A stream listener, on the loop's thread. */
interface VideoListener {
  /** Further pictures have this size. */
  format(size: { width: number; height: number }): void;
  /** A buffer, valid until this returns. */
  buffer(buffer: VideoBuffer): void;
}

/** enum pw_stream_flags: no other node replaces the stream's. */
const DONT_RECONNECT = 128;

/** An open stream. */
export class VideoInput {
  readonly #stream: OpenStream;
  /** The stream's buffers, by the address of their `struct pw_buffer`. */
  readonly #buffers = new Map<bigint, VideoBuffer>();
  readonly #order = new BufferOrder<VideoBuffer>();

  /** @throws DesktopUnavailableError if PipeWire is not running, or refuses. */
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
   * @param ms Maximum wait for an event, in milliseconds.
   * @throws DesktopUnavailableError if the stream has ended.
   */
  iterate(ms: number): void {
    if (!this.#stream.iterate(ms)) this.#read(this.#order.rest([...this.#buffers.values()]));
  }

  /**
   * Restarts the stream at the compositor, which then sends a frame even if nothing changes. A busy
   * compositor may draw the first frame before there is a buffer for it.
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

/** A buffer's time. */
interface Timed {
  /** When the buffer was filled, in nanoseconds; undefined if the compositor does not report it. */
  readonly time: number | undefined;
}

/** The buffers that have not been read. */
export class BufferOrder<T extends Timed> {
  /** The time of the newest buffer read. */
  #last = 0;
  /** Times of buffers that were read before their events came, if they ever come. */
  #early = new Set<number>();

  /**
   * The buffers to read when some have been delivered.
   * @param come The delivered buffers, in order.
   * @param all All buffers of the stream.
   * @returns The delivered buffers, and buffers filled before them but not delivered, oldest first, without
   * duplicates.
   */
  next(come: readonly T[], all: readonly T[]): T[] {
    const times = timesOf(all), timeOf = (one: T) => times.get(one)!;
    const unread = come.filter((one) => !this.#early.has(timeOf(one)));
    const newest = Math.max(0, ...unread.map(timeOf)), isBack = newest < this.#last;
    if (newest === 0 || isBack) { // the compositor reports no times, or its clock goes backwards
      this.#last = newest || this.#last;
      return unread;
    }
    const missed = all.filter((one) =>
      timeOf(one) > this.#last && timeOf(one) < newest && !unread.includes(one)
    );
    this.#note(newest, missed.map(timeOf), times);
    return [...missed, ...unread].sort((a, b) => timeOf(a) - timeOf(b));
  }

  /**
   * The buffers to read when none has been delivered for a while.
   * @param all All buffers of the stream.
   * @returns The buffers that were filled after the last buffer read, oldest first.
   */
  rest(all: readonly T[]): T[] {
    const times = timesOf(all);
    const later = [...times].filter(([, time]) => time > this.#last).sort(([, a], [, b]) => a - b);
    const found = later.map(([, time]) => time);
    if (found.length) this.#note(found.at(-1)!, found, times);
    return later.map(([one]) => one);
  }

  /** Forgets times that no buffer has any longer. */
  #note(last: number, early: readonly number[], times: ReadonlyMap<T, number>): void {
    this.#last = last;
    const inMemory = new Set(times.values());
    this.#early = new Set([...this.#early, ...early].filter((time) => inMemory.has(time)));
  }
}

/** All buffers' times, read together, since the compositor may fill buffers at any moment; 0 for none. */
function timesOf<T extends Timed>(buffers: readonly T[]): Map<T, number> {
  return new Map(buffers.map((one) => [one, one.time ?? 0]));
}
