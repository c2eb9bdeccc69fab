/**
 * The viewers, in memory shared by two threads: the one with the sockets, and the one that makes the pictures
 * and reads the memory without ever waiting for messages. Each viewer has a slot.
 */

import type { Region } from "./input.ts";

/** How pictures are made: all lossless, videos as JPEG, or within a number of bytes. */
const MAKINGS = ["balanced", "sharp", "within"] as const;

/** How much may be sent to a viewer. */
export interface Allowance {
  making: typeof MAKINGS[number];
  /** Target size of a picture, in bytes. */
  picture: number;
  /** Number of bytes in flight from which no further picture is sent. */
  underWay: number;
}

/** Maximum number of simultaneous viewers. */
export const VIEWERS = 8;
/** The slot of the trace, after the viewers' slots. */
export const TRACE_SLOT = VIEWERS;
/** Number of slots in the memory. */
export const SLOTS = VIEWERS + 1;
/**
 * Maximum number of pictures in flight to a viewer; with only one, the viewer would wait for each
 * acknowledgement.
 */
export const UNDER_WAY = 3;
/** Maximum number of bytes in an allowance. */
const MOST_BYTES = 2 ** 30;

/** Indices in the memory. */
const AT = {
  /** 1 to end the making of pictures, 0 before. */
  stop: 0,
  /** A counter that rises with everything that wakes the maker. */
  wake: 1,
  /** A counter that rises when a viewer or a program acts: the screen may change soon. */
  input: 2,
  /** A counter that rises when a requested frame has arrived. */
  frame: 3,
  /** A value that never changes, for sleeping a fixed time. */
  pause: 4,
  /** Whether changes are watched: 0 for no, 1 while they are reported, 2 while an action is observed. */
  watching: 5,
  /** Number of the requested look. */
  asked: 6,
  /** 0 if no region may be hidden, otherwise 1 plus the number of changes of the hidden regions. */
  hiding: 7,
  /** {@linkcode SLOT} for each slot. */
  slots: 8,
  /** Number of hidden regions, and four values for each: x, y, width, height. */
  hidden: 8 + 8 * SLOTS,
} as const;
/** Indices in a slot, and their count. */
const SLOT = {
  /** The viewer's number, or 0. */
  viewer: 0,
  /** Number of pictures that the viewer has acknowledged. */
  acknowledged: 1,
  /**
   * The limits of a viewer's next picture, as in {@linkcode Allowance}: the index of the making, and the two
   * numbers of bytes.
   */
  making: 2,
  picture: 3,
  underWay: 4,
  /** The viewer's message form: three numbers, the first of which is 0 for the page's own form. */
  form: 5,
  count: 8,
} as const;
/** Maximum number of hidden regions. */
export const HIDDEN_REGIONS = 16;
/** Size of the memory, in numbers. */
const SIZE = AT.hidden + 1 + 4 * HIDDEN_REGIONS;

/**
 * A message form as three numbers; the first is 0 for the page's own. The encoder of the other forms defines
 * them.
 */
export type MessageForm = readonly [number, number, number];
/** The page's message form. */
const PAGE_FORM: MessageForm = [0, 0, 0];

/** Index of a slot's value in the memory. */
const at = (slot: number, what: Exclude<keyof typeof SLOT, "count">) =>
  AT.slots + SLOT.count * slot + SLOT[what];

/** How changes are watched: not at all, reported, or closely while an action is observed. */
const WATCHING = ["no", "yes", "closely"] as const;
/** One of {@linkcode WATCHING}. */
export type Watching = typeof WATCHING[number];

export type ViewersMemory = Int32Array<SharedArrayBuffer>;

/**
 * Creates the memory, without viewers.
 * @param hides Whether regions of the screen may be hidden from all viewers.
 */
export function viewersMemory(hides = false): ViewersMemory {
  const memory = new Int32Array(new SharedArrayBuffer(4 * SIZE));
  memory[AT.hiding] = hides ? 1 : 0;
  return memory;
}

