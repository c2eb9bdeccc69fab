/** A screen with some regions hidden: they are filled before anything is compared or sent. */

import { intersection, type Region, united } from "../desktop/desktop.ts";
import type { LiveScreen, ScreenChange } from "../desktop/screen.ts";
import { hiddenRegions, hidingOf, type ViewersMemory } from "../desktop/viewers.ts";

/** Colour of hidden pixels, one word per pixel. */
const FILL = 0x606060;

/** Shows another screen without the regions that the viewers' memory hides. */
export class HidingScreen implements LiveScreen {
  place: Region;
  #whole: Region;
  #words: Int32Array<ArrayBuffer>;
  #hidden: Region[] = [];
  #count = 0;
  #isFresh = true;

  constructor(readonly screen: LiveScreen, readonly memory: ViewersMemory) {
    this.place = this.#whole = screen.place;
    this.#words = new Int32Array(screen.place.width * screen.place.height);
    this.#hide();
    this.#copy(this.#all);
  }

  get pixels(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#words.buffer);
  }

  get pointer(): LiveScreen["pointer"] {
    return this.screen.pointer;
  }

  get jpeg(): LiveScreen["jpeg"] {
    return this.screen.jpeg;
  }

  get isWoken(): LiveScreen["isWoken"] {
    return this.screen.isWoken;
  }

  update(): ScreenChange {
    const { box, isSkipped } = this.screen.update();
    if (this.screen.place !== this.#whole) {
      this.place = this.#whole = this.screen.place;
      this.#words = new Int32Array(this.place.width * this.place.height);
      this.#isFresh = true;
    }
    const changed = this.#hide(), whole = this.#isFresh ? this.#all : box;
    this.#isFresh = false;
    const all = changed.reduce<Region | undefined>((sum, region) => united(sum, region), whole);
    if (!all) return { isSkipped };
    this.#copy(all);
    return { box: all, isSkipped };
  }

  followPointer(isFollowed: boolean): void {
    this.screen.followPointer?.(isFollowed);
  }

  wait(ms: number): void {
    this.screen.wait(ms);
  }

  close(): void {
    this.screen.close();
  }

  get #all(): Region {
    return { ...this.place, x: 0, y: 0 };
  }

  /** Reads the regions to hide. @returns The regions before and now, if they differ. */
  #hide(): Region[] {
    const count = hidingOf(this.memory);
    if (count === this.#count && !this.#isFresh) return [];
    this.#count = count;
    const before = this.#hidden, { x, y } = this.place;
    this.#hidden = hiddenRegions(this.memory)
      .map((region) => intersection({ ...region, x: region.x - x, y: region.y - y }, this.#all))
      .filter((region) => region !== undefined);
    return [...before.map((region) => intersection(region, this.#all)), ...this.#hidden]
      .filter((region) => region !== undefined);
  }

  #copy({ x, y, width, height }: Region): void {
    const { pixels, place: { width: across } } = this.screen;
    const words = new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
    for (let row = y; row < y + height; row++) {
      const from = row * across + x;
      this.#words.set(words.subarray(from, from + width), from);
    }
    for (const region of this.#hidden) {
      const part = intersection(region, { x, y, width, height });
      for (let row = part?.y ?? 0; part && row < part.y + part.height; row++) {
        this.#words.fill(FILL, row * across + part.x, row * across + part.x + part.width);
      }
    }
  }
}
