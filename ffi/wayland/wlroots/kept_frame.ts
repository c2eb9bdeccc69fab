/**
 * The last picture of an output, which is given again while the output does not change.
 *
 * Beside each picture a second copy is asked for, one that waits for a change (copy_with_damage). Both are asked for
 * before the picture's frame is drawn, so the compositor weighs the second one at that frame and at every later one. As
 * long as it is not answered, the output shows what the picture shows. The compositor counts changes by output and
 * connection, so each output has one such request at a time.
 *
 * An output that drew its last frame longer ago than a frame takes draws a change at once. What the compositor handled
 * before it answers a round trip is then on the output, or has answered the second request.
 */

import type { Output } from "../wire/outputs.ts";
import { FrameRequest, type Screencopy } from "./screencopy.ts";

/** How long one picture is given again, in milliseconds: no longer is it wrong where a compositor forgets a change. */
const TRUSTED_MS = 1000;
/** Added to the time of a frame, in milliseconds: compositors' timers have whole ones. */
const MARGIN_MS = 2;

/** A finished picture that several may read. */
export class SharedFrame {
  #readers = 1;

  constructor(readonly request: FrameRequest) {}

  /** Adds a reader. */
  share(): SharedFrame {
    this.#readers++;
    return this;
  }

  /** Takes a reader away; the last one gives the memory back. */
  release(): void {
    if (--this.#readers === 0) this.request.destroy();
  }
}

/** What is kept of one output. */
export class KeptFrame {
  #last: { frame: SharedFrame; at: number } | undefined;
  #change: FrameRequest | undefined;

  readonly #shape: string;

  constructor(readonly screencopy: Screencopy, readonly output: Output) {
    this.#shape = shapeOf(output);
  }

  /** Whether an output is still as this one was. */
  isOf(output: Output): boolean {
    return output.object === this.output.object && shapeOf(output) === this.#shape;
  }

  /** The picture that the output still shows, as far as events have been read. */
  unchanged(cursor: boolean): SharedFrame | undefined {
    const last = this.#last;
    if (!last || last.frame.request.cursor !== cursor || this.#change?.state !== "asked") return undefined;
    return performance.now() - last.at < TRUSTED_MS ? last.frame : undefined;
  }

  /** When the output has been idle for a frame, if it does not change before, on the scale of `performance.now()`. */
  get idleAt(): number {
    return this.#last ? this.#last.at + this.output.frameMs + MARGIN_MS : 0;
  }

  /**
   * Takes the picture with which the output changed.
   * @returns undefined if it has not changed.
   */
  takeChange(cursor: boolean): SharedFrame | undefined {
    const change = this.#change;
    if (change?.state !== "ready" || change.cursor !== cursor) return undefined;
    this.#change = undefined;
    return new SharedFrame(change);
  }

  /** Prepares the request that waits for a change, unless there is one. */
  prepare(cursor: boolean): void {
    if (this.#change?.state === "asked" && this.#change.cursor === cursor) return;
    this.#change?.destroy();
    this.#change = new FrameRequest(this.screencopy, this.output, cursor);
  }

  /** Whether the prepared request can be sent. */
  get isPrepared(): boolean {
    return this.#change?.isNamed !== false;
  }

  /** Has the prepared request wait for a change. @returns The request that waits. */
  watch(): FrameRequest | undefined {
    const change = this.#change;
    if (change?.state === "asked" && change.isNamed && !change.isCopied) change.copy("changed");
    return change?.isCopied ? change : undefined;
  }

  /**
   * Keeps a new picture, if the output has not changed since.
   * @param waiting What {@linkcode watch} returned before the picture was asked for.
   */
  keep(frame: SharedFrame, waiting: FrameRequest | undefined): void {
    if (!waiting || waiting !== this.#change || waiting.state !== "asked") return;
    this.#last?.frame.release();
    this.#last = { frame: frame.share(), at: performance.now() };
  }

  /** Ends the watch and gives the memory back. */
  forget(): void {
    this.#change?.destroy();
    this.#last?.frame.release();
    this.#change = this.#last = undefined;
  }
}

function shapeOf({ mode, transform }: Output): string {
  return `${mode.width}x${mode.height} ${transform}`;
}