/** The side of the thread with the sockets. */
export class Viewers {
  /** Wakes a maker that sleeps in the system. */
  ring: (() => void) | undefined;

  /** @param memory The memory that {@linkcode viewersMemory} made. */
  constructor(readonly memory: ViewersMemory) {}

  /**
   * Adds a viewer that has seen nothing.
   * @param slot A free slot, below {@linkcode VIEWERS}, or {@linkcode TRACE_SLOT}.
   * @param viewer The viewer's number, 1 or more, unique for all time.
   * @param underWay Maximum number of pictures in flight to the viewer, {@linkcode UNDER_WAY} or fewer.
   * @param form The viewer's message form.
   */
  enter(slot: number, viewer: number, underWay = UNDER_WAY, form: MessageForm = PAGE_FORM): void {
    Atomics.store(this.memory, at(slot, "acknowledged"), underWay - UNDER_WAY);
    form.forEach((value, i) => Atomics.store(this.memory, at(slot, "form") + i, value));
    Atomics.store(this.memory, at(slot, "viewer"), viewer);
    this.#call();
  }

  /** Limits how much may be sent to a viewer from now on; may be called before the viewer is added. */
  allow(slot: number, { making, picture, underWay }: Allowance): void {
    Atomics.store(this.memory, at(slot, "picture"), Math.min(MOST_BYTES, picture));
    Atomics.store(this.memory, at(slot, "underWay"), Math.min(MOST_BYTES, underWay));
    Atomics.store(this.memory, at(slot, "making"), MAKINGS.indexOf(making));
  }

  /** Frees a slot. */
  leave(slot: number): void {
    Atomics.store(this.memory, at(slot, "viewer"), 0);
    this.#call();
  }

  /** Records that a viewer has shown a picture. */
  acknowledge(slot: number): void {
    Atomics.add(this.memory, at(slot, "acknowledged"), 1);
    // Wakes the maker through the memory alone: a maker that serves a trace sleeps on the memory, or for 8 ms
    // in the system, and ringing takes 0.02 ms.
    if (slot === TRACE_SLOT) this.#wake();
    else this.#call();
  }

  /** Records that a viewer or a program acted. */
  acted(): void {
    Atomics.add(this.memory, AT.input, 1);
    this.#wake();
  }

  /** Turns change reports on or off. */
  watch(how: Watching): void {
    Atomics.store(this.memory, AT.watching, WATCHING.indexOf(how));
    this.#wake();
  }

  /** Requests a look that begins after this call. @returns Its number, which the report repeats. */
  askLook(): number {
    const number = Atomics.add(this.memory, AT.asked, 1) + 1;
    Atomics.add(this.memory, AT.input, 1); // a screen that is captured at intervals is captured immediately
    this.#call();
    return number;
  }

  /**
   * Hides regions from later looks, if the memory was created for hiding.
   * @param regions Regions of the desktop, at most {@linkcode HIDDEN_REGIONS}.
   */
  hide(regions: readonly Region[]): void {
    const { memory } = this;
    Atomics.store(memory, AT.hidden, regions.length);
    regions.forEach(({ x, y, width, height }, i) => {
      [x, y, width, height].forEach((value, j) => Atomics.store(memory, AT.hidden + 1 + 4 * i + j, value));
    });
    Atomics.add(memory, AT.hiding, 1);
    this.#call();
  }

  /** Records that a requested frame has arrived. */
  frameTaken(): void {
    Atomics.add(this.memory, AT.frame, 1);
    Atomics.notify(this.memory, AT.frame);
  }

  /** Ends the making of pictures. */
  stop(): void {
    Atomics.store(this.memory, AT.stop, 1);
    this.frameTaken();
    this.#call();
  }

  /** Wakes a maker that sleeps on the memory: the system wakes the others when the screen changes. */
  #wake() {
    Atomics.add(this.memory, AT.wake, 1);
    Atomics.notify(this.memory, AT.wake);
  }

  /** Wakes the maker wherever it sleeps. */
  #call() {
    this.#wake();
    this.ring?.();
  }
}

