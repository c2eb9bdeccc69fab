/** Desktop reads that need no turn: the pointer position and pictures. */

import { CoalescedRead } from "../../core/coalesced_read.ts";
import { on, StateError } from "../../core/errors.ts";
import { Histogram } from "../../core/json.ts";
import type { Desktop, Frame, Picture, Point, Region, ScreenLayout, WindowInfo } from "../desktop/desktop.ts";
import { completeRegion } from "../desktop/input.ts";
import type { FrameMemory, SharedFrame } from "../image/bitmap.ts";

/** Copies a frame into its own memory. */
function copied({ width, height, stride, pixels }: Frame): Picture {
  return { width, height, parts: [{ width, height, stride, pixels: pixels.slice() }], release() {} };
}

/** Reads from one desktop. */
export class DesktopReader {
  /** How long the desktop took for each picture. */
  readonly pictureDuration: Histogram = new Histogram();
  readonly #position = new CoalescedRead<Point>(() => this.position());

  constructor(readonly desktop: Desktop) {}

  /** Returns the current pointer position. */
  position(): Promise<Point> {
    return this.ask(() => this.desktop.pointer.position(), true);
  }

  /** Returns the pointer position; simultaneous callers share one request to the desktop. */
  sharedPosition(): Promise<Point> {
    return this.#position.get();
  }

  /** The pointer position; undefined on a desktop that does not report it before the first move. */
  async knownPosition(): Promise<Point | undefined> {
    return await this.sharedPosition().catch(on(StateError));
  }

  /** Returns the size and the displays. */
  screen(): ScreenLayout {
    try {
      return this.desktop.screen.layout();
    } catch (error) {
      throw this.noted(error);
    }
  }

  /**
   * Checks that the desktop answers by capturing one pixel: every system delivers a picture immediately and
   * without side effects, while Wayland does not report the pointer position without one.
   * @throws DesktopUnavailableError with the reason if the desktop does not answer.
   */
  async check(): Promise<void> {
    const silent = this.answering();
    if (silent) await silent;
    const layout = this.screen(), { x, y } = layout.displays[0] ?? layout; // the corner may be a gap
    await this.read(({ screen }) => screen.capture({ x, y, width: 1, height: 1 }, false, () => {}));
  }

  /**
   * Captures a region.
   * @param region The whole screen if left out; a missing field reaches to the edge.
   * @param cursor Whether to draw the pointer into the picture.
   * @param read Reads the frame, which is valid until `read` returns.
   * @param window The window to capture without those that cover it; the screen itself if left out.
   * @returns What `read` returns.
   * @throws InputError if the region is not entirely on the screen.
   */
  async capture<T>(
    region: Partial<Region>,
    cursor: boolean,
    read: (frame: Frame) => T,
    window?: WindowInfo,
  ): Promise<T> {
    const whole = this.region(region);
    return await this.ask(() => this.#capture(whole, cursor, read, window));
  }

  #capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T, window?: WindowInfo): Promise<T> {
    const { screen } = this.desktop, start = performance.now();
    const timed = (frame: Frame) => {
      this.#addPicture(start);
      return read(frame);
    };
    return window && screen.captureWindow
      ? screen.captureWindow(window, region, cursor, timed)
      : screen.capture(region, cursor, timed);
  }

  /**
   * Captures a region, like {@linkcode capture}, into memory shared by threads, off this thread if the
   * desktop can. Overwrites the memory.
   */
  async share(
    region: Partial<Region>,
    cursor: boolean,
    memory: FrameMemory,
    window?: WindowInfo,
  ): Promise<SharedFrame> {
    const whole = this.region(region);
    return await this.ask(async () => {
      const { screen } = this.desktop;
      if (!screen.captureInto || window && screen.captureWindow) {
        return await this.#capture(whole, cursor, (frame) => memory.share(frame), window);
      }
      const start = performance.now(), frame = memory.frame(whole);
      await screen.captureInto(whole, cursor, frame.memory);
      this.#addPicture(start);
      return frame;
    });
  }

  /**
   * Captures a region, like {@linkcode capture}, into its own memory, valid until the picture is released.
   */
  async picture(region: Partial<Region>, cursor: boolean, window?: WindowInfo): Promise<Picture> {
    const whole = this.region(region);
    return await this.ask(async () => {
      const { screen } = this.desktop;
      if (window && screen.captureWindow) return await this.#capture(whole, cursor, copied, window);
      const start = performance.now(), picture = await screen.picture(whole, cursor);
      this.#addPicture(start);
      return picture;
    });
  }

  /** @param start When the picture was requested, on the scale of `performance.now()`. */
  #addPicture(start: number): void {
    this.pictureDuration.add(performance.now() - start);
  }

  /**
   * Extends a partial region to the screen's edges.
   * @throws InputError naming the field that leaves the screen and the allowed range.
   */
  region(partial: Partial<Region>): Region {
    return completeRegion(this.screen(), partial);
  }

  /** Reads a part of the desktop that has no method here. */
  read<T>(read: (desktop: Desktop) => Promise<T>): Promise<T> {
    return this.ask(() => read(this.desktop));
  }

  /** Sends a request to the desktop, and notes whether the desktop is unavailable. */
  protected async ask<T>(ask: () => Promise<T>, endsAlone = false): Promise<T> {
    try {
      const silent = this.answering(endsAlone);
      if (silent) await silent;
      return await ask();
    } catch (error) {
      throw this.noted(error);
    }
  }

  /** Waits for a desktop that is not answering; undefined if it answers. */
  protected answering(endsAlone?: boolean): Promise<void> | undefined {
    return this.desktop.answering?.(endsAlone);
  }

  /** Notes the desktop's error. @returns The same error. */
  protected noted(error: unknown): unknown {
    return error;
  }
}
