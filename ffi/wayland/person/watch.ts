/**
 * Watching the input of a Wayland desktop: deskhand's actions, and a person's. The latter by devices that can be read,
 * or by the pictures of a desktop that shows where the pointer is.
 */

import type {
  InputAction,
  ObservedAction,
  Point,
  Watch,
  WatchListener,
} from "../../../control/desktop/desktop.ts";
import { ExpectedError } from "../../../core/errors.ts";
import { type OwnActions, watchInWorker } from "../../watch.ts";
import type { PointerTracker } from "../way.ts";
import { DEVICE_FOLDER, deviceRefusal } from "./devices.ts";

/** Plain data by which the Worker finds devices and compositor. */
export interface PersonSource {
  /** The path of the compositor's socket. */
  path: string;
  /** The folder of the devices. */
  folder: string;
}

/** The pointer that is watched. */
interface WatchedPointer {
  position(): Promise<Point>;
  /** A view of all the pointer's moves; undefined where there is none. */
  tracker?(): PointerTracker | undefined;
}

/**
 * Watches until closed. Where a person's input cannot be read, the listener gets a gap with the reason. On a desktop
 * that shows the pointer, moves come from there alone.
 * @param own deskhand's own actions.
 * @param pointer The pointer, whose position is asked for first, so that the first press of a button has a place.
 * @param path The path of the compositor's socket.
 * @param folder The folder of the devices.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function watchWayland(
  own: OwnActions,
  listener: WatchListener,
  pointer: WatchedPointer,
  path: string,
  folder = DEVICE_FOLDER,
): Promise<Watch> {
  await pointer.position();
  const tracker = () => pointer.tracker?.(), isSeen = tracker() !== undefined;
  const refusal = deviceRefusal(folder, isSeen);
  if (refusal) listener.problem("gap", refusal);
  const moves = isSeen ? new PersonMoves(own, listener, tracker) : undefined;
  await moves?.begin();
  const source: PersonSource = { path, folder };
  const url = new URL("./watch_worker.ts", import.meta.url);
  const person = refusal ? undefined : await watchInWorker<PersonSource>(url, source, moves ?? listener);
  own.add(listener);
  return {
    async close() {
      own.remove(listener);
      await person?.close();
      await moves?.close();
    },
  };
}

// Tells a person's moves from deskhand's own, where a desktop shows only where the pointer is. Pure.

/**
 * The time that a seen move waits for the report that it was deskhand's own, in milliseconds; the reports of a replay
 * come from another thread.
 */
const HOLD_MS = 100;
/** The time that a move of deskhand's own may take to be seen, in milliseconds: the compositor may be busy. */
const SHOWN_MS = 5000;
/**
 * The distance at which a move of deskhand's own may be seen from its place, in pixels: scaled displays show places in
 * logical pixels.
 */
const TOLERANCE = 2;

/** Holds seen actions back until it is clear that a person did them. Times are in epoch milliseconds. */
export class SeenMoves {
  /** The destinations of deskhand's moves that were not seen yet, in their order. */
  #own: { point: Point; at: number }[] = [];
  /** Actions that were seen, in their order. */
  readonly #held: ObservedAction[] = [];
  #place: Point | undefined;

  /** The last seen place of the pointer; undefined if it was never seen. */
  get place(): Point | undefined {
    return this.#place;
  }

  /** Whether any action is held back. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Notes the places of deskhand's own move, on its way and at its end. */
  own(points: readonly Point[], at: number): void {
    this.#own = this.#own.filter((one) => at - one.at < SHOWN_MS);
    for (const point of points) this.#own.push({ point, at });
  }

  /** Notes where the pointer is. The first place is where it was before, and may be older than the last own move. */
  see({ x, y }: Point, at: number): void {
    const before = this.#place;
    this.#place = { x, y };
    if (!before) this.#isOwn(this.#place);
    else if (before.x !== x || before.y !== y) {
      this.#held.push({ action: { type: "move", x, y }, at, injected: false });
    }
  }

  /** Notes a person's other actions, as their devices report them; the places are those that were seen. */
  add({ action, ...seen }: ObservedAction): void {
    if (action.type === "move") return;
    this.#held.push({ ...seen, action: this.#placed(action) });
  }

