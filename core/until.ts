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

// Deadlines of waits that mostly end long before theirs, such as those of all actions: one timer serves them all, since
// a timer of its own costs each wait 2 us (Deno 2.9.6).

/** A time at which a wait is too long. */
interface Deadline {
  /** As performance.now() has it. */
  at: number;
  late(): void;
}

/** The longest time that setTimeout takes, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

const deadlines = new Set<Deadline>();
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
  const own: Deadline = { at: performance.now() + ms, late };
  deadlines.add(own);
  if (own.at < wakesAt) wakeAt(own.at);
  else if (deadlines.size === 1) Deno.refTimer(timer!);
  return () => {
    deadlines.delete(own);
    if (!deadlines.size) Deno.unrefTimer(timer!); // the program may end before the timer does
  };
}

function wakeAt(at: number): void {
  clearTimeout(timer);
  wakesAt = at;
  // setTimeout cuts fractions off
  timer = setTimeout(wake, Math.min(Math.ceil(at - performance.now()), LONGEST_MS)) as unknown as number;
}

function wake(): void {
  wakesAt = Infinity;
  const now = performance.now();
  for (const own of deadlines) {
    if (own.at > now) continue;
    deadlines.delete(own);
    own.late();
  }
  const next = deadlines.values().reduce((first, { at }) => Math.min(first, at), Infinity);
  if (next < wakesAt) wakeAt(next);
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
