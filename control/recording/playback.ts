/** Computes the steps of a replay and performs them on time, on any thread. */

import { InputError, StateError } from "../../core/errors.ts";
import type {
  InputAction,
  PlaybackOutcome,
  Player,
  Point,
  Region,
  RoundPlan,
  Step,
} from "../desktop/desktop.ts";
import { contains } from "../desktop/geometry.ts";
import type { RecordedElement } from "../desktop/input.ts";
import type { Windows } from "../desktop/windows.ts";
import { CLICK_HANDLED, type Held, HeldDown, type Presses, pressName, pressOf } from "../operator/held.ts";
import { MARGIN_MS, releasedSoon, type Turn, withinBound } from "../operator/turn.ts";
import type { RecordedEvent } from "./format.ts";
import { eventBatches, type StoredRecording } from "./stored.ts";
import { inTurns } from "../../core/until.ts";

// How late a replay's actions are.

/** The part of a replay's outcome that reports how late its actions were. */
type LatenessSummary = Pick<
  PlaybackOutcome,
  "meanLatenessMs" | "medianLatenessMs" | "p99LatenessMs" | "maxLatenessMs"
>;

/** The lateness of no actions. */
const NO_LATENESS: LatenessSummary = {
  meanLatenessMs: 0,
  medianLatenessMs: 0,
  p99LatenessMs: 0,
  maxLatenessMs: 0,
};

/** Number of stored values: 0.5 MB, sorted in 5 ms, which a replay on the serving thread must not exceed. */
const KEPT = 65_536;

/** Summarizes lateness in bounded memory, however many actions there are. */
export class Lateness {
  readonly #kept = new Float64Array(KEPT);
  #count = 0;
  #total = 0;
  #max = 0;

  /** @param random Returns numbers from 0 to below 1. */
  constructor(readonly random: () => number = Math.random) {}

  /** Adds the lateness of one action, in milliseconds. */
  add(ms: number): void {
    // Reservoir sampling (Vitter's algorithm R): each action is equally likely to be stored.
    const slot = this.#count < KEPT ? this.#count : Math.floor(this.random() * (this.#count + 1));
    if (slot < KEPT) this.#kept[slot] = ms;
    this.#count++;
    this.#total += ms;
    this.#max = Math.max(this.#max, ms);
  }

  /**
   * Mean and maximum are exact; median and 99th percentile are exact for up to 65,536 actions, and estimates
   * beyond.
   */
  summary(): LatenessSummary {
    const sorted = this.#kept.slice(0, this.#count).sort();
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    return {
      meanLatenessMs: this.#count ? this.#total / this.#count : 0,
      medianLatenessMs: at(0.5),
      p99LatenessMs: at(0.99),
      maxLatenessMs: this.#max,
    };
  }
}

// The times when a replay's actions are due.

export interface PlayOptions {
  /** The speed of the replay: 2 is twice as fast; 1 if left out. */
  speed?: number;
  /** Number of rounds; 1 if left out. */
  times?: number;
  /** Whether to scale places to a desktop of another size or origin. */
  scale?: boolean;
  /**
   * Whether presses go to the current places of their elements; by default, if the recording has elements.
   */
  elements?: boolean;
}

/** Limits of {@linkcode PlayOptions}. */
export const SPEED = { least: 0.05, most: 100 } as const;
export const TIMES_LIMIT = 10_000;

/**
 * Minimum time for which a fast replay holds a key or button that the recording held at least as long, in
 * milliseconds: programs miss shorter presses.
 */
const SHORTEST_PRESS_MS = 20;
/** Time between two rounds of a repeated replay, in milliseconds. */
const ROUND_GAP_MS = 100;

/**
 * Plans a round, in a time independent of the recording's length.
 * @param screen The current desktop.
 * @throws StateError if the desktop has another size or origin and places are not to be scaled.
 */
export function planRound(recording: StoredRecording, options: PlayOptions, screen: Region): RoundPlan {
  const { speed = 1, scale = false } = options;
  const recorded: Region = { x: 0, y: 0, ...recording.head.desktop };
  if (shown(recorded) !== shown(screen) && !scale) {
    throw new StateError(
      `the recording was made on a desktop of ${shown(recorded)}, but this one has ${shown(screen)}: ` +
        `play with --scale, over HTTP with "scale":true`,
    );
  }
  return { pieces: recording.parts.pieces, recorded, screen, speed };
}

/**
 * Computes the steps of a round, in batches that take a few milliseconds each.
 * @throws InputError, in the batch of the step, if a place is not on the desktop.
 */
