/**
 * Whole actions on a desktop, one at a time: two callers who click at the same time never mix their moves and
 * presses, and an action's keys and buttons are released however the action ends.
 */

import { DesktopUnavailableError, OverdueError, StateError } from "../../core/errors.ts";
import { Mutex, type Waiter, waiterOf } from "../../core/mutex.ts";
import { askState } from "../../core/state_files.ts";
import { within } from "../../core/until.ts";
import { type Button, contains, type Desktop, type Direction, type Point } from "../desktop/desktop.ts";
import { checkArrival, checkPoint, notArrived } from "../desktop/input.ts";
import { activateAt, guarded, type PressCaller, type PressGuard, typeInOneWindow } from "./activation.ts";
import { CLICK_HANDLED, clickTimes, type Hands, type Held, HeldDown, keysHeld } from "./held.ts";
import { DesktopReader } from "./reader.ts";
import {
  KEY_BOUNDS,
  MARGIN_MS,
  type Reservation,
  Reservations,
  type Turn,
  type TurnBounds,
  withinBound,
} from "./turn.ts";

/** Maximum number of actions waiting for their turn; further actions are rejected. */
const WAITING_LIMIT = 1000;
/** Maximum time per character of a text, in milliseconds: some programs must be waited for after each. */
const CHARACTER_MS = 100;
/** Length of the shortest text during which the active window is watched: a shorter one costs less than a look. */
const WATCHED_LENGTH = 64;
/** Maximum time per wheel notch, in milliseconds. */
const NOTCH_MS = 20;

/** How long the release before a stop waits for the running action, in milliseconds. */
const LET_GO_MS = 200;

/**
 * Acts on one desktop and reads from it. An action is dropped if its `waiter` no longer wants it when its
 * turn comes.
 */
