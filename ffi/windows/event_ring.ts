/**
 * Events from the hook's Worker to the thread that watches, through shared memory: the Worker sits in GetMessageW
 * and a hook must return at once, so it writes a few numbers and wakes the other side with one empty message for as
 * many events as are waiting. Pure.
 */

/** Events that fit while the reader is busy: some eight seconds of a fast mouse; a power of two. */
const CAPACITY = 8192;
const NUMBERS = 8;

/** Where the counters stand. */
const WRITTEN = 0;
const READ = 1;
const LOST = 2;
const AWAKE = 3;
const COUNTERS = 4;

/** What a low-level hook was told; the meaning of `data` is in `hook_events.ts`. */
export interface HookEvent {
  /** WM_* code: what happened. */
  message: number;
  /** Numbers of the hook's structure, up to six. */
  data: readonly number[];
  /** Milliseconds of `performance.timeOrigin + performance.now()` of the watching thread. */
  at: number;
}

/**
 * Memory for a ring, to be given to the Worker.
 * @param capacity In events, a power of two.
 * @param count Where counting begins.
 */
export function ringMemory(capacity = CAPACITY, count = 0): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(capacity * 8 + (COUNTERS + capacity * NUMBERS) * 4);
  const counters = new Int32Array(memory, capacity * 8, COUNTERS);
  counters[WRITTEN] = counters[READ] = count;
  return memory;
}

/**
 * One end of a ring; one thread writes and one reads. Counters wrap after 2^32 events, which a power of two divides.
 */
export class EventRing {
  readonly #capacity: number;
  readonly #times: Float64Array;
  readonly #counters: Int32Array;
  readonly #numbers: Int32Array;

  /** @param memory From {@linkcode ringMemory}. */
  constructor(memory: SharedArrayBuffer) {
    this.#capacity = (memory.byteLength - COUNTERS * 4) / (8 + NUMBERS * 4);
    this.#times = new Float64Array(memory, 0, this.#capacity);
    this.#counters = new Int32Array(memory, this.#capacity * 8, COUNTERS);
    this.#numbers = new Int32Array(memory, this.#capacity * 8 + COUNTERS * 4);
  }

  /**
   * Notes an event; a full ring counts it as lost.
   * @returns Whether the reader must be woken.
   */
  write(event: HookEvent): boolean {
    const written = Atomics.load(this.#counters, WRITTEN);
    if ((written - Atomics.load(this.#counters, READ) | 0) >= this.#capacity) {
      Atomics.add(this.#counters, LOST, 1);
    } else {
      const slot = written & this.#capacity - 1;
      this.#times[slot] = event.at;
      this.#numbers[slot * NUMBERS] = event.message;
      event.data.forEach((number, i) => this.#numbers[slot * NUMBERS + 1 + i] = number);
      Atomics.store(this.#counters, WRITTEN, written + 1 | 0);
    }
    return Atomics.exchange(this.#counters, AWAKE, 1) === 0;
  }

  /**
   * Takes all that is waiting.
   * @returns The events in order, and how many were lost since the last call.
   */
  drain(): { events: HookEvent[]; lost: number } {
    Atomics.store(this.#counters, AWAKE, 0); // first, so that an event written from here on wakes again
    const events: HookEvent[] = [];
    const written = Atomics.load(this.#counters, WRITTEN);
    for (let read = Atomics.load(this.#counters, READ); read !== written; read = read + 1 | 0) {
      const slot = read & this.#capacity - 1;
      const first = slot * NUMBERS;
      events.push({
        message: this.#numbers[first],
        data: Array.from(this.#numbers.subarray(first + 1, first + NUMBERS)),
        at: this.#times[slot],
      });
    }
    Atomics.store(this.#counters, READ, written);
    return { events, lost: Atomics.exchange(this.#counters, LOST, 0) };
  }
}