export function* stepBatches({ pieces, recorded, screen, speed }: RoundPlan): Generator<Step[], void> {
  const place = placing(recorded, screen);
  const pressedAt = new Map<string, { t: number; at: number }>();
  let earliest = 0, index = 0;
  const stepOf = (event: RecordedEvent): Step => {
    const { t, ...action } = event;
    let at = Math.max(earliest, t / speed);
    const name = pressName(event);
    if (name !== undefined && (event as { down: boolean }).down) pressedAt.set(name, { t, at });
    else if (name !== undefined) {
      const pressed = pressedAt.get(name);
      if (pressed) at = Math.max(at, pressed.at + Math.min(SHORTEST_PRESS_MS, t - pressed.t));
    }
    earliest = at;
    return { at, action: place(action, index++) };
  };
  for (const events of eventBatches(pieces)) yield events.map(stepOf);
}

/**
 * Returns when the next round of a replay starts.
 * @param begun When the previous round started, in milliseconds on any scale.
 * @param lastAt Time of its last step.
 */
function nextRound(begun: number, lastAt: number): number {
  return begun + lastAt + ROUND_GAP_MS;
}

function placing(recorded: Region, screen: Region) {
  const fitX = fitting(recorded.x, recorded.width, screen.x, screen.width);
  const fitY = fitting(recorded.y, recorded.height, screen.y, screen.height);
  return <A extends InputAction>(action: A, index: number): A => {
    if (!("x" in action)) return action;
    const x = fitX(action.x), y = fitY(action.y);
    if (!contains(screen, { x, y })) {
      throw new InputError(`events[${index}] is at ${action.x},${action.y}, which is not on this desktop`);
    }
    const fitted = { ...action, x, y };
    if (fitted.type === "button" && fitted.element) {
      fitted.element = fittedElement(fitted.element, fitX, fitY);
    }
    return fitted;
  };
}

function fittedElement(
  element: RecordedElement,
  fitX: (x: number) => number,
  fitY: (y: number) => number,
): RecordedElement {
  const x = fitX(element.x), y = fitY(element.y);
  const right = fitX(element.x + element.width - 1), bottom = fitY(element.y + element.height - 1);
  return { ...element, x, y, width: right - x + 1, height: bottom - y + 1 };
}

/** Maps places along one axis: the first pixel to the first, the last to the last. */
function fitting(from: number, fromLength: number, to: number, toLength: number): (place: number) => number {
  const factor = fromLength === 1 ? 1 : (toLength - 1) / (fromLength - 1);
  return (place) => to + Math.round((place - from) * factor);
}

/** A desktop in words, with its origin if that is not 0,0. */
function shown({ x, y, width, height }: Region): string {
  return `${width}x${height}${x || y ? ` from ${x},${y}` : ""}`;
}

/** Time, and waiting for it. */
export interface Clock {
  /** Milliseconds, never decreasing. */
  now(): number;
  /**
   * Waits until a time; on a thread that does nothing else, the clock blocks it.
   * @param time On the scale of {@linkcode now}.
   * @returns false if the replay is to stop immediately.
   */
  sleepUntil(time: number): Promise<boolean>;
}

/** The parts of a desktop that a replay uses. */
export type PlaybackTarget = Presses & { readonly windows?: Windows };

/**
 * Computes all steps of a round in one go, for a thread that does nothing else, since a million steps take a
 * second.
 * @param isStopped Called every few milliseconds; if true, returns the steps so far, at least one.
 * @throws InputError if a place is not on the desktop.
 */
export function allSteps(plan: RoundPlan, isStopped: () => boolean): Step[] {
  const steps: Step[] = [];
  for (const batch of stepBatches(plan)) {
    for (const step of batch) steps.push(step);
    if (isStopped()) break;
  }
  return steps;
}

/**
 * Checks a round, yielding to other work in between, for a thread that also serves.
 * @param isStopped Called every few milliseconds; true ends the check early.
 * @returns The steps, which are computed while they are performed, again in each round.
 * @throws InputError if a place is not on the desktop.
 */
export async function checkedSteps(plan: RoundPlan, isStopped: () => boolean): Promise<Iterable<Step>> {
  for await (const _ of inTurns(stepBatches(plan))) {
    if (isStopped()) break;
  }
  return {
    *[Symbol.iterator]() {
      for (const batch of stepBatches(plan)) yield* batch;
    },
  };
}

/** How steps are performed. */
interface Performing {
  /** Changes a due action, such as its place. */
  aim?: (action: InputAction) => Promise<InputAction>;
  /** Maximum time for an action, in milliseconds. */
  marginMs?: number;
  /** The replay's held keys and buttons, for a caller that releases them when the program ends. */
  held?: HeldDown;
}

/**
 * Performs the steps at their deadlines, which count from a single start, so that lateness never adds up.
 * Only late moves are skipped, and only if the next action is a move that is already due.
 * @param steps The steps of one round, which are read again for each round.
 * @param how Defaults to unchanged actions with {@linkcode MARGIN_MS}.
 * @returns Resolves once all keys and buttons are released, however the replay ended.
 * @throws OverdueError if the desktop does not perform an action in time; the desktop's errors.
 */
