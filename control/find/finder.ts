/** Finds pictures on a desktop's screen. */

import { CallWorker } from "../../core/call_worker.ts";
import { Capacity } from "../../core/coalesced_read.ts";
import { Mutex } from "../../core/mutex.ts";
import type { Region } from "../desktop.ts";
import { type Bitmap, checkFits, type Size } from "../image/bitmap.ts";
import { FrameMemory, type SharedFrame } from "../image/shared_frame.ts";
import type { Operator } from "../operator.ts";
import type { SearchOptions, SearchResult } from "./options.ts";
import { type PictureWait, PictureWaits } from "./waits.ts";

/** A message to the Worker: a file to read, or a picture to search for. */
export type FindCall =
  | { type: "read"; file: Uint8Array<ArrayBuffer>; within: Size }
  | { type: "search"; screen: SharedFrame; picture: Bitmap; options: SearchOptions };

/** The Worker's answer: the picture that was read, or the search's result. */
export type FindAnswer = Bitmap | SearchResult;

/** The time that the Worker stays without a search, in milliseconds. */
const IDLE_MS = 10_000;
/** The number of searches that may wait for their turn; a further search is refused. */
const WAITING_LIMIT = 64;
/** The number of simultaneous searches, waits for pictures not counted. */
const PLACES = 16;

/** Reads pictures and looks for them, in a Worker of its own: one search at a time. */
export class Finder {
  readonly #turns = new Mutex(
    WAITING_LIMIT,
    `${WAITING_LIMIT} searches are waiting already; try again later`,
  );
  readonly #worker = new CallWorker<FindCall, FindAnswer>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    onIdle: () => this.#memory.free(),
  });
  readonly #memory = new FrameMemory();
  /** Pictures that are read, or looked for once. */
  readonly #places = new Capacity(PLACES, `${PLACES} pictures are looked for already; try again later`);
  readonly #waits = new PictureWaits();

  constructor(readonly operator: Operator) {}

  /** Takes a place for a picture that is read or looked for. @throws BusyError if all are taken. */
  enter(): Disposable {
    return this.#places.enter();
  }

  /** Begins to wait for a picture, which holds no place between two searches. */
  wait({ pixels, opaque }: Bitmap): PictureWait {
    return this.#waits.enter(pixels.byteLength + (opaque?.byteLength ?? 0));
  }

  /**
   * Reads a PNG or BMP file for a search in a region.
   * @param file The file's bytes, which move to another thread; the caller must not read them afterwards.
   * @param region As in `Operator.region`.
   * @throws InputError if the file is damaged, or the picture larger than the region.
   */
  async read(file: Uint8Array<ArrayBuffer>, region: Partial<Region>): Promise<Bitmap> {
    const { pictureSize } = await import("../image/read_picture.ts");
    const within = this.operator.region(region);
    const isPart = Object.values(region).some((value) => value !== undefined);
    checkFits(pictureSize(file), within, isPart ? "the region" : "the screen");
    return await this.#worker.call({ type: "read", file, within }, [file.buffer]) as Bitmap;
  }

  /**
   * Looks for a picture once, on the screen at the moment of the search's turn.
   * @param region As in `Operator.region`.
   * @param signal Aborted when the caller leaves; a search that has not begun is then dropped.
   * @returns Places in pixels of the desktop.
   * @throws BusyError if too many searches wait; InputError as `search` does.
   */
  async search(
    picture: Bitmap,
    region: Partial<Region>,
    options: SearchOptions,
    signal: AbortSignal,
  ): Promise<SearchResult> {
    return await this.#turns.run(async () => {
      signal.throwIfAborted();
      const whole = this.operator.region(region);
      const screen = await this.operator.share(whole, false, this.#memory);
      const result = await this.#worker.call({ type: "search", screen, picture, options }) as SearchResult;
      for (const place of [...result.places, ...result.best ? [result.best] : []]) {
        place.x += whole.x;
        place.y += whole.y;
      }
      return result;
    });
  }
}