export class Operator extends DesktopReader {
  readonly #turns = new Mutex(
    WAITING_LIMIT,
    `${WAITING_LIMIT} actions are waiting already; try again later`,
  );
  readonly #held: HeldDown;
  /** The turn of the last action that began. */
  #turn: Turn | undefined;
  /** The target of the last move if the pointer did not reach it, and where it is instead. */
  #missed: { point: Point; place: Point } | undefined;
  readonly #reservations = new Reservations();

  /**
   * @param marginMs Time that each action may take beyond its own texts, pauses and waits, in milliseconds.
   */
  constructor(desktop: Desktop, readonly marginMs: number = MARGIN_MS) {
    super(desktop);
    this.#held = new HeldDown(desktop);
  }

  /** The time limit of an action without texts, pauses or waits, in milliseconds. */
  get boundMs(): number {
    return this.marginMs + (this.desktop.waitsMs ?? 0);
  }

  /** Total time of all turns so far, in milliseconds. */
  get busyMs(): number {
    return this.#turns.busyMs;
  }

  /**
   * Moves the pointer.
   * @throws InputError if the place is not on the desktop.
   */
  move(point: Point, waiter?: Waiter): Promise<void> {
    return this.#runAt(point, undefined, waiter);
  }

  /**
   * Clicks at a place.
   * @param count Clicks at the same place, 1 to 3: 2 is a double click.
   * @param hold Canonical keys held during the action.
   */
  click(
    point: Point,
    button: Button,
    count = 1,
    hold: readonly string[] = [],
    waiter?: PressCaller,
  ): Promise<void> {
    return this.#runAt(point, (turn) => {
      checkArrival(this.desktop, point);
      const hands = this.#hands(turn);
      return this.expecting(
        waiter?.expects,
        () => hands.whileDown(keysHeld(hold), () => clickTimes(hands, button, count)),
        point,
      );
    }, waiter);
  }

  /**
   * Clicks at the pointer position.
   * @throws StateError if the last move did not reach its place.
   */
  async clickHere(
    button: Button,
    count: number | undefined,
    hold: readonly string[] | undefined,
    waiter?: Waiter,
  ) {
    const point = await this.position();
    await this.#checkAim(undefined);
    await this.click(point, button, count, hold, waiter);
  }

  /**
   * Turns the wheel.
   * @param amount Notches, 1 to `SCROLL_LIMIT`.
   * @param point Where to move first; by default, the pointer stays where it is.
   * @param hold Canonical keys held during the action.
   */
  scroll(
    direction: Direction,
    amount: number,
    point?: Point,
    hold: readonly string[] = [],
    waiter?: PressCaller,
  ): Promise<void> {
    return this.#runAt(
      point,
      (turn) =>
        this.expecting(waiter?.expects, () =>
          this.#held.whileDown(keysHeld(hold), async () => {
            await this.#checkAim(point);
            turn.waitsFor = "the desktop to turn the wheel";
            await this.desktop.pointer.scroll(direction, amount);
          }, turn)),
      waiter,
      { takesMs: amount * NOTCH_MS },
    );
  }

  /**
   * Presses a button or key and holds it until it is released.
   * @param point Where to move first; by default, the pointer stays where it is.
   */
  press(held: Held, point?: Point, waiter?: PressCaller): Promise<void> {
    return this.#runAt(point, async (turn) => {
      const isButton = held[0] === "button";
      if (isButton) await this.#checkAim(point);
      const at = isButton ? point ?? await this.desktop.pointer.position() : undefined;
      return await this.expecting(waiter?.expects, async () => {
        if (!isButton) await this.#clickHandled(turn);
        await this.#held.press(held, turn);
      }, at);
    }, waiter);
  }

  /**
   * Runs a press, in its turn, that must hit what its caller saw.
   * @param at The position of a button press; left out for other input, which activates no window.
   * @throws ChangedError before the press if another window is at the place now.
   */
  async expecting<T>(guard: PressGuard | undefined, press: () => Promise<T>, at?: Point): Promise<T> {
    if (guard) return await guarded(this.desktop, guard, press);
    const { targets } = this.desktop;
    if (at && targets?.judge?.() && targets.isPastManager) await activateAt(this.desktop, at);
    return await press();
  }

  /**
   * Releases a button or key.
   * @param held The button or key; by default, everything held, including by killed deskhand processes.
   * @param point Where to move first; by default, the pointer stays where it is.
   */
  release(held?: Held, point?: Point): Promise<void> {
    return this.#runAt(point, (turn) => {
      if (held) return this.#held.release(held, turn);
      this.#held.takeLeft();
      return this.#held.releaseAll(turn);
    });
  }

  /**
   * Releases the keys and buttons that killed deskhand processes held on this desktop.
   * @returns Those keys and buttons.
   * @throws The desktop's errors; {@linkcode release} tries again.
   */
  async releaseLeft(): Promise<Held[]> {
    await askState();
    const left = this.#held.takeLeft();
    if (left.length) await this.#run((turn) => this.#held.releaseAll(turn)); // most starts have nothing to wait for
    return left;
  }

  /**
   * Releases keys and buttons of a caller that releases them or disconnects. Never rejected: it waits for a
   * running action, but not for a replay.
   * @param point Where to move first, unless a replay controls the pointer or the place is off the desktop.
   */
  async releaseOwned(held: readonly Held[], point?: Point): Promise<void> {
    await this.#turns.run(() =>
      this.ask(() =>
        this.#bounded(async (turn) => {
          await askState();
          const moves = point && !this.#reservations.isTaken && contains(this.screen(), point);
          turn.waitsFor = "the desktop to move the pointer";
          if (moves) await this.desktop.pointer.move(point);
          await this.#held.releaseEach(held, turn);
        })
      ), { unbounded: true });
  }

  /**
   * Runs a gesture of several steps when its turn comes.
   * @param gesture Receives the desktop, and a function that holds keys and buttons while another runs.
   */
  gesture(gesture: (hands: Hands) => Promise<void>, waiter?: Waiter, bounds?: TurnBounds): Promise<void> {
    return this.#run((turn) => gesture(this.#hands(turn)), waiter, bounds);
  }

  /**
   * Types text; see `Keyboard.type`.
   * @param signal Stops before its turn, or after the current character.
   * @throws StateError if another window becomes active before the whole of a long text is typed.
   */
  type(text: string, signal?: AbortSignal): Promise<void> {
    const takesMs = KEY_BOUNDS.takesMs + text.length * CHARACTER_MS;
    return this.#run(
      async (turn) => {
        signal?.throwIfAborted();
        await this.#clickHandled(turn);
        const list = () => this.read(async ({ windows }) => await windows?.list());
        const type = (...moved: AbortSignal[]) =>
          this.desktop.keyboard.type(text, AbortSignal.any([turn.signal(signal), ...moved]));
        try {
          await (text.length < WATCHED_LENGTH ? type() : typeInOneWindow(list, type));
        } finally {
          this.#held.keysAt = performance.now();
        }
      },
      signal && waiterOf(signal),
      { takesMs, waitsFor: "the desktop to type the text" },
    );
  }

  /**
   * Runs an action that has no method here, when its turn comes.
   * @param action Receives the desktop.
   */
  run(action: (desktop: Desktop) => Promise<void>, waiter?: Waiter, bounds?: TurnBounds): Promise<void> {
    return this.#run(() => action(this.desktop), waiter, bounds);
  }

  /**
   * Releases everything held before the program stops for an unknown time, and lets no other action begin before.
   * Ends the running action unless it ends by itself soon.
   * @param continued Resolves once the program has been stopped and continued.
   * @returns What was held.
   * @throws The desktop's errors.
   */
  async letGo(continued: Promise<void>): Promise<Held[]> {
    const { promise, resolve } = Promise.withResolvers<Held[]>();
    const release = async () => {
      const silent = this.answering(); // a hung server would hold the thread
      if (silent) await silent;
      await askState();
      const held = this.#held.confirmed;
      await this.#held.releaseAll();
      return held;
    };
    const turn = this.#turns.run(() => {
      resolve(release());
      return continued;
    }, { isNext: true });
    turn.catch(() => {}); // the release reports its errors itself
    const held = await within(LET_GO_MS, promise);
    if (held) return held;
    this.#turn?.cut(new OverdueError("the action was ended because deskhand was stopped, as by Ctrl-Z"));
    return await within(LET_GO_MS, promise) ?? await release();
  }

  /** Releases everything held, without waiting for actions. Never throws: for the end of the program. */
  close(): void {
    const isCut = this.desktop.cutIfSilent?.() ?? false;
    this.#held.releaseAll().catch(() => {}); // the next start does it, unless the desktop has ended
    this.#held.close(isCut);
  }

  /** Number of actions waiting for their turn. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /**
   * When an action last sent keys or text, on the scale of `performance.now()`; -Infinity before the first.
   */
  get keysAt(): number {
    return this.#held.keysAt;
  }

  /** Keys and buttons that deskhand holds down now. */
  held(): Held[] {
    return this.#held.confirmed;
  }

  /**
   * Reserves the desktop for long work, such as a replay: other actions are rejected immediately instead of
   * queued. Earlier actions finish first, and the keyboard map is restored.
   * @param reason The message for rejected callers, which says how to end the reservation.
   * @throws StateError if the desktop is already reserved.
   */
  reserve(reason: string): Reservation {
    return this.#reservations.take(
      reason,
      () =>
        this.#turns.run(() =>
          this.#bounded(async () => {
            const silent = this.answering();
            if (silent) await silent;
            await this.desktop.keyboard.restore();
          }, {
            ...KEY_BOUNDS,
            waitsFor: "the keyboard map to be restored",
          })
        ),
    );
  }

  /** Runs an action at a place, or at the pointer position, when its turn comes. */
  async #runAt(
    point: Point | undefined,
    action?: (turn: Turn) => Promise<void>,
    waiter?: Waiter,
    bounds?: TurnBounds,
  ): Promise<void> {
    if (point) {
      const silent = this.answering();
      if (silent) await silent;
      checkPoint(this.screen(), point);
    }
    await this.#run(
      async (turn) => {
        if (point) await this.#move(point, turn);
        await action?.(turn);
      },
      waiter,
      bounds,
    );
  }

  async #move(point: Point, turn: Turn): Promise<void> {
    const { pointer } = this.desktop;
    turn.waitsFor = "the desktop to move the pointer";
    await pointer.move(point);
    turn.check();
    const place = pointer.elsewhere?.(point);
    this.#missed = place && { point, place };
  }

  /**
   * Checks that the pointer is where an action needs it: at the given place, or, if it is still where the
   * last move ended, at that move's place.
   * @throws StateError if the pointer did not get there.
   */
  async #checkAim(point: Point | undefined): Promise<void> {
    if (point) return checkArrival(this.desktop, point);
    const missed = this.#missed;
    if (!missed) return;
    this.#missed = undefined;
    const { x, y } = await this.desktop.pointer.position();
    if (missed.place.x !== x || missed.place.y !== y) return;
    throw new StateError(notArrived(missed.point, missed.place, "Nothing was pressed"));
  }

  /** Runs an action when its turn comes. */
  async #run(
    action: (turn: Turn) => Promise<void>,
    waiter?: Waiter,
    bounds?: TurnBounds,
  ): Promise<void> {
    this.#reservations.check();
    try {
      await this.#turns.run(() => {
        waiter?.check?.();
        return this.#bounded(async (turn) => {
          const silent = this.answering(), state = askState(); // a record of what is held goes there
          if (silent) await silent;
          if (state) await state;
          turn.check();
          if (bounds?.waitsFor) turn.waitsFor = bounds.waitsFor;
          await action(turn);
        }, bounds);
      }, { waiter });
    } catch (error) {
      throw this.noted(error);
    }
  }

  /** Runs an action during its turn, within its time limit. */
  #bounded(action: (turn: Turn) => Promise<void>, { takesMs = 0 }: TurnBounds = {}): Promise<void> {
    const release = (held: readonly Held[]) => this.#held.releaseEach(held);
    return withinBound({ ms: this.boundMs + takesMs, release }, (turn) => {
      this.#turn = turn;
      return action(turn);
    });
  }

  /** The hands of a gesture during its turn. */
  #hands(turn: Turn): Hands {
    return {
      desktop: this.desktop,
      turn,
      whileDown: async (held, run) => {
        if (held.some(([kind]) => kind === "key")) await this.#clickHandled(turn);
        await this.#held.whileDown(held, run, turn);
      },
    };
  }

  /**
   * Waits until the last click has moved the keyboard focus: keys sent immediately would go to the previous
   * window.
   */
  async #clickHandled(turn: Turn): Promise<void> {
    if (!this.#held.takeClicked()) return;
    turn.waitsFor = CLICK_HANDLED.what;
    await this.desktop.windows?.pressHandled?.(CLICK_HANDLED.ms);
    turn.check();
  }

  /** @returns The same error. Keys held on a desktop that became unavailable may be released by now. */
  protected override noted(error: unknown): unknown {
    if (error instanceof DesktopUnavailableError) this.#held.invalidate();
    return error;
  }
}
