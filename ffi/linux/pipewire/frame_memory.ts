/**
 * The newest frame of a stream, and where the pointer is, in memory that threads share: one writes, any number read.
 * A part that is being written has an odd version; a reader compares the version before and after.
 */

/** Indices in the header. */
const AT = {
  /** A count that rises with each frame and each change of the pointer: readers sleep on it. */
  changes: 0,
  /** The slot of the newest frame; -1 before the first. */
  slot: 1,
  /** A count that rises with each frame. */
  frames: 2,
  /** Versions of the slots, of which there are three. */
  versions: 3,
  /** Version of the pointer and its picture. */
  pointerVersion: 6,
  /** A count that rises when the pointer was seen, at the same place too. */
  pointerSeen: 7,
  /**
   * Whether the pointer is on this display; behind it follow its place, its hot spot, and the size of its
   * picture.
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
/** The number of slots: with three, the writer comes back to the slot of a reader after two further frames. */
const SLOTS = 3;
/** The time that a reader waits for the writer before it looks again, in milliseconds. */
const WAIT_MS = 5;

/** Plain data: threads send it to each other. */
export interface FrameMemory {
  width: number;
  height: number;
  header: Int32Array<SharedArrayBuffer>;
  /** Slots of `4 * width * height` bytes: rows without gaps. */
  pixels: SharedArrayBuffer;
  /** Red, green, blue and alpha of the pointer's picture; colors are multiplied by alpha already. */
  image: SharedArrayBuffer;
}

/** The pointer as the compositor draws it. */
export interface StreamPointer {
  /** The pixel of the frame that the pointer points at. */
  x: number;
  y: number;
  hotX: number;
  hotY: number;
  /** The pointer's picture; it is empty while the pointer is hidden. */
  width: number;
  height: number;
  /** Valid until the next call. */
  rgba: Uint8Array;
}

/** A picture of the pointer, and the place in it that points. */
export type StreamCursor = Omit<StreamPointer, "x" | "y">;

/**
 * A buffer's report of the pointer: without a picture, the previous picture stays; undefined if it is on another
 * display.
 */
export type PointerReport = { x: number; y: number; image?: StreamCursor } | undefined;

/**
 * Makes the memory of one size of frames.
 * @param width In pixels, as the height.
 * @param imageSide The largest side of a pointer's picture, in pixels.
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

/** The thread that has the stream. */
export class FrameWriter {
  constructor(readonly memory: FrameMemory) {}

  /**
   * Takes a frame over.
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

  /** Notes where the pointer is. */
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

/** A thread that looks at the stream. */
export class FrameReader {
  constructor(readonly memory: FrameMemory) {}

  /** The number of frames so far. */
  get frames(): number {
    return Atomics.load(this.memory.header, AT.frames);
  }

  /** The number of the compositor's reports of the pointer. */
  get pointerSeen(): number {
    return Atomics.load(this.memory.header, AT.pointerSeen);
  }

  /**
   * Reads the newest frame.
   * @param read Receives the pixels, in rows of `4 * width` bytes; called again with a newer frame if this one was
   *   overwritten during the call.
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

  /** The count of changes, which {@linkcode changed} and {@linkcode waitForChange} compare with. */
  get changes(): number {
    return Atomics.load(this.memory.header, AT.changes);
  }

  /**
   * Waits for a frame or a change of the pointer, and lets other work go on.
   * @param seen {@linkcode changes} as it was.
   * @param ms The longest wait, in milliseconds.
   */
  async changed(seen: number, ms: number): Promise<void> {
    await Atomics.waitAsync(this.memory.header, AT.changes, seen, ms).value;
  }

  /** Like {@linkcode changed}, and blocks the calling thread. */
  waitForChange(seen: number, ms: number): void {
    Atomics.wait(this.memory.header, AT.changes, seen, ms);
  }
}