  /**
   * Gives the actions of a person that are certain by now.
   * @param now The present time; Infinity returns all actions.
   */
  settled(now: number): ObservedAction[] {
    const done: ObservedAction[] = [];
    while (this.#held.length && this.#held[0].at <= now - HOLD_MS) {
      const seen = this.#held.shift()!;
      if (seen.action.type !== "move" || !this.#isOwn(seen.action)) done.push(seen);
    }
    return done;
  }

  #placed(action: InputAction): InputAction {
    return action.type === "key" ? action : { ...action, ...this.#place };
  }

  /**
   * Whether a place is where a move of deskhand's own goes. That move and those before it are forgotten: the
   * compositor shows the newest place, so that each is seen once at most.
   */
  #isOwn(place: Point): boolean {
    const index = this.#own.findIndex(({ point: { x, y } }) =>
      Math.max(Math.abs(x - place.x), Math.abs(y - place.y)) <= TOLERANCE
    );
    this.#own.splice(0, index + 1);
    return index >= 0;
  }
}

/** The time between checks for held actions that can be reported, in milliseconds. */
const SETTLE_MS = 20;

/** Reports a person's moves to a listener, and a person's other input that a Worker sees. */
export class PersonMoves implements WatchListener {
  readonly #seen = new SeenMoves();
  readonly #end = new AbortController();
  readonly #ownMoves: WatchListener = { actions: (batch) => this.#noteOwn(batch), problem() {} };
  #following: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param own deskhand's own actions, which are not reported here.
   * @param tracker Gives the present tracker of the pointer.
   */
  constructor(
    readonly own: OwnActions,
    readonly listener: WatchListener,
    readonly tracker: () => PointerTracker | undefined,
  ) {}

  /**
   * Begins. Resolves when each move from now on is seen, or the listener has received the reason why moves are not
   * seen.
   */
  async begin(): Promise<void> {
    const { lastMove } = this.own; // the compositor may not have shown this move yet
    if (lastMove) this.#seen.own(this.#way(lastMove.point), lastMove.at);
    this.own.add(this.#ownMoves);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#follow(resolve);
    await promise;
  }

  /** Takes actions from a person's devices. */
  actions(batch: ObservedAction[]): void {
    for (const seen of batch) this.#seen.add(seen);
    this.#settleSoon();
  }

  problem(kind: "ended" | "gap", message: string): void {
    this.listener.problem(kind, message);
  }

  /** Ends the watch; resolves when everything seen was reported. */
  async close(): Promise<void> {
    this.#end.abort();
    this.own.remove(this.#ownMoves);
    await this.#following;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settle(Infinity);
  }

  /** @param looked Called when the pointer was looked for once, or cannot be seen. */
  #follow(looked: () => void): void {
    this.#following = this.#see(looked).catch((error) => {
      if (!(error instanceof ExpectedError)) throw error;
      this.listener.problem(
        "gap",
        `a person's pointer moves are not recorded until the next action: ${error.message}`,
      );
    }).finally(() => {
      this.#following = undefined;
      looked();
    });
  }

  async #see(looked: () => void): Promise<void> {
    for await (const place of this.tracker()?.places(this.#end.signal) ?? []) {
      if (place) this.#seen.see(place, now());
      this.#settleSoon();
      looked();
    }
  }

  /** Follows the pointer again if that had ended, since deskhand's own action has opened the desktop again. */
  #noteOwn(batch: ObservedAction[]): void {
    for (const { action } of batch) if (action.type === "move") this.#seen.own(this.#way(action), now());
    if (!this.#following && !this.#end.signal.aborted) this.#follow(() => {});
  }

  #way(point: Point): Point[] {
    try {
      return this.tracker()?.expectedPlaces(point) ?? [];
    } catch (error) {
      if (error instanceof ExpectedError) return []; // the desktop is gone and shows no places
      throw error;
    }
  }

  #settleSoon(): void {
    if (!this.#seen.isHolding || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#settle(now());
      this.#settleSoon();
    }, SETTLE_MS);
  }

  #settle(time: number): void {
    const batch = this.#seen.settled(time);
    if (batch.length) this.listener.actions(batch);
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
