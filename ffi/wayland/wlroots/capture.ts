/** Pictures of outputs: new ones, and the last one of each output again while it does not change. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Connection } from "../wire/connection.ts";
import { KeptFrame, SharedFrame } from "./kept_frame.ts";
import type { Output } from "../wire/outputs.ts";
import type { Registry } from "../wire/registry.ts";
import { FrameRequest, Screencopy } from "./screencopy.ts";

/**
 * How long a picture is waited for before other work goes on, in milliseconds: an idle output's is there by then, and a
 * wait off this thread costs it a fifth more.
 */
const IDLE_MS = 4;
/** How long an output may take for its next frame, in milliseconds. */
export const FRAME_MS = 5000;
/** What is waited for, for messages. */
export const PICTURE = "a picture (is the display off?)";
/** Pictures are in a row, and outputs watched, if they follow each other within so many milliseconds. */
const WATCHED_MS = 1000;

/** Captures over one connection. */
export class OutputCapture {
  readonly #screencopy: Screencopy;
  /** By the object of the output. */
  readonly #kept = new Map<number, KeptFrame>();
  #askedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly connection: Connection, registry: Registry) {
    this.#screencopy = new Screencopy(connection, registry);
  }

  /**
   * Captures whole outputs, all at the same time.
   * @param cursor Whether the pointer is drawn in.
   * @returns In their order; the caller releases them.
   * @throws DesktopUnavailableError if the compositor refuses a picture, or draws none.
   */
  async take(outputs: readonly Output[], cursor: boolean): Promise<SharedFrame[]> {
    const kept = outputs.map((output) => this.#keptOf(output));
    const found = await this.#unchanged(kept, cursor),
      isInRow = performance.now() - this.#askedAt < WATCHED_MS;
    try {
      const fresh = await this.#capture(kept.filter((_, i) => !found[i]), cursor, isInRow);
      return found.map((frame) => frame ?? fresh.shift()!);
    } catch (error) {
      for (const frame of found) frame?.release();
      throw error;
    } finally {
      this.#watchOn();
    }
  }

  close(): void {
    this.#forget();
    this.#screencopy.close();
  }

  #keptOf(output: Output): KeptFrame {
    const kept = this.#kept.get(output.object);
    if (kept?.isOf(output)) return kept;
    kept?.forget(); // another mode, or another turn
    const fresh = new KeptFrame(this.#screencopy, output);
    this.#kept.set(output.object, fresh);
    return fresh;
  }

  /** The pictures that are still right, once that is certain; of an output that changes meanwhile, its newest one. */
  async #unchanged(all: readonly KeptFrame[], cursor: boolean): Promise<(SharedFrame | undefined)[]> {
    const { connection } = this, isStill = (kept: KeptFrame) => kept.unchanged(cursor) !== undefined;
    if (!all.some(isStill)) return all.map(() => undefined);
    connection.roundtrip();
    const still = all.filter(isStill), idleAt = Math.max(0, ...still.map((kept) => kept.idleAt));
    if (still.length && idleAt > performance.now()) {
      await connection.waitAside(() => !still.some(isStill), idleAt);
      connection.roundtrip();
    }
    return all.map((kept) =>
      still.includes(kept) ? kept.unchanged(cursor)?.share() ?? kept.takeChange(cursor) : undefined
    );
  }

  /** @param isInRow Whether the outputs are watched from now on: for a single picture that would be wasted. */
  async #capture(all: readonly KeptFrame[], cursor: boolean, isInRow: boolean): Promise<SharedFrame[]> {
    if (!all.length) return [];
    const pending = all.map((kept) => {
      if (isInRow) kept.prepare(cursor);
      return { kept, frame: new FrameRequest(this.#screencopy, kept.output, cursor) };
    });
    try {
      await this.#wait(() => pending.every(({ kept, frame }) => kept.isPrepared && frame.isNamed));
      const waiting = pending.map(({ kept, frame }) => {
        const waiting = kept.watch();
        frame.copy("now");
        return waiting;
      });
      await this.#wait(() => pending.every(({ frame }) => frame.state !== "asked"));
      for (const { frame } of pending) frame.picture(); // throws where one was refused
      return pending.map(({ kept, frame }, i) => {
        const shared = new SharedFrame(frame);
        kept.keep(shared, waiting[i]);
        return shared;
      });
    } catch (error) {
      for (const { frame } of pending) frame.destroy();
      throw error;
    }
  }

  async #wait(isDone: () => boolean): Promise<void> {
    const { connection } = this;
    for (const end = performance.now() + IDLE_MS; performance.now() < end;) {
      connection.dispatch();
      if (isDone()) return;
      connection.waitBriefly(end - performance.now());
    }
    await connection.untilAsync(isDone, PICTURE, FRAME_MS);
  }

  /** Ends the watch of the outputs when no more pictures are asked for: some work of the compositor waits for that. */
  #watchOn(): void {
    this.#askedAt = performance.now();
    if (this.#timer === undefined && !this.connection.isLost) this.#checkIn(WATCHED_MS);
  }

  #checkIn(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#askedAt + WATCHED_MS - performance.now();
      if (left <= 0 || this.connection.isLost) this.#forget();
      else this.#checkIn(left);
    }, ms);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const kept of this.#kept.values()) kept.forget();
    this.#kept.clear();
    try {
      if (!this.connection.isLost) this.connection.flush();
    } catch (error) {
      if (!(error instanceof DesktopUnavailableError)) throw error; // the compositor is gone, which the next call says
    }
  }
}