/**
 * Sleeps until a viewer, an action or a frame wakes this thread, or the time is over.
 * @param wakes The wake count from when there was nothing to do.
 * @param ms Maximum sleep, in milliseconds.
 */
export function waitForWake(memory: ViewersMemory, wakes: number, ms: number): void {
  if (ms > 0) Atomics.wait(memory, AT.wake, wakes, ms);
}

/** Sleeps for some milliseconds; returns immediately for 0 or less. */
export function pause(memory: ViewersMemory, ms: number): void {
  if (ms > 0) Atomics.wait(memory, AT.pause, 0, ms);
}

/** Reads the wake count, for {@linkcode waitForWake}. */
export function wakeCount(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.wake);
}

/** Reads the counter of changes of the hidden regions; 0 if the memory was not created for hiding. */
export function hidingOf(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.hiding);
}

/** Reads the hidden regions, in desktop coordinates. */
export function hiddenRegions(memory: ViewersMemory): Region[] {
  const count = Atomics.load(memory, AT.hidden);
  return Array.from({ length: count }, (_, i) => {
    const [x, y, width, height] = [0, 1, 2, 3].map((j) => Atomics.load(memory, AT.hidden + 1 + 4 * i + j));
    return { x, y, width, height };
  });
}

/** Reads the number of actions by viewers and programs so far. */
export function inputsOf(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.input);
}

/**
 * Requests a frame and sleeps until it arrives.
 * @param ask Makes the other side call {@linkcode Viewers.frameTaken}.
 * @returns false if no frame arrived within `ms`.
 */
export function waitForFrame(memory: ViewersMemory, ask: () => void, ms: number): boolean {
  const before = Atomics.load(memory, AT.frame);
  ask();
  return Atomics.wait(memory, AT.frame, before, ms) !== "timed-out";
}

/** Reads the number of a slot's viewer (0 if there is none), and how many pictures it has acknowledged. */
export function viewerIn(memory: ViewersMemory, slot: number): { viewer: number; acknowledged: number } {
  return {
    viewer: Atomics.load(memory, at(slot, "viewer")),
    acknowledged: Atomics.load(memory, at(slot, "acknowledged")),
  };
}

/** Reads how much may be sent to a slot's viewer. */
export function allowanceOf(memory: ViewersMemory, slot: number): Allowance {
  return {
    making: MAKINGS[Atomics.load(memory, at(slot, "making"))],
    picture: Atomics.load(memory, at(slot, "picture")),
    underWay: Atomics.load(memory, at(slot, "underWay")),
  };
}

/** Reads the message form of a slot's viewer. */
export function formOf(memory: ViewersMemory, slot: number): MessageForm {
  const [first, second, third] = [0, 1, 2].map((i) => Atomics.load(memory, at(slot, "form") + i));
  return [first, second, third];
}

/** Reads how changes are watched. */
export function watchingOf(memory: ViewersMemory): Watching {
  return WATCHING[Atomics.load(memory, AT.watching)];
}

/** Reads the number of the last requested look. */
export function askedLook(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.asked);
}

/** Whether the making of pictures is to end. */
export function isStopped(memory: ViewersMemory): boolean {
  return Atomics.load(memory, AT.stop) !== 0;
}

// Reports from the thread that makes the live picture to the thread with the viewers' sockets.

export type LiveReport =
  /** The screen that the following pictures show. */
  | { type: "screen"; place: Region }
  /** A picture for some viewers, by slot and number. */
  | { type: "picture"; to: [slot: number, viewer: number][]; message: Uint8Array<ArrayBuffer> }
  /**
   * Changes found by one reading of the screen, if changes are watched: the time in ms as
   * `performance.timeOrigin + performance.now()`; 4 numbers per region (x, y, width, height, in screen
   * pixels); and the number of the look if it was requested.
   */
  | { type: "changes"; at: number; regions: Int32Array<ArrayBuffer>; look?: number; hasPointer: boolean };
