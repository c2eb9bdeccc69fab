/**
 * The viewers, in memory that two threads share: the one that has the sockets and the one that makes the pictures, which
 * reads it without ever waiting for messages. Each viewer has a slot.
 */

import type { Region } from "./input.ts";

/** Ways to make pictures: all without loss, videos as JPEG, or within a number of bytes. */
const MAKINGS = ["balanced", "sharp", "within"] as const;

/** The pictures that may be sent to a viewer. */
export interface Allowance {
  making: typeof MAKINGS[number];
  /** The size in bytes within which a picture should stay. */
  picture: number;
  /** The number of bytes under way from which on no further picture is sent. */
  underWay: number;
}

/** Viewers that may look at once. */
export const VIEWERS = 8;
/** The slot of the trace, after the viewers' slots. */
export const TRACE_SLOT = VIEWERS;
/** Slots of the memory. */
export const SLOTS = VIEWERS + 1;
/**
 * The number of pictures that may be under way to a viewer; with only one, the viewer would wait for each
 * acknowledgement.
 */
export const UNDER_WAY = 3;
/** The most bytes of an allowance. */
const MOST_BYTES = 2 ** 30;

/** Indices in the memory. */
const AT = {
  /** 1 once the making of pictures shall end, 0 before. */
  stop: 0,
  /** A count that rises with everything that the maker may sleep for. */
  wake: 1,
  /** A count that rises when a viewer or a program acts: the screen may change soon. */
  input: 2,
  /** A count that rises when a requested frame is there. */
  frame: 3,
  /** A value that never changes, for sleeping a set time. */
  pause: 4,
  /** The state of watching: 0, or 1 while changes are reported, or 2 while an action is observed. */
  watching: 5,
  /** The number of the requested look. */
  asked: 6,
  /** The state of hiding: 0 if no region may be hidden, otherwise 1 and the count of changes of the hidden regions. */
  hiding: 7,
  /** {@linkcode SLOT} for each slot. */
  slots: 8,
  /** The number of hidden regions, and four values for each: x, y, width, height. */
  hidden: 8 + 8 * SLOTS,
} as const;
/** Indices in a slot, and how many there are. */
const SLOT = {
  /** The viewer's number, or 0. */
  viewer: 0,
  /** Pictures that the viewer has acknowledged. */
  acknowledged: 1,
  /**
   * The limits of a viewer's next picture, as {@linkcode Allowance}: the number of the making, and the two numbers of
   * bytes.
   */
  making: 2,
  picture: 3,
  underWay: 4,
  /** The form of the viewer's messages: three numbers, of which the first is 0 for those of the page. */
  form: 5,
  count: 8,
} as const;
/** Regions that may be hidden. */
export const HIDDEN_REGIONS = 16;
/** The size of the memory, in numbers. */
const SIZE = AT.hidden + 1 + 4 * HIDDEN_REGIONS;

/** The form of messages, as three numbers; the first is 0 for the page's own. The encoder of other forms knows them. */
export type MessageForm = readonly [number, number, number];
/** The form of the page's messages. */
const PAGE_FORM: MessageForm = [0, 0, 0];

/** Gives the place of a slot's value in the memory. */
const at = (slot: number, what: Exclude<keyof typeof SLOT, "count">) =>
  AT.slots + SLOT.count * slot + SLOT[what];

/** Ways to watch changes: not at all, reporting them, and closely while an action is observed. */
const WATCHING = ["no", "yes", "closely"] as const;
/** One of {@linkcode WATCHING}. */
export type Watching = typeof WATCHING[number];

export type ViewersMemory = Int32Array<SharedArrayBuffer>;

/**
 * Makes the memory: without viewers.
 * @param hides Whether regions of the screen may be hidden from all of them.
 */
export function viewersMemory(hides = false): ViewersMemory {
  const memory = new Int32Array(new SharedArrayBuffer(4 * SIZE));
  memory[AT.hiding] = hides ? 1 : 0;
  return memory;
}

/** The side that has the sockets. */
export class Viewers {
  /** Wakes a maker that sleeps in the system. */
  ring: (() => void) | undefined;

  /** @param memory The memory that {@linkcode viewersMemory} made. */
  constructor(readonly memory: ViewersMemory) {}

  /**
   * Adds a viewer, which has seen nothing.
   * @param slot A free slot, below {@linkcode VIEWERS}, or {@linkcode TRACE_SLOT}.
   * @param viewer The viewer's number, 1 or more, which no other viewer has or had.
   * @param underWay The number of pictures that may be under way to the viewer, {@linkcode UNDER_WAY} or fewer.
   * @param form The form of the viewer's messages.
   */
  enter(slot: number, viewer: number, underWay = UNDER_WAY, form: MessageForm = PAGE_FORM): void {
    Atomics.store(this.memory, at(slot, "acknowledged"), underWay - UNDER_WAY);
    form.forEach((value, i) => Atomics.store(this.memory, at(slot, "form") + i, value));
    Atomics.store(this.memory, at(slot, "viewer"), viewer);
    this.#call();
  }

