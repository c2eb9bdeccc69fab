/**
 * The viewers, in memory that two threads share: the one that has the sockets and the one that makes the pictures, which
 * reads it without ever waiting for messages. Each viewer has a slot.
 */

/** Viewers that may look at once. */
export const VIEWERS = 8;
/** Pictures that may be under way to a viewer: with one, it would wait for each acknowledgement. */
const UNDER_WAY = 3;

/** Indices in the memory. */
const AT = {
  /** 1 ends the making of pictures. */
  stop: 0,
  /** Rises with everything that the maker may sleep for. */
  wake: 1,
  /** Rises when a viewer or a program acts: the screen may change soon. */
  input: 2,
  /** Rises when a frame that was asked for is there. */
  frame: 3,
  /** Never changes: to sleep a set time. */
  pause: 4,
  /** 0, or 1 while changes are reported, or 2 while an action is observed. */
  watching: 5,
  /** The number of the look that is asked for. */
  asked: 6,
  /** Two for each slot: the viewer's number or 0, and the pictures that it has acknowledged. */
  slots: 8,
} as const;

/** Ways to watch changes: not at all, reporting them, and closely while an action is observed. */
const WATCHING = ["no", "yes", "closely"] as const;
/** One of them. */
export type Watching = typeof WATCHING[number];

/** The shared memory. */
export type ViewersMemory = Int32Array<SharedArrayBuffer>;

/** Makes the memory: without viewers. */
export function viewersMemory(): ViewersMemory {
  return new Int32Array(new SharedArrayBuffer(4 * (AT.slots + 2 * VIEWERS)));
}

/** The side that has the sockets. */
export class Viewers {
  /** @param memory As {@linkcode viewersMemory} made it. */
  constructor(readonly memory: ViewersMemory) {}

  /**
   * Lets a viewer in, which has seen nothing.
   * @param slot A free one, below {@linkcode VIEWERS}.
   * @param viewer Its number, 1 or more; no other has or had it.
   */
  enter(slot: number, viewer: number): void {
    Atomics.store(this.memory, AT.slots + 2 * slot + 1, 0);
    Atomics.store(this.memory, AT.slots + 2 * slot, viewer);
    this.#wake();
  }

  /** Frees a slot. */
  leave(slot: number): void {
    Atomics.store(this.memory, AT.slots + 2 * slot, 0);
    this.#wake();
  }

  /** Notes that a viewer has shown a picture. */
  acknowledge(slot: number): void {
    Atomics.add(this.memory, AT.slots + 2 * slot + 1, 1);
    this.#wake();
  }

  /** Notes that a viewer or a program acted. */
  acted(): void {
    Atomics.add(this.memory, AT.input, 1);
    this.#wake();
  }

  /** Has changes reported, or not. */
  watch(how: Watching): void {
    Atomics.store(this.memory, AT.watching, WATCHING.indexOf(how));
    this.#wake();
  }

  /** Asks for a look that begins after this call. @returns Its number, which the report has. */
  askLook(): number {
    const number = Atomics.add(this.memory, AT.asked, 1) + 1;
    this.acted(); // a screen that is captured at intervals is captured now
    return number;
  }

  /** Notes that a frame is there. */
  frameTaken(): void {
    Atomics.add(this.memory, AT.frame, 1);
    Atomics.notify(this.memory, AT.frame);
  }

  /** Ends the making of pictures. */
  stop(): void {
    Atomics.store(this.memory, AT.stop, 1);
    this.frameTaken();
    this.#wake();
  }

  #wake() {
    Atomics.add(this.memory, AT.wake, 1);
    Atomics.notify(this.memory, AT.wake);
  }
}

/** Slot of one viewer: the changes that the viewer has not seen. */
export class ViewerSlot {
  /** 1 for each tile. */
  readonly unseen: Uint8Array;
  /** Tells whether it has the pointer as it is: its place, and its picture. */
  hasPointer = { place: false, image: false };
  /** Pictures sent to it. */
  sent = 0;
  #acknowledged = 0;

  /** @param tiles Number of tiles. */
  constructor(readonly slot: number, readonly viewer: number, tiles: number) {
    this.unseen = new Uint8Array(tiles).fill(1);
  }

  /** Reads how many pictures it has acknowledged. */
  update(memory: ViewersMemory): void {
    this.#acknowledged = Atomics.load(memory, AT.slots + 2 * this.slot + 1);
  }

  /** Tells whether another picture may be sent. */
  get isReady(): boolean {
    return this.sent - this.#acknowledged < UNDER_WAY;
  }
}

/** The side that makes the pictures. */
export class ViewerSlots implements Iterable<ViewerSlot> {
  readonly #bySlot: (ViewerSlot | undefined)[] = [];

  constructor(readonly memory: ViewersMemory) {}

  [Symbol.iterator](): Iterator<ViewerSlot> {
    return this.#bySlot.filter((slot) => slot !== undefined)[Symbol.iterator]();
  }

  /** Tells whether changes are reported. */
  get watching(): Watching {
    return WATCHING[Atomics.load(this.memory, AT.watching)];
  }

  /** The number of the look that was asked for last. */
  get asked(): number {
    return Atomics.load(this.memory, AT.asked);
  }

  /** Tells whether the making ends. */
  get isOver(): boolean {
    return Atomics.load(this.memory, AT.stop) !== 0;
  }

  /**
   * Reads which viewers there are and what they acknowledged.
   * @param tiles Number of tiles, of which new ones have seen none.
   */
  update(tiles: number): void {
    for (let slot = 0; slot < VIEWERS; slot++) {
      const viewer = Atomics.load(this.memory, AT.slots + 2 * slot);
      if (this.#bySlot[slot]?.viewer !== (viewer || undefined)) {
        this.#bySlot[slot] = viewer ? new ViewerSlot(slot, viewer, tiles) : undefined;
      }
      this.#bySlot[slot]?.update(this.memory);
    }
  }

  /** Makes all of them start over: the screen has another size. */
  startOver(tiles: number): void {
    for (const before of this) {
      const slot = new ViewerSlot(before.slot, before.viewer, tiles);
      slot.sent = before.sent;
      this.#bySlot[before.slot] = slot;
    }
  }
}

/**
 * Sleeps until a viewer, an action or a frame wakes this thread, or the time is over.
 * @param wakes The count of wakes when there was nothing to do.
 * @param ms At most so long.
 */
export function waitForWake(memory: ViewersMemory, wakes: number, ms: number): void {
  if (ms > 0) Atomics.wait(memory, AT.wake, wakes, ms);
}

/** Sleeps for so many milliseconds; 0 or less return at once. */
export function pause(memory: ViewersMemory, ms: number): void {
  if (ms > 0) Atomics.wait(memory, AT.pause, 0, ms);
}

/** Reads the count of wakes, for {@linkcode waitForWake}. */
export function wakeCount(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.wake);
}

/** How often viewers and programs acted. */
export function inputsOf(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.input);
}

/**
 * Asks for a frame and sleeps until it is there.
 * @param ask Has {@linkcode Viewers.frameTaken} called on the other side.
 * @returns false if it took longer than `ms`.
 */
export function waitForFrame(memory: ViewersMemory, ask: () => void, ms: number): boolean {
  const before = Atomics.load(memory, AT.frame);
  ask();
  return Atomics.wait(memory, AT.frame, before, ms) !== "timed-out";
}
