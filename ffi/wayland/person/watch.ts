/**
 * Watches the input of a Wayland desktop: deskhand's actions, and a person's. The latter come from readable
 * devices, or from the pictures of a desktop that shows the pointer.
 */

import type {
  InputAction,
  ObservedAction,
  Point,
  Watch,
  WatchListener,
} from "../../../control/desktop/desktop.ts";
import { attempt, ExpectedError } from "../../../core/errors.ts";
import { type OwnActions, watchInWorker } from "../../watch.ts";
import type { PointerTracker } from "../way.ts";
import { DEVICE_FOLDER, deviceRefusal } from "./devices.ts";

/** Plain data with which the Worker finds devices and compositor. */
export interface PersonSource {
  /** The path of the compositor's socket. */
  path: string;
  /** The folder with the devices. */
  folder: string;
}

/** The watched pointer. */
interface WatchedPointer {
  position(): Promise<Point>;
  /** A view of all pointer moves; undefined if there is none. */
  tracker?(): PointerTracker | undefined;
}

/**
 * Watches until closed. If a person's input cannot be read, the listener receives a gap with the reason. On a
 * desktop that shows the pointer, moves come only from there.
 * @param own deskhand's own actions.
 * @param pointer The pointer, whose position is queried first, so that the first button press has a position.
 * @param path The path of the compositor's socket.
 * @param folder The folder with the devices.
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
  const begun = refusal ? undefined : watchInWorker<PersonSource>(url, source, moves ?? listener);
  const person = await begun?.catch(async (error) => {
    await moves?.close();
    throw error;
  });
  own.add(listener);
  return {
    async close() {
      own.remove(listener);
      await person?.close();
      await moves?.close();
    },
  };
}

// Distinguishes a person's moves from deskhand's own on a desktop that only shows where the pointer is. Pure.

/**
 * How long a seen move waits for the report that it was deskhand's own, in milliseconds; a replay's reports
 * come from another thread.
 */
const HOLD_MS = 100;
/** Maximum time until one of deskhand's own moves is seen, in milliseconds: the compositor may be busy. */
const SHOWN_MS = 5000;
/**
 * Maximum distance from its destination at which deskhand's own move may be seen, in pixels: scaled displays
 * show positions in logical pixels.
 */
const TOLERANCE = 2;

/** Holds back seen actions until it is certain that a person did them. Times are in epoch milliseconds. */
export class SeenMoves {
  /** Destinations of deskhand's moves that have not been seen yet, in order. */
  #own: { point: Point; at: number }[] = [];
  /** Seen actions, in order. */
  readonly #held: ObservedAction[] = [];
  #place: Point | undefined;

  /** The pointer's last seen position; undefined if it was never seen. */
  get place(): Point | undefined {
    return this.#place;
  }

  /** Whether any action is held back. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Records the positions of deskhand's own move, along its way and at its end. */
  own(points: readonly Point[], at: number): void {
    this.#own = this.#own.filter((one) => at - one.at < SHOWN_MS);
    for (const point of points) this.#own.push({ point, at });
  }

  /**
   * Records where the pointer is. The first position is from before, and may be older than the last own move.
   */
  see({ x, y }: Point, at: number): void {
    const before = this.#place;
    this.#place = { x, y };
    if (!before) this.#isOwn(this.#place);
    else if (before.x !== x || before.y !== y) {
      this.#held.push({ action: { type: "move", x, y }, at, injected: false });
    }
  }

  /** Records a person's other actions, as reported by their devices; positions are those seen. */
  add({ action, ...seen }: ObservedAction): void {
    if (action.type === "move") return;
    this.#held.push({ ...seen, action: this.#placed(action) });
  }

  /**
   * Returns the actions that are now certain to be a person's.
   * @param now The current time; Infinity returns all actions.
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
   * Whether a position is the destination of one of deskhand's own moves. That move and those before it are
   * forgotten: the compositor shows the newest position, so each is seen at most once.
   */
  #isOwn(place: Point): boolean {
    const index = this.#own.findIndex(({ point: { x, y } }) =>
      Math.max(Math.abs(x - place.x), Math.abs(y - place.y)) <= TOLERANCE
    );
    this.#own.splice(0, index + 1);
    return index >= 0;
  }
}

/** Interval between checks for held actions that can be reported, in milliseconds. */
const SETTLE_MS = 20;

/** Reports a person's moves to a listener, and a person's other input as seen by a Worker. */
export class PersonMoves implements WatchListener {
  readonly #seen = new SeenMoves();
  readonly #end = new AbortController();
  readonly #ownMoves: WatchListener = { actions: (batch) => this.#noteOwn(batch), problem() {} };
  #following: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param own deskhand's own actions, which are not reported here.
   * @param tracker Returns the pointer's current tracker.
   */
  constructor(
    readonly own: OwnActions,
    readonly listener: WatchListener,
    readonly tracker: () => PointerTracker | undefined,
  ) {}

  /**
   * Begins. Resolves when every further move is seen, or when the listener has received the reason why moves
   * are not seen.
   */
  async begin(): Promise<void> {
    const { lastMove } = this.own; // the compositor may not have shown this move yet
    if (lastMove) this.#seen.own(this.#way(lastMove.point), lastMove.at);
    this.own.add(this.#ownMoves);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#follow(resolve);
    await promise;
  }

  /** Receives actions from a person's devices. */
  actions(batch: ObservedAction[]): void {
    for (const seen of batch) this.#seen.add(seen);
    this.#settleSoon();
  }

  problem(kind: "ended" | "gap", message: string): void {
    this.listener.problem(kind, message);
  }

  /** Ends the watch; resolves when everything seen has been reported. */
  async close(): Promise<void> {
    this.#end.abort();
    this.own.remove(this.#ownMoves);
    await this.#following;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settle(Infinity);
  }

  /** @param looked Called when the pointer has been looked for once, or cannot be seen. */
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

  /** Resumes following the pointer, since deskhand's own action has reopened the desktop. */
  #noteOwn(batch: ObservedAction[]): void {
    for (const { action } of batch) if (action.type === "move") this.#seen.own(this.#way(action), now());
    if (!this.#following && !this.#end.signal.aborted) this.#follow(() => {});
  }

  #way(point: Point): Point[] {
    // A desktop that is gone shows no positions.
    return attempt(() => this.tracker()?.expectedPlaces(point), undefined, ExpectedError) ?? [];
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
