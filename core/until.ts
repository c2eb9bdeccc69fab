/** Time: waits with a time limit, the clock shared by threads, and pauses in long work. */

import { delay } from "@std/async/delay";

/** Limits of a wait. */
interface UntilOptions {
  /** Maximum wait, in milliseconds. */
  ms: number;
  /** Interval between checks, in milliseconds. */
  every: number;
  /** Aborts the wait, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A result of a check that ends the wait. */
type Reached<T> = Exclude<T, false | null | undefined>;

/**
 * Repeats a check until it succeeds: immediately, then at intervals, and once more when the time is up.
 * @param check Fails by returning false, null or undefined; an exception ends the wait.
 * @returns The check's result; undefined if the time is up.
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
    await delay(Math.ceil(Math.min(every, left)), { signal }); // setTimeout drops fractions
  }
}

/**
 * Waits for a promise, up to a time limit.
 * @param ms The limit in milliseconds.
 * @returns The promise's value; undefined if the time is up.
 * @throws The promise's error.
 */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>(), withdraw = deadline(ms, () => late.resolve(undefined));
  return await Promise.race([promise, late.promise]).finally(withdraw);
}

/**
 * Waits for a promise without a time limit while the server behind it keeps responding.
 * @param everyMs Interval between two checks, in milliseconds.
 * @param ask Checks the server: resolves when it responds, and rejects if it does not in time.
 * @returns The promise's value.
 * @throws The errors of the promise and of `ask`.
 */
export async function whileAnswering<T>(
  work: Promise<T>,
  everyMs: number,
  ask: () => Promise<void>,
): Promise<T> {
  const done = work.then((value) => ({ value }));
  done.catch(() => {}); // it may reject after a failed check
  for (;;) {
    const result = await within(everyMs, done) ?? await Promise.race([done, ask()]);
    if (result) return result.value;
  }
}

// Deadlines of waits that mostly end long before, such as those of all actions. One timer serves them all,
// because a separate timer adds 2 us to each wait (Deno 2.9.6). They form a linked list, because a Set that
// grows and shrinks with each request costs the request 7 us.

/** The time at which a wait has taken too long. */
interface Deadline {
  /** In the milliseconds of performance.now(). */
  at: number;
  late(): void;
  before: Deadline | undefined;
  after: Deadline | undefined;
  /** Whether it is in the list. */
  isAwaited: boolean;
}

/** Maximum delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

let first: Deadline | undefined, last: Deadline | undefined;
/**
 * Aborts when the earliest deadline is over. Unlike `setTimeout` and `clearTimeout`, whose first use loads
 * Deno's Node modules (10 ms with Deno 2.9.6), it does not delay commands that end before. It keeps the
 * program running while it has a listener.
 */
let alarm: AbortSignal | undefined;
/** When the alarm goes off. */
let wakesAt = Infinity;
/**
 * How late an alarm is, at least, if this thread was held up, and the time that deadlines then get, in
 * milliseconds: the event loop runs the alarm before it takes the answers that came in time, and other threads
 * that read answers were held up, too.
 */
const HELD_UP_MS = 10, GRACE_MS = 50;
/** Whether the alarm gives that time. */
let isGrace = false;

/**
 * Calls a function after some time, unless the deadline is cancelled first; {@linkcode GRACE_MS} later if this
 * thread was held up meanwhile.
 * @param ms The time in milliseconds.
 * @param late Called at most once.
 * @returns A function that cancels the deadline.
 * @example
 * const withdraw = deadline(10_000, () => reject(new Error("no answer for 10 s")));
 */
export function deadline(ms: number, late: () => void): () => void {
  const own: Deadline = { at: performance.now() + ms, late, before: last, after: undefined, isAwaited: true };
  const isOnly = !first;
  if (isOnly) isGrace = false;
  if (last) last.after = own;
  else first = own;
  last = own;
  if (own.at < wakesAt || alarm?.aborted) wakeAt(own.at);
  else if (isOnly) alarm!.addEventListener("abort", wake);
  return () => {
    if (!own.isAwaited) return;
    leave(own);
    if (!first) alarm!.removeEventListener("abort", wake); // the program may exit before
  };
}

function leave(own: Deadline): void {
  own.isAwaited = false;
  if (own.before) own.before.after = own.after;
  else first = own.after;
  if (own.after) own.after.before = own.before;
  else last = own.before;
  own.before = own.after = undefined; // a held deadline would keep all later ones in memory
}

function wakeAt(at: number): void {
  alarm?.removeEventListener("abort", wake);
  wakesAt = at;
  const ms = Math.ceil(at - performance.now()); // the timer drops fractions
  alarm = AbortSignal.timeout(Math.min(Math.max(ms, 0), LONGEST_MS));
  alarm.addEventListener("abort", wake);
}

function wake(): void {
  const now = performance.now(), over: Deadline[] = [], lateMs = now - wakesAt;
  wakesAt = Infinity;
  isGrace = lateMs > HELD_UP_MS && !isGrace;
  if (isGrace) return wakeAt(now + GRACE_MS);
  for (let own = first; own; own = own.after) if (own.at <= now) over.push(own);
  for (const own of over) {
    if (!own.isAwaited) continue; // cancelled by an earlier one
    leave(own);
    own.late();
  }
  let next = Infinity;
  for (let own = first; own; own = own.after) next = Math.min(next, own.at);
  if (next < wakesAt) wakeAt(next);
}

// Idle timers.

/**
 * Calls a function once something has not been used for a while. Does not keep the program running.
 * @example
 * const idle = new IdleTimer(10_000, () => memory.free());
 * idle.touch();
 */
export class IdleTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #usedAt = 0;

  /**
   * @param ms The time without use, in milliseconds.
   * @param onIdle Called after that time. The next use restarts the timer.
   */
  constructor(readonly ms: number, readonly onIdle: () => void) {}

  /** Whether the timer is running: something was used, and the time is not up. */
  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** Records a use. A running timer is not reset, because setting one is slow. */
  touch(): void {
    this.#usedAt = performance.now();
    if (this.#timer === undefined) this.#wait(this.ms);
  }

  /** Stops the timer until the next use. */
  cancel(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer); // see `alarm` for the cost of a first timer
    this.#timer = undefined;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const left = this.#usedAt + this.ms - performance.now();
      if (left > 0) this.#wait(left);
      else this.onIdle();
    }, Math.ceil(ms)); // setTimeout drops fractions
    Deno.unrefTimer(this.#timer as unknown as number);
  }
}

// The clock shared by threads.

/** Cached, because the getter takes as long as the rest of {@linkcode now}. */
const ORIGIN = performance.timeOrigin;

/** The current time in milliseconds: `performance.timeOrigin + performance.now()`. */
export function now(): number {
  return ORIGIN + performance.now();
}

// Long work in pieces, with turns for other work in between.

/**
 * How long pieces are produced before other work gets a turn, in milliseconds. A request needs about ten
 * turns from its arrival to its response.
 */
const TURN_MS = 2;

/**
 * Yields pieces as they are produced, and gives other work a turn every few milliseconds.
 * @param pieces The pieces; producing each takes a few milliseconds at most.
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
