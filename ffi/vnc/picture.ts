/**
 * A VNC desktop's picture in shared memory: the receiver's Worker writes whole updates; this thread and the
 * Worker of the live picture read them.
 */

import { intersection, type Point, type Region, united } from "../../control/desktop/desktop.ts";
import type { PointerImage } from "../../control/desktop/screen.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";

/** Indices in the state. */
const AT = {
  /** 1 while a thread reads or writes, otherwise 0. */
  lock: 0,
  /** A count that increases with each update and each ring. */
  wake: 1,
  /**
   * The bounding box of changes that the live picture has not seen: left, top, right, bottom; right is 0 if
   * there are none.
   */
  box: 2,
  /** Whether the pointer's position is known, and the position. */
  isPlaced: 6,
  x: 7,
  y: 8,
  /** A count that increases with each pointer picture, then the picture's size and hot spot. */
  pointer: 9,
  size: 16,
} as const;
/** Maximum width and height of the pointer's picture, in pixels; a larger one is not shown. */
export const POINTER_LIMIT = 256;
/** Maximum wait for another thread, in milliseconds: copying a screen takes a few. */
const LOCK_MS = 2000;

/** The memory, which is passed to another thread in a message. */
export interface PictureMemory {
  width: number;
  height: number;
  pixels: SharedArrayBuffer;
  state: SharedArrayBuffer;
  /** The pixels of the pointer's picture. */
  pointer: SharedArrayBuffer;
}

/** Allocates the memory of a black picture. */
export function pictureMemory(width: number, height: number): PictureMemory {
  return {
    width,
    height,
    pixels: new SharedArrayBuffer(4 * width * height),
    state: new SharedArrayBuffer(4 * AT.size),
    pointer: new SharedArrayBuffer(4 * POINTER_LIMIT * POINTER_LIMIT),
  };
}

/** One thread's view of the memory. */
export class SharedPicture {
  readonly region: Region;
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly #state: Int32Array<SharedArrayBuffer>;
  /** The pointer's picture as last read, and its number. */
  #image: { image: PointerImage; number: number } | undefined;

  constructor(readonly memory: PictureMemory) {
    this.region = { x: 0, y: 0, width: memory.width, height: memory.height };
    this.words = new Int32Array(memory.pixels);
    this.#state = new Int32Array(memory.state);
  }

  /**
   * Runs a function while no other thread reads or writes.
   * @throws DesktopUnavailableError if another thread ended while it held the lock.
   */
  locked<T>(run: () => T): T {
    const state = this.#state, end = performance.now() + LOCK_MS;
    while (Atomics.compareExchange(state, AT.lock, 0, 1) !== 0) {
      const left = end - performance.now();
      if (left <= 0) throw new DesktopUnavailableError("the VNC desktop's picture is not available");
      Atomics.wait(state, AT.lock, 1, left);
    }
    try {
      return run();
    } finally {
      Atomics.store(state, AT.lock, 0);
      Atomics.notify(state, AT.lock);
    }
  }

  /** Copies boxes of a picture of the same size into the memory, as one update. */
  publish(from: Int32Array, boxes: readonly Region[]): void {
    const { words, region: { width } } = this;
    this.locked(() => {
      for (const box of boxes) {
        for (let row = box.y; row < box.y + box.height; row++) {
          const at = row * width + box.x;
          words.set(from.subarray(at, at + box.width), at);
        }
        this.#mark(box);
      }
    });
    this.ring();
  }

  /** Wakes threads in {@linkcode sleep}. */
  ring(): void {
    Atomics.add(this.#state, AT.wake, 1);
    Atomics.notify(this.#state, AT.wake);
  }

  /** The count of updates and rings. */
  get wakes(): number {
    return Atomics.load(this.#state, AT.wake);
  }

  /** Sleeps until there is an update or a ring after the given count, for at most `ms` milliseconds. */
  sleep(wakes: number, ms: number): void {
    if (ms > 0) Atomics.wait(this.#state, AT.wake, wakes, ms);
  }

  /** Copies the changes since the last call into a picture of the same size. @returns Their bounding box. */
  takeChanges(into: Int32Array): Region | undefined {
    return this.locked(() => {
      const box = this.#box();
      this.#state.fill(0, AT.box, AT.box + 4);
      if (box) this.#copy(box, into, box.y * this.region.width + box.x, this.region.width);
      return box;
    });
  }

  /** Marks everything as changed. */
  markAll(): void {
    this.locked(() => this.#mark(this.region));
  }

  /** Copies a region into rows without gaps. */
  copy(region: Region, into: Int32Array): void {
    this.locked(() => this.#copy(region, into, 0, region.width));
  }

  #copy({ x, y, width, height }: Region, into: Int32Array, at: number, stride: number): void {
    for (let row = y; row < y + height; row++, at += stride) {
      const from = row * this.region.width + x;
      into.set(this.words.subarray(from, from + width), at);
    }
  }

  #box(): Region | undefined {
    const [left, top, right, bottom] = this.#state.subarray(AT.box, AT.box + 4);
    return right ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
  }

  #mark(box: Region): void {
    const { x, y, width, height } = united(this.#box(), box)!;
    this.#state.set([x, y, x + width, y + height], AT.box);
  }

  /** The pointer's position; undefined while it is unknown. */
  get place(): Point | undefined {
    const state = this.#state;
    if (!Atomics.load(state, AT.isPlaced)) return undefined;
    const place = { x: Atomics.load(state, AT.x), y: Atomics.load(state, AT.y) };
    return intersection({ ...place, width: 1, height: 1 }, this.region) && place;
  }

  /** Stores the pointer's position. */
  set place(place: Point) {
    Atomics.store(this.#state, AT.x, place.x);
    Atomics.store(this.#state, AT.y, place.y);
    Atomics.store(this.#state, AT.isPlaced, 1);
    this.ring();
  }

  /** The pointer's picture; undefined until the server has sent one. */
  get image(): PointerImage | undefined {
    const number = Atomics.load(this.#state, AT.pointer);
    if (number && this.#image?.number !== number) {
      this.#image = this.locked(() => {
        const [now, width, height, x, y] = this.#state.subarray(AT.pointer, AT.pointer + 5);
        const rgba = new Uint8Array(this.memory.pointer).slice(0, 4 * width * height);
        return { number: now, image: { width, height, hot: { x, y }, rgba } };
      });
    }
    return this.#image?.image;
  }

  /** Stores a new pointer picture, of at most {@linkcode POINTER_LIMIT}. */
  set image(image: PointerImage) {
    const { width, height, hot: { x, y }, rgba } = image;
    this.locked(() => {
      new Uint8Array(this.memory.pointer).set(rgba);
      this.#state.set([this.#state[AT.pointer] + 1, width, height, x, y], AT.pointer);
    });
    this.ring();
  }
}
