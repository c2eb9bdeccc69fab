/**
 * The order in which a compositor filled a stream's buffers, those included that were lost on the way: PipeWire has one
 * place that names the next buffer (struct spa_io_buffers), and a compositor writes it anew though the program has not
 * read it yet (`tee_process` in PipeWire's impl-port.c). On a busy machine a buffer that alone has the pointer's new
 * shape is lost by that. It stays in the stream's memory until the compositor has filled all others.
 */

/** A buffer's time. */
interface Timed {
  /** When it was filled, in nanoseconds; undefined if the compositor does not say so. */
  readonly time: number | undefined;
}

/** The buffers that were not read yet. */
export class BufferOrder<T extends Timed> {
  /** The time of the newest that was read. */
  #last = 0;

  /**
   * Tells which buffers to read when some have come.
   * @param come Those that PipeWire has delivered, in their order.
   * @param all The stream's.
   * @returns The delivered ones and those that were filled before them and never came, the oldest first.
   */
  next(come: readonly T[], all: Iterable<T>): T[] {
    const newest = Math.max(0, ...come.map(({ time }) => time ?? 0));
    if (newest === 0) return [...come]; // the compositor tells no times
    const isBack = newest < this.#last; // its clock, so that older times tell nothing
    const missed = isBack ? [] : this.#later(all).filter((one) => one.time! < newest && !come.includes(one));
    this.#last = newest;
    return isBack ? [...come] : inTime([...missed, ...come]);
  }

  /**
   * Tells which buffers to read when none has come for a while.
   * @param all The stream's.
   * @returns Those that were filled after the last that was read, the oldest first.
   */
  rest(all: Iterable<T>): T[] {
    const later = inTime(this.#later(all));
    this.#last = later.at(-1)?.time ?? this.#last;
    return later;
  }

  #later(all: Iterable<T>): T[] {
    return [...all].filter(({ time = 0 }) => time > this.#last);
  }
}

function inTime<T extends Timed>(buffers: readonly T[]): T[] {
  return buffers.toSorted((a, b) => (a.time ?? 0) - (b.time ?? 0));
}
