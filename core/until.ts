/** Time: waits with a bound, the clock that threads share, and turns for other work during long work. */

import { delay } from "@std/async/delay";

/** The bounds of a wait. */
interface UntilOptions {
  /** The longest wait, in milliseconds. */
  ms: number;
  /** The time between two checks, in milliseconds. */
  every: number;
  /** Ends the wait, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A result of a check that ends the wait. */
type Reached<T> = Exclude<T, false | null | undefined>;

/**
 * Repeats a check until it succeeds: at once, then at intervals, and once more when the time is over.
 * @param check Fails by returning false, null or undefined; what it throws ends the wait.
 * @returns The check's result; undefined when the time was over.
 * @example
 * let looks = 0;
 * await until(() => ++looks === 3 && "seen", { ms: 1000, every: 1 }); // "seen"
 */
export async function until<T>(
  check: () => T | Promise<T>,
  { ms, every, signal }: UntilOptions,
): Promise<Reached<T> | undefined> {
  for (const end = performance.now() + ms;;) {
    const result = await check();
    if (result !== false && result !== null && result !== undefined) return result as Reached<T>;
    const left = end - performance.now();
    if (left <= 0) return undefined;
    await delay(Math.ceil(Math.min(every, left)), { signal }); // setTimeout cuts fractions off
  }
}

/**
 * Waits for a promise, but no longer than a time.
 * @param ms The time in milliseconds.
 * @returns The promise's value; undefined when the time was over.
 * @throws The promise's error.
 */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>(), timer = setTimeout(() => late.resolve(undefined), ms);
  return await Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

// Deadlines of waits that mostly end long before theirs, such as those of all actions: one timer serves them all, since
// a timer of its own costs each wait 2 us (Deno 2.9.6). They are a linked list, since a Set that grows and shrinks with
// each request costs the request 7 us.

/** A time at which a wait is too long. */
interface Deadline {
  /** As performance.now() has it. */
  at: number;
  late(): void;
  before: Deadline | undefined;
  after: Deadline | undefined;
  /** Whether it is in the list. */
  isAwaited: boolean;
}

/** The longest time that setTimeout takes, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

let first: Deadline | undefined, last: Deadline | undefined;
let timer: number | undefined;
/** The time at which the timer ends. */
let wakesAt = Infinity;

/**
 * Calls a function after some time, unless the deadline is withdrawn before.
 * @param ms In milliseconds.
 * @param late Called at most once.
 * @returns A function that withdraws the deadline.
 * @example
 * const withdraw = deadline(10_000, () => reject(new Error("no answer for 10 s")));
 */
export function deadline(ms: number, late: () => void): () => void {
  const own: Deadline = { at: performance.now() + ms, late, before: last, after: undefined, isAwaited: true };
  const isOnly = !first;
  if (last) last.after = own;
  else first = own;
  last = own;
  if (own.at < wakesAt) wakeAt(own.at);
  else if (isOnly) Deno.refTimer(timer!);
  return () => {
    if (!own.isAwaited) return;
    leave(own);
    if (!first) Deno.unrefTimer(timer!); // the program may end before the timer does
  };
}

function leave(own: Deadline): void {
  own.isAwaited = false;
  if (own.before) own.before.after = own.after;
  else first = own.after;
  if (own.after) own.after.before = own.before;
  else last = own.before;
  own.before = own.after = undefined; // one that a caller keeps would keep all behind it
}

function wakeAt(at: number): void {
  clearTimeout(timer);
  wakesAt = at;
  // setTimeout cuts fractions off
  timer = setTimeout(wake, Math.min(Math.ceil(at - performance.now()), LONGEST_MS)) as unknown as number;
}

function wake(): void {
  wakesAt = Infinity;
  const now = performance.now(), over: Deadline[] = [];
  for (let own = first; own; own = own.after) if (own.at <= now) over.push(own);
  for (const own of over) {
    if (!own.isAwaited) continue; // withdrawn by one before it
    leave(own);
    own.late();
  }
  let next = Infinity;
  for (let own = first; own; own = own.after) next = Math.min(next, own.at);
  if (next < wakesAt) wakeAt(next);
}

// Idle timers.

/**
 * Calls a function once nothing has been used for a while. Does not keep the program running.
 * @example
 * const idle = new IdleTimer(10_000, () => memory.free());
 * idle.touch();
 */
export class IdleTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #usedAt = 0;

  /**
   * @param ms The time without use, in milliseconds.
   * @param onIdle Called once it is over. The next use starts the timer again.
   */
  constructor(readonly ms: number, readonly onIdle: () => void) {}

  /** Whether it runs: something was used, and the time is not over. */
  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** Notes a use. A running timer is kept, since setting one takes long. */
  touch(): void {
    this.#usedAt = performance.now();
    if (this.#timer === undefined) this.#wait(this.ms);
  }

  /** Stops the timer until the next use. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const left = this.#usedAt + this.ms - performance.now();
      if (left > 0) this.#wait(left);
      else this.onIdle();
    }, Math.ceil(ms)); // setTimeout cuts fractions off
    Deno.unrefTimer(this.#timer as unknown as number);
  }
}

// The clock that threads share.

/** Kept, since the getter takes as long as the rest of {@linkcode now}. */
const ORIGIN = performance.timeOrigin;

/** Now, in milliseconds of `performance.timeOrigin + performance.now()`. */
export function now(): number {
  return ORIGIN + performance.now();
}

// Long work in pieces, with turns for other work in between.

/**
 * The time that pieces are made without a turn for other work, in milliseconds. A request needs some ten turns from its
 * arrival to its answer.
 */
const TURN_MS = 2;

/**
 * Passes pieces on as they are made, and gives other work a turn every few milliseconds.
 * @param pieces The pieces; making each takes a few milliseconds at most.
 */
export async function* inTurns<T>(pieces: Iterable<T>): AsyncGenerator<T, void> {
  let turnedAt = performance.now();
  for (const piece of pieces) {
    yield piece;
    if (performance.now() - turnedAt < TURN_MS) continue;
    await delay(0);
    turnedAt = performance.now();
  }
}
