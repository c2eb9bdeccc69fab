/**
 * A stream's newest frame, and the pointer's position, in memory shared between threads: one writes, any
 * number read. A part that is being written has an odd version; a reader compares the version before and
 * after.
 */

/** Indices in the header. */
const AT = {
  /** A count that increases with each frame and each pointer change: readers sleep on it. */
  changes: 0,
  /** The newest frame's slot; -1 before the first. */
  slot: 1,
  /** A count that increases with each frame. */
  frames: 2,
  /** The versions of the three slots. */
  versions: 3,
  /** The version of the pointer and its picture. */
  pointerVersion: 6,
  /** A count that increases whenever the pointer is seen, even at the same position. */
  pointerSeen: 7,
  /**
   * Whether the pointer is on this display; followed by its position, its hot spot, and its picture's size.
   */
  isHere: 8,
  x: 9,
  y: 10,
  hotX: 11,
  hotY: 12,
  imageWidth: 13,
  imageHeight: 14,
  size: 15,
} as const;
/** Number of slots: with three, the writer returns to a reader's slot after two more frames. */
const SLOTS = 3;
/** How long a reader waits for the writer before it checks again, in milliseconds. */
const WAIT_MS = 5;

/** Plain data that threads send to each other. */
export interface FrameMemory {
  width: number;
  height: number;
  header: Int32Array<SharedArrayBuffer>;
  /** Slots of `4 * width * height` bytes: rows without gaps. */
  pixels: SharedArrayBuffer;
  /** The pointer picture's red, green, blue and alpha; colors are premultiplied. */
  image: SharedArrayBuffer;
}

/** The pointer as drawn by the compositor. */
export interface StreamPointer {
  /** The frame's pixel at the hot spot. */
  x: number;
  y: number;
  hotX: number;
  hotY: number;
  /** The pointer's picture, which is empty while the pointer is hidden. */
  width: number;
  height: number;
  /** Valid until the next call. */
  rgba: Uint8Array;
}

/** A pointer picture and its hot spot. */
export type StreamCursor = Omit<StreamPointer, "x" | "y">;

/**
 * A buffer's pointer report: without a picture, the previous picture is kept; undefined if the pointer is on
 * another display.
 */
export type PointerReport = { x: number; y: number; image?: StreamCursor } | undefined;

/**
 * Allocates the memory for frames of one size.
 * @param width In pixels, like the height.
 * @param imageSide Maximum width and height of a pointer picture, in pixels.
 */
export function makeFrameMemory(width: number, height: number, imageSide: number): FrameMemory {
  const header = new Int32Array(new SharedArrayBuffer(4 * AT.size));
  header[AT.slot] = -1;
  return {
    width,
    height,
    header,
    pixels: new SharedArrayBuffer(SLOTS * 4 * width * height),
    image: new SharedArrayBuffer(4 * imageSide * imageSide),
  };
}

/** The side of the thread that owns the stream. */
export class FrameWriter {
  constructor(readonly memory: FrameMemory) {}

  /**
   * Stores a frame.
   * @param fill Writes all rows, of `4 * width` bytes each, without gaps.
   */
  writeFrame(fill: (target: Uint8Array<SharedArrayBuffer>) => void): void {
    const { header, pixels } = this.memory, size = pixels.byteLength / SLOTS;
    const slot = (Atomics.load(header, AT.slot) + 1) % SLOTS;
    Atomics.add(header, AT.versions + slot, 1);
    fill(new Uint8Array(pixels, slot * size, size));
    Atomics.add(header, AT.versions + slot, 1);
    Atomics.store(header, AT.slot, slot);
    Atomics.add(header, AT.frames, 1);
    this.#tell();
  }

  /** Stores the pointer's position. */
  writePointer(pointer: PointerReport): void {
    const { header } = this.memory;
    Atomics.add(header, AT.pointerVersion, 1);
    header[AT.isHere] = pointer ? 1 : 0;
    if (pointer) {
      const { x, y, image } = pointer;
      [header[AT.x], header[AT.y]] = [x, y];
      if (image && image.rgba.length <= this.memory.image.byteLength) {
        const { hotX, hotY, width, height } = image;
        header.set([hotX, hotY, width, height], AT.hotX);
        new Uint8Array(this.memory.image).set(image.rgba);
      }
    }
    Atomics.add(header, AT.pointerVersion, 1);
    Atomics.notify(header, AT.pointerVersion);
    Atomics.add(header, AT.pointerSeen, 1);
    this.#tell();
  }

  #tell(): void {
    Atomics.add(this.memory.header, AT.changes, 1);
    Atomics.notify(this.memory.header, AT.changes);
  }
}

/** The side of a thread that reads the stream. */
export class FrameReader {
  constructor(readonly memory: FrameMemory) {}

  /** The number of frames so far. */
  get frames(): number {
    return Atomics.load(this.memory.header, AT.frames);
  }

  /** The number of pointer reports from the compositor. */
  get pointerSeen(): number {
    return Atomics.load(this.memory.header, AT.pointerSeen);
  }

  /**
   * Reads the newest frame.
   * @param read Receives the pixels, in rows of `4 * width` bytes; called again with a newer frame if this
   * one was overwritten during the call.
   * @returns false if there was no frame yet.
   */
  readFrame(read: (pixels: Uint8Array<SharedArrayBuffer>) => void): boolean {
    const { header, pixels } = this.memory, size = pixels.byteLength / SLOTS;
    for (;;) {
      const slot = Atomics.load(header, AT.slot);
      if (slot < 0) return false;
      const version = Atomics.load(header, AT.versions + slot);
      if (version % 2) continue; // a newer frame is in another slot
      read(new Uint8Array(pixels, slot * size, size));
      if (Atomics.load(header, AT.versions + slot) === version) return true;
    }
  }

  /** The pointer; undefined if it is on another display. */
  pointer(): StreamPointer | undefined {
    const { header, image } = this.memory;
    for (;;) {
      const version = Atomics.load(header, AT.pointerVersion);
      if (version % 2) {
        Atomics.wait(header, AT.pointerVersion, version, WAIT_MS);
        continue;
      }
      const isHere = header[AT.isHere] !== 0;
      const [x, y, hotX, hotY, width, height] = header.subarray(AT.x, AT.x + 6);
      const rgba = new Uint8Array(image).slice(0, isHere ? 4 * width * height : 0);
      if (Atomics.load(header, AT.pointerVersion) !== version) continue;
      return isHere ? { x, y, hotX, hotY, width, height, rgba } : undefined;
    }
  }

  /** The change count, for {@linkcode changed} and {@linkcode waitForChange}. */
  get changes(): number {
    return Atomics.load(this.memory.header, AT.changes);
  }

  /**
   * Waits for a frame or a pointer change without blocking other work.
   * @param seen The previous value of {@linkcode changes}.
   * @param ms Maximum wait, in milliseconds.
   */
  async changed(seen: number, ms: number): Promise<void> {
    await Atomics.waitAsync(this.memory.header, AT.changes, seen, ms).value;
  }

  /** Like {@linkcode changed}, but blocks the calling thread. */
  waitForChange(seen: number, ms: number): void {
    Atomics.wait(this.memory.header, AT.changes, seen, ms);
  }
}