export async function playSteps(
  desktop: PlaybackTarget,
  steps: Iterable<Step>,
  times: number,
  clock: Clock,
  { aim, marginMs = MARGIN_MS, held = new HeldDown(desktop) }: Performing = {},
): Promise<PlaybackOutcome> {
  const act = actor(desktop, held);
  const bound = {
    what: "the replay",
    ms: marginMs + (desktop.waitsMs ?? 0),
    release: (pressed: readonly Held[]) => held.releaseEach(pressed),
  };
  const lateness = new Lateness();
  let performed = 0, missed = 0, stopped = false;
  try {
    for (const { action, deadline, nextMove } of deadlines(steps, times, clock.now())) {
      stopped = !await clock.sleepUntil(deadline);
      if (stopped) break;
      performed++;
      const now = clock.now();
      if (action.type === "move" && nextMove <= now) continue;
      lateness.add(now - deadline);
      const aimed = aim ? await aim(action) : action;
      if (!await withinBound(bound, (turn) => act(aimed, turn))) missed++;
    }
  } finally {
    await releasedSoon(held.releaseAll()); // an unavailable desktop holds nothing
    held.close();
  }
  return { performed, ...(missed ? { missed } : {}), stopped, ...lateness.summary() };
}

/**
 * The actions of all rounds, each with its deadline, and with the next action's deadline if that is a move in
 * the same round.
 */
function* deadlines(steps: Iterable<Step>, times: number, start: number) {
  for (let time = 0, begun = start; time < times; time++) {
    let step: Step | undefined;
    for (const next of steps) {
      const nextMove = next.action.type === "move" ? begun + next.at : Infinity;
      if (step) yield { action: step.action, deadline: begun + step.at, nextMove };
      step = next;
    }
    if (step) yield { action: step.action, deadline: begun + step.at, nextMove: Infinity };
    begun = nextRound(begun, step?.at ?? 0);
  }
}

/** A clock on a thread that does other work, too. */
export interface StoppableClock extends Clock {
  readonly isStopped: boolean;
  /** Ends the current wait, and all later ones. */
  stop(): void;
}

/**
 * Makes a player whose replays run on the calling thread.
 * @param newClock Makes a replay's clock.
 * @param aimOf Makes the function that changes a replay's due actions; if left out, they stay unchanged.
 */
export function playHere<C extends StoppableClock>(
  target: PlaybackTarget,
  newClock: () => C,
  aimOf?: (clock: C) => NonNullable<Performing["aim"]>,
): Player {
  return {
    start(plan, times) {
      const clock = newClock(), held = new HeldDown(target), begun = Promise.withResolvers<void>();
      const play = async () => {
        const steps = await checkedSteps(plan, () => clock.isStopped);
        begun.resolve();
        return await playSteps(target, steps, times, clock, {
          held,
          ...(aimOf ? { aim: aimOf(clock) } : {}),
        });
      };
      const done = play();
      done.catch(begun.reject);
      begun.promise.catch(() => {}); // `done` rejects as well
      const stop = () => clock.stop();
      const abort = () => {
        stop();
        held.releaseAll().catch(() => {}); // an unavailable desktop holds nothing
      };
      return { begun: begun.promise, done, stop, abort };
    },
  };
}

/**
 * Makes the function that performs actions; it moves the pointer only if necessary. It skips presses and
 * notches whose place the pointer does not reach, and then returns false.
 */
function actor(
  desktop: PlaybackTarget,
  held: HeldDown,
): (action: InputAction, turn: Turn) => Promise<boolean> {
  let place: Point | undefined;
  return async (action, turn) => {
    if (action.type !== "key") {
      const { x, y } = action;
      turn.waitsFor = "the desktop to move the pointer";
      if (place?.x !== x || place.y !== y) await desktop.pointer.move(place = { x, y });
      turn.check();
    } else if (action.down && held.takeClicked()) {
      turn.waitsFor = CLICK_HANDLED.what;
      await desktop.windows?.pressHandled?.(CLICK_HANDLED.ms);
      turn.check();
    }
    const isReached = action.type === "key" || !desktop.pointer.elsewhere?.(action);
    if (action.type === "scroll" && isReached) {
      turn.waitsFor = "the desktop to turn the wheel";
      await desktop.pointer.scroll(action.direction, action.amount);
    }
    if (!("down" in action)) return isReached || action.type === "move";
    const press = pressOf(action)!, isDown = held.isDown(press);
    if (action.down && isReached) await held.press(press, turn);
    else if (!action.down && (isReached || isDown)) await held.release(press, turn);
    return isReached;
  };
}

/** The outcome of a replay stopped before its first action. */
export const NOT_BEGUN: PlaybackOutcome = { performed: 0, stopped: true, ...NO_LATENESS };