  /** Sets how much may be sent to a viewer from now on, also before the viewer is added. */
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

  /** Notes that a viewer has shown a picture. */
  acknowledge(slot: number): void {
    Atomics.add(this.memory, at(slot, "acknowledged"), 1);
    // Wakes the maker by the memory alone: a maker that serves a trace sleeps on the memory, or for 8 ms in the
    // system, and to ring takes 0.02 ms.
    if (slot === TRACE_SLOT) this.#wake();
    else this.#call();
  }

  /** Notes that a viewer or a program acted. */
  acted(): void {
    Atomics.add(this.memory, AT.input, 1);
    this.#wake();
  }

  /** Switches the reports of changes on or off. */
  watch(how: Watching): void {
    Atomics.store(this.memory, AT.watching, WATCHING.indexOf(how));
    this.#wake();
  }

  /** Asks for a look that begins after this call. @returns Its number, which the report has. */
  askLook(): number {
    const number = Atomics.add(this.memory, AT.asked, 1) + 1;
    Atomics.add(this.memory, AT.input, 1); // a screen that is captured at intervals is captured now
    this.#call();
    return number;
  }

  /**
   * Hides regions from later looks, if the memory was made for hiding.
   * @param regions The regions of the desktop; {@linkcode HIDDEN_REGIONS} at most.
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

  /** Notes that a frame is there. */
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

  /** Wakes a maker that sleeps on the memory: the others are woken by the system when the screen changes. */
  #wake() {
    Atomics.add(this.memory, AT.wake, 1);
    Atomics.notify(this.memory, AT.wake);
  }

  /** Wakes the maker of pictures, wherever it sleeps. */
  #call() {
    this.#wake();
    this.ring?.();
  }
}

/**
 * Sleeps until a viewer, an action or a frame wakes this thread, or the time is over.
 * @param wakes The count of wakes at the time when there was nothing to do.
 * @param ms The longest sleep.
 */
export function waitForWake(memory: ViewersMemory, wakes: number, ms: number): void {
  if (ms > 0) Atomics.wait(memory, AT.wake, wakes, ms);
}

/** Sleeps for some milliseconds; for 0 or less, returns at once. */
export function pause(memory: ViewersMemory, ms: number): void {
  if (ms > 0) Atomics.wait(memory, AT.pause, 0, ms);
}

/** Reads the count of wakes, for {@linkcode waitForWake}. */
export function wakeCount(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.wake);
}

/** Counts the changes of the hidden regions; 0 if the memory was not made for hiding. */
export function hidingOf(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.hiding);
}

/** The hidden regions, of the desktop. */
export function hiddenRegions(memory: ViewersMemory): Region[] {
  const count = Atomics.load(memory, AT.hidden);
  return Array.from({ length: count }, (_, i) => {
    const [x, y, width, height] = [0, 1, 2, 3].map((j) => Atomics.load(memory, AT.hidden + 1 + 4 * i + j));
    return { x, y, width, height };
  });
}

/** Sums the actions of viewers and programs. */
export function inputsOf(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.input);
}

/**
 * Asks for a frame and sleeps until it is there.
 * @param ask Makes the other side call {@linkcode Viewers.frameTaken}.
 * @returns false if no frame came within `ms`.
 */
export function waitForFrame(memory: ViewersMemory, ask: () => void, ms: number): boolean {
  const before = Atomics.load(memory, AT.frame);
  ask();
  return Atomics.wait(memory, AT.frame, before, ms) !== "timed-out";
}

/** Reads the number of a slot's viewer, 0 if there is none, and how many pictures it has acknowledged. */
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

/** Reads the form of the messages of a slot's viewer. */
export function formOf(memory: ViewersMemory, slot: number): MessageForm {
  const [first, second, third] = [0, 1, 2].map((i) => Atomics.load(memory, at(slot, "form") + i));
  return [first, second, third];
}

/** Reads how changes are watched. */
export function watchingOf(memory: ViewersMemory): Watching {
  return WATCHING[Atomics.load(memory, AT.watching)];
}

/** Reads the number of the look that was asked for last. */
export function askedLook(memory: ViewersMemory): number {
  return Atomics.load(memory, AT.asked);
}

/** Whether the making ends. */
export function isStopped(memory: ViewersMemory): boolean {
  return Atomics.load(memory, AT.stop) !== 0;
}

// Reports of the thread that makes the live picture to the thread with the viewers' sockets.

export type LiveReport =
  /** The screen that the pictures which follow are of. */
  | { type: "screen"; place: Region }
  /** A picture for some viewers, by slot and number. */
  | { type: "picture"; to: [slot: number, viewer: number][]; message: Uint8Array<ArrayBuffer> }
  /**
   * Changes that a reading of the screen found, if changes are watched: at a time in ms of `performance.timeOrigin +
   * performance.now()`, 4 numbers a region (x, y, width, height, in pixels of the screen), and the number of the look
   * if it was asked for.
   */
  | { type: "changes"; at: number; regions: Int32Array<ArrayBuffer>; look?: number; hasPointer: boolean };
