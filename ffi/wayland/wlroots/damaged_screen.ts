/** The screen of a compositor that reports changed regions, for the live picture. */

import { intersection, isSameRegion, type Region, united } from "../../../control/desktop/desktop.ts";
import type { JpegEncoder, LiveScreen, ScreenChange } from "../../../control/desktop/screen.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { FRAME_MS, FrameRequest, PICTURE, Screencopy } from "./screencopy.ts";
import {
  type Arrangement,
  cutOut,
  drawOutput,
  Outputs,
  type PlacedOutput,
  type WaylandOutput,
} from "../wire/outputs.ts";
import { Connection } from "../wire/connection.ts";

/** An output, its newest picture, and the request that is answered when it changes. */
interface Watched {
  placed: PlacedOutput<WaylandOutput>;
  shown?: FrameRequest;
  change: FrameRequest;
}

/**
 * Fetches outputs when they change, with the pointer drawn in. The request for the next change is sent with
 * the answer to the last one; the compositor also tracks changes between the two, so that no change is
 * missed.
 */
export class DamagedScreen implements LiveScreen {
  readonly isWoken: boolean;
  place: Region;
  pixels: Uint8Array<ArrayBuffer> = new Uint8Array();
  #arrangement: Arrangement<WaylandOutput>;
  #watched: Watched[] = [];
  /** Pixels that deskhand draws itself, if the compositor's pixels differ from the desktop's. */
  #drawn: Uint8Array<ArrayBuffer> = new Uint8Array();

  private constructor(
    readonly connection: Connection,
    readonly outputs: Outputs,
    readonly screencopy: Screencopy,
    readonly jpeg: JpegEncoder | undefined,
    readonly alarm: number | undefined,
  ) {
    this.isWoken = alarm !== undefined;
    this.#arrangement = outputs.arrangement();
    this.place = this.#arrangement.region;
    this.#start();
  }

  /**
   * Connects to a compositor.
   * @param path The path of the compositor's socket.
   * @param alarm A file descriptor that ends waits when it becomes readable.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws DesktopUnavailableError if it does not answer.
   */
  static async open(
    path: string,
    jpeg: JpegEncoder | undefined,
    alarm?: number,
  ): Promise<DamagedScreen | undefined> {
    return await Connection.openFor(path, async (connection, registry) => {
      const outputs = await Outputs.open(connection, registry);
      return closedOnFailure(
        new Screencopy(connection, registry),
        (screencopy) => new DamagedScreen(connection, outputs, screencopy, jpeg, alarm),
      );
    });
  }

  update(): ScreenChange {
    const arrangement = this.outputs.arrangement();
    if (arrangement !== this.#arrangement || this.#watched.some(({ change }) => change.state === "failed")) {
      return this.#startAgain(arrangement);
    }
    let box: Region | undefined;
    for (const watched of this.#watched) {
      if (watched.change.state !== "ready") continue;
      const changed = this.#show(watched, watched.change);
      watched.change = this.#request(watched.placed);
      if (changed) box = united(box, changed);
    }
    this.#arm();
    return { box };
  }

  wait(ms: number): void {
    if (this.#watched.every(({ change }) => change.state === "asked")) {
      this.connection.waitBriefly(ms, this.alarm);
    }
  }

  close(): void {
    this.#stop();
    this.screencopy.close();
    this.connection.close();
  }

  /** Fetches all outputs and begins to watch them. */
  #start(): void {
    const { outputs } = this.#arrangement, { connection } = this;
    this.#watched = outputs.map((placed) => ({ placed, change: this.#request(placed) }));
    const first = outputs.map((placed) => this.#request(placed));
    try {
      this.#arm();
      connection.until(() => first.every(({ isNamed }) => isNamed), PICTURE, FRAME_MS);
      for (const request of first) request.copy("now");
      connection.until(() => first.every(({ state }) => state !== "asked"), PICTURE, FRAME_MS);
      this.#drawn = new Uint8Array();
      this.#watched.forEach((watched, i) => this.#show(watched, first[i]));
    } catch (error) {
      for (const request of first) request.destroy();
      this.#stop();
      throw error;
    }
  }

  #startAgain(arrangement: Arrangement<WaylandOutput>): ScreenChange {
    this.#stop();
    this.#arrangement = arrangement;
    if (!isSameRegion(arrangement.region, this.place)) this.place = arrangement.region;
    this.#start();
    return { box: { ...this.place, x: 0, y: 0 } };
  }

  #stop(): void {
    for (const { shown, change } of this.#watched.splice(0)) {
      shown?.destroy();
      change.destroy();
    }
  }

  #request({ output }: PlacedOutput<WaylandOutput>): FrameRequest {
    return new FrameRequest(this.screencopy, output, true);
  }

  /** Sends new requests, which the compositor answers at the next change. */
  #arm(): void {
    const fresh = this.#watched.map(({ change }) => change).filter(({ isCopied }) => !isCopied);
    if (!fresh.length) return;
    this.connection.until(() => fresh.every(({ isNamed }) => isNamed), PICTURE, FRAME_MS);
    for (const change of fresh) if (change.state === "asked") change.copy("changed");
    this.connection.flush();
  }

  /**
   * Applies an output's new picture.
   * @returns Where pixels may have changed, in pixels of this screen.
   */
  #show(watched: Watched, request: FrameRequest): Region | undefined {
    const { placed } = watched, { region } = this.#arrangement, picture = request.picture();
    watched.shown?.destroy();
    watched.shown = request;
    const part = changedPart(placed, request);
    const own = this.#watched.length === 1 && picture.stride === 4 * region.width
      ? cutOut(picture, placed, region)
      : undefined;
    if (own) this.pixels = own.pixels; // as written by the compositor
    else {
      const isFirst = this.pixels !== this.#drawn;
      if (isFirst) this.pixels = this.#drawn = new Uint8Array(region.width * region.height * 4);
      if (part) {
        drawOutput(picture, placed, region, new Uint32Array(this.#drawn.buffer), isFirst ? region : part);
      }
    }
    return part && { ...part, x: part.x - region.x, y: part.y - region.y };
  }
}

/** The changed part of the desktop; the whole output if its picture is scaled or rotated on the desktop. */
function changedPart({ region, output: { transform } }: PlacedOutput<WaylandOutput>, request: FrameRequest) {
  const { damage } = request, { width, height, isInverted } = request.picture();
  const isPlain = transform === 0 && !isInverted && region.width === width && region.height === height;
  if (!damage || !isPlain) return region;
  return intersection(region, { ...damage, x: region.x + damage.x, y: region.y + damage.y });
}
