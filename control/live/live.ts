/** The live picture: one capture for all viewers, nothing captured without viewers. */

import { BusyError } from "../../core/errors.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { Region } from "../desktop.ts";
import { TiledScreen } from "./tiles.ts";
import { Viewer } from "./viewer.ts";

/** Viewers that may look at once. */
const VIEWERS = 8;
/** Between two captures, in milliseconds: of a screen that changes, and at most of one that is still. */
const INTERVAL = { changing: 33, still: 500 } as const;
/** The factor by which the interval grows with each capture of a still screen. */
const BACKING_OFF = 1.3;
/** Sends viewers the live picture. */
export class LiveView {
  readonly #viewers = new Set<Viewer>();
  #screen: TiledScreen | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next look is, on the scale of `performance.now()`. */
  #due = 0;
  #interval: number = INTERVAL.changing;
  #isCapturing = false;

  /** @param runner Runs what viewers ask for. */
  constructor(readonly runner: ActionRunner) {}

  /** How many look now. */
  get count(): number {
    return this.#viewers.size;
  }

  /**
   * Checks that there is room for another viewer.
   * @throws BusyError if too many look.
   */
  checkRoom(): void {
    if (this.#viewers.size >= VIEWERS) throw new BusyError(`${VIEWERS} viewers are looking already`);
  }

  /** Makes a viewer of a client's socket, which may still be opening. */
  add(socket: WebSocket): void {
    const viewer = new Viewer(socket, this.runner, () => this.#hurry());
    this.#viewers.add(viewer); // now, so that clients that come before it is open count it
    socket.addEventListener("open", () => {
      if (this.#screen) viewer.show(this.#screen);
      if (this.#viewers.size > 1) this.#sendCount();
      this.#hurry();
    });
    const leave = () => {
      if (this.#viewers.delete(viewer)) this.#sendCount();
      viewer.close();
    };
    socket.addEventListener("close", leave);
    socket.addEventListener("error", leave);
  }

  /** Tells all viewers how many look, those included whose socket is still opening. */
  #sendCount() {
    for (const viewer of this.#viewers) viewer.sendCount(this.#viewers.size);
  }

  /** Ends every viewer's connection: the program ends (RFC 6455 section 7.4.1, "going away"). */
  close(): void {
    for (const viewer of this.#viewers) viewer.socket.close(1001, "deskhand is stopping");
  }

  /** Looks soon: a viewer did something, or can take the next picture. */
  #hurry() {
    this.#interval = INTERVAL.changing;
    if (this.#isCapturing) return;
    if (this.#timer === undefined || this.#due - performance.now() > this.#interval) this.#schedule();
  }

  #schedule() {
    clearTimeout(this.#timer);
    this.#due = performance.now() + this.#interval;
    this.#timer = setTimeout(() => void this.#look(), this.#interval);
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    if (!this.#viewers.size) {
      this.#screen = undefined; // its memory is for viewers alone
      return;
    }
    // A picture is captured only if a viewer can take it now.
    if ([...this.#viewers].some((viewer) => viewer.ready)) {
      this.#isCapturing = true;
      await this.#capture();
      this.#isCapturing = false;
    }
    this.#schedule();
  }

  async #capture(): Promise<void> {
    const { operator } = this.runner;
    try {
      const place = operator.screen();
      if (!this.#screen || !isSameRegion(this.#screen.place, place)) {
        this.#screen = new TiledScreen(place);
        for (const viewer of this.#viewers) viewer.show(this.#screen);
      }
      const screen = this.#screen;
      const changed = await operator.capture({}, true, (frame) => screen.update(frame));
      for (const viewer of this.#viewers) viewer.changed(changed);
      this.#interval = changed.length
        ? INTERVAL.changing
        : Math.min(INTERVAL.still, this.#interval * BACKING_OFF);
    } catch (error) {
      for (const viewer of this.#viewers) viewer.sendError((error as Error).message);
      this.#interval = INTERVAL.still;
    }
  }
}

function isSameRegion(a: Region, b: Region): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
