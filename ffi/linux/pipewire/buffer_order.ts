/**
 * The order in which a compositor filled a stream's buffers, those included that were lost on the way: PipeWire has one
 * place that names the next buffer (struct spa_io_buffers), and a compositor writes it again though the program has not
 * read it yet (`tee_process` in PipeWire's impl-port.c). On a busy machine a buffer that alone has the pointer's new
 * shape is lost by that. It stays in the stream's memory until the compositor has filled all others.
 */

/** A buffer's time. */
interface Timed {
  /** The time at which the buffer was filled, in nanoseconds; undefined if the compositor does not say so. */
  readonly time: number | undefined;
}

/** The buffers that were not read yet. */
export class BufferOrder<T extends Timed> {
  /** The time of the newest buffer that was read. */
  #last = 0;
  /** The times of buffers that were read before their events came, if these ever come. */
  #early = new Set<number>();

  /**
   * The buffers to read when some have been delivered.
   * @param come The delivered buffers, in order.
   * @param all All buffers of the stream.
   * @returns The delivered buffers and buffers that were filled before them but not delivered, the oldest first; none
   * twice.
   */
  next(come: readonly T[], all: readonly T[]): T[] {
    const times = timesOf(all), timeOf = (one: T) => times.get(one)!;
    const unread = come.filter((one) => !this.#early.has(timeOf(one)));
    const newest = Math.max(0, ...unread.map(timeOf)), isBack = newest < this.#last;
    if (newest === 0 || isBack) { // the compositor tells no times, or its clock goes back
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
   * The buffers to read when none was delivered for a while.
   * @param all All buffers of the stream.
   * @returns The buffers that were filled after the last buffer that was read, the oldest first.
   */
  rest(all: readonly T[]): T[] {
    const times = timesOf(all);
    const later = [...times].filter(([, time]) => time > this.#last).sort(([, a], [, b]) => a - b);
    const found = later.map(([, time]) => time);
    if (found.length) this.#note(found.at(-1)!, found, times);
    return later.map(([one]) => one);
  }

  /** Forgets times that no buffer has any more. */
  #note(last: number, early: readonly number[], times: ReadonlyMap<T, number>): void {
    this.#last = last;
    const inMemory = new Set(times.values());
    this.#early = new Set([...this.#early, ...early].filter((time) => inMemory.has(time)));
  }
}

/**
 * The times of all buffers, read together, since the compositor fills buffers at any moment; 0 for a buffer without a
 * time.
 */
function timesOf<T extends Timed>(buffers: readonly T[]): Map<T, number> {
  return new Map(buffers.map((one) => [one, one.time ?? 0]));
}
