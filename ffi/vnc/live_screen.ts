/** The live picture's view of a VNC desktop: it copies the changes that the receiver has published. */

import type { Region } from "../../control/desktop/desktop.ts";
import type { JpegEncoder, LiveScreen, ScreenChange } from "../../control/desktop/screen.ts";
import { type PictureMemory, SharedPicture } from "./picture.ts";

/** A screen in shared memory. */
export class VncLiveScreen implements LiveScreen {
  readonly place: Region;
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly isWoken = true;
  readonly #picture: SharedPicture;
  readonly #words: Int32Array<ArrayBuffer>;
  #wakes = 0;

  constructor(memory: PictureMemory, readonly jpeg: JpegEncoder | undefined) {
    this.#picture = new SharedPicture(memory);
    this.place = this.#picture.region;
    this.#words = new Int32Array(memory.width * memory.height);
    this.pixels = new Uint8Array(this.#words.buffer);
    this.#picture.markAll();
    this.update();
  }

  get pointer(): LiveScreen["pointer"] {
    const { image, place } = this.#picture;
    return image && place && { image, at: place };
  }

  update(): ScreenChange {
    this.#wakes = this.#picture.wakes;
    const box = this.#picture.takeChanges(this.#words);
    return box ? { box } : {};
  }

  wait(ms: number): void {
    this.#picture.sleep(this.#wakes, ms);
  }

  close(): void {}
}
